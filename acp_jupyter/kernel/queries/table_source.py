"""Queries of a DataFrame: in a DuckDB database that has this table, without its masked columns."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from typing import Any

from acp_jupyter.kernel.masks import masks
from acp_jupyter.kernel.queries.duckdb_select import Select
from acp_jupyter.kernel.queries.duckdb_source import PRIVATE, DuckdbSource
from acp_jupyter.kernel.queries.source import QueryError
from acp_jupyter.kernel.tables import by_narwhals
from acp_jupyter.kernel.values import is_from_library, is_lazy, plain_frame, type_name

_NO_DUCKDB = (
    "Tables are queried by DuckDB, which the kernel does not have (%pip install duckdb). Use "
    "describe_table, or run_code."
)


class TableSource(DuckdbSource):
    """A database of its own with one table.

    Parameters
    ----------
    name
        The variable that has the table, and the table's name in a query.
    """

    def __init__(self, name: str, value: Any) -> None:
        if importlib.util.find_spec("duckdb") is None:
            raise QueryError(_NO_DUCKDB)
        super().__init__(name, _without_masked(name, value))

    def _own_connection(self, table: Any) -> Any:
        connection = importlib.import_module("duckdb").connect(config=PRIVATE)
        try:
            connection.register(self._name, table)
        except Exception as error:  # noqa: BLE001 - of any library
            connection.close()
            words = str(error)[:500]
            hint = " (%pip install pyarrow)" if "pyarrow" in words else ""
            raise QueryError(f"DuckDB can't read this {type_name(table)}: {words}{hint}") from None
        return connection

    def _check_tables(self, select: Select) -> None:
        """Pass everything: this database has nothing but what may leave, and reaches nothing."""

    def _views(self, select: Select, known: Mapping[str, str]) -> dict[str, str]:
        return {}  # the table is one to DuckDB, and reads nothing


def _without_masked(name: str, value: Any) -> Any:
    """Return a table's columns that may leave, without a copy of their values."""
    if is_lazy(value):
        raise QueryError(
            f"{name} is lazy: its rows are not computed, as that could take long. Query the "
            "connection that it comes from, or use run_code."
        )
    if is_from_library(value, "pandas", "DataFrame"):
        return _of_pandas(name, plain_frame(value), value)
    found = by_narwhals(value)
    if found is None or not hasattr(found, "rows"):
        raise QueryError(
            f"A {type_name(value)} can't be queried. list_tables lists what can; describe_table "
            "describes it."
        )
    if not masks.active:
        return value
    hidden = masks.which(found.columns, (name,), value)
    shown = [label for label, each in zip(found.columns, hidden, strict=True) if not each]
    _require(name, shown)
    return found.select(*shown).to_native()


def _of_pandas(name: str, frame: Any, table: Any) -> Any:
    above = [label for label in frame.columns.names if label is not None]
    if any(masks.which(above, (name,), table)):
        raise QueryError(f"The names of {name}'s columns are masked values, so it isn't queried.")
    hidden = masks.which(frame.columns, (name,), table)
    shown: dict[str, Any] = {}
    for place, (label, masked) in enumerate(zip(frame.columns, hidden, strict=True)):
        if masked:
            continue
        if str(label) in shown:
            raise QueryError(f"{name} has several columns {str(label)[:100]!r}. Use run_code.")
        shown[str(label)] = frame.iloc[:, place]
    _require(name, [*shown])
    return sys.modules["pandas"].DataFrame(shown, index=frame.index, copy=False)


def _require(name: str, shown: list[str]) -> None:
    if not shown:
        raise QueryError(f"{name} has no column that may be read.")
