"""Runs a query of an agent: in a thread, so that a time limit and an interrupt end it at once."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from acp_jupyter.kernel.execution_context import current_shell
from acp_jupyter.kernel.masked_values import covering
from acp_jupyter.kernel.masks import masks
from acp_jupyter.kernel.queries.duckdb_source import DuckdbSource
from acp_jupyter.kernel.queries.source import DatabaseError, QueryError, Rows, Source
from acp_jupyter.kernel.queries.sqlite_source import SqliteSource
from acp_jupyter.kernel.queries.table_source import TableSource
from acp_jupyter.kernel.tables import MASKED, cell_text, rows_text
from acp_jupyter.kernel.values import FAILURES, is_tabular, type_name
from acp_jupyter.kernel.wrapped_connections import connection_library, plain_connection
from acp_jupyter.protocol.formatting import quantity

_T = TypeVar("_T")
_CHECK_SECONDS = 5.0
_AGAIN_SECONDS = 0.1
_END_SECONDS = 5.0
"""Longest wait for a query that was stopped; then it is left to itself."""
_MAX_COLUMNS = 50
_CELL_CHARS = 200
_TEXT_CHARS = 7_500
"""Longest table, so that whole rows are left out where an agent's reply has no room."""


def check_query(namespace: Mapping[str, object], name: str, sql: str) -> None:
    """Raise `QueryError` unless a query may run: it reads, and no masked column. No row is read."""
    _in_time(namespace, name, _CHECK_SECONDS, lambda source: source.check(sql))


def query_text(
    namespace: Mapping[str, object], name: str, sql: str, limit: int, seconds: float
) -> str:
    """Run a query; return its first rows as a table of Markdown."""

    def work(source: Source) -> _Result:
        source.check(sql)
        return _read(name, source.run(sql), limit)

    return _in_time(namespace, name, seconds, work).words(limit)


def show_query(name: str, sql: str, limit: int, seconds: float) -> None:
    """Run a query and display its result; the code of the tool `query` calls this."""
    from IPython.display import display

    shell = current_shell()
    namespace = {} if shell is None else shell.user_ns
    text = query_text(namespace, name, sql, limit, seconds)
    display({"text/markdown": text, "text/plain": text}, raw=True)  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class _Result:
    columns: tuple[str, ...]
    rows: list[list[str]]
    more: bool
    """Whether there are more rows than the limit."""
    left_out: int = 0
    """How many rows have no room."""

    def words(self, limit: int) -> str:
        shown = quantity(len(self.rows), "row")
        lines = [f"{shown}; there are more." if self.more else f"{shown}."]
        if self.left_out:
            lines = [
                f"{shown}. {quantity(self.left_out, 'more row')} within the limit of "
                f"{limit} had no room: ask for fewer columns or shorter values."
            ]
        named = self.columns[:_MAX_COLUMNS]
        if len(self.columns) > len(named):
            lines.append(f"{len(self.columns) - len(named)} more columns are not shown.")
        return "\n".join([*lines, "", rows_text([cell_text(name) for name in named], self.rows)])


def _read(name: str, found: Rows, limit: int) -> _Result:
    hidden = masks.which(found.columns, (name,))[:_MAX_COLUMNS]
    rows: list[list[str]] = []
    size = left_out = 0
    for count, row in enumerate(found.rows):
        if count == limit:
            return _Result(found.columns, rows, more=True, left_out=left_out)
        cells = [
            MASKED if masked else cell_text(value, _CELL_CHARS)
            for masked, value in zip(hidden, row, strict=False)
        ]
        size += sum(map(len, cells)) + 3 * len(cells)
        if size > _TEXT_CHARS:
            left_out += 1
        else:
            rows.append(cells)
    return _Result(found.columns, rows, more=False, left_out=left_out)


def _opened(namespace: Mapping[str, object], name: str) -> Source:
    if name not in namespace:
        raise QueryError(
            f"There is no variable {name[:100]!r} in the kernel. list_tables lists what there is."
        )
    value: Any = namespace[name]
    if library := connection_library(value):
        return _of_connection(name, value, library)
    if is_tabular(value):
        return TableSource(name, value)
    raise QueryError(
        f"{name} ({type_name(value)}) is neither a table nor a connection that can be queried. "
        "list_tables lists what there is."
    )


def _of_connection(name: str, value: object, library: str) -> Source:
    with plain_connection(value) as plain:
        if plain is None:
            raise QueryError(
                f"{name} is a connection of {library}, of which it can't be shown that a query "
                "only reads. Use run_code."
            )
        made = SqliteSource if connection_library(plain) == "SQLite" else DuckdbSource
        return made(name, plain)


def _in_time(
    namespace: Mapping[str, object], name: str, seconds: float, work: Callable[[Source], _T]
) -> _T:
    """Do work with a source of its own; errors say nothing that is masked."""
    try:
        source = _opened(namespace, name)
        result: _T = _Work(source, work).done(seconds)
    except DatabaseError as error:
        raise QueryError(covering(namespace)(str(error))) from None
    except QueryError:
        raise
    except FAILURES as error:
        words = covering(namespace)(str(error)[:500])
        raise QueryError(f"The query failed: {type(error).__name__}: {words}") from None
    return result


class _Work:
    """Work of another thread: this one can be interrupted, the library's call can't."""

    def __init__(self, source: Source, work: Callable[[Source], Any]) -> None:
        self._source = source
        self._work = work
        self._ended = threading.Event()
        self._result: Any = None
        self._error: BaseException | None = None

    def done(self, seconds: float) -> Any:
        """Do the work and close the source; raise `QueryError` if it takes too long."""
        thread = threading.Thread(target=self._run, name="acp-query", daemon=True)
        thread.start()
        try:
            in_time = self._ended.wait(seconds)
        finally:  # an interrupt, too
            self._stop()
        if not in_time:
            raise QueryError(
                f"The query took longer than {seconds:g} s and was stopped. Ask for less, or give "
                "it more time."
            )
        if self._error is not None:
            raise self._error
        return self._result

    def _run(self) -> None:
        try:
            self._result = self._work(self._source)
        except BaseException as error:  # noqa: BLE001 - the other thread raises it
            self._error = error
        finally:
            self._source.close()
            self._ended.set()

    def _stop(self) -> None:
        """Stop what still runs, again and again: it may be just about to begin."""
        end = time.monotonic() + _END_SECONDS
        while not self._ended.is_set() and time.monotonic() < end:
            with contextlib.suppress(*FAILURES):  # it may just have been closed
                self._source.stop()
            self._ended.wait(_AGAIN_SECONDS)
