"""Queries of DuckDB: on a connection of its own, in a transaction that can't write."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from acp_jupyter.kernel.masks import masks
from acp_jupyter.kernel.queries.duckdb_select import Select, read_select
from acp_jupyter.kernel.queries.source import CLOSED, DatabaseError, QueryError, Rows, masked_words

PRIVATE = {
    "enable_external_access": "false",
    "lock_configuration": "true",
    "memory_limit": "1GB",
    "temp_directory": "",
}
"""Settings of a database that reaches no file and no network, and spills to no folder."""
_FUNCTIONS = """
SELECT lower(function_name), CAST(parameter_types AS VARCHAR), function_type,
       coalesce(has_side_effects, false)
FROM duckdb_functions() WHERE list_contains(?, lower(function_name))
"""
_HARMLESS = {"random", "uuid", "uuidv4", "uuidv7", "gen_random_uuid", "current_query", "error"}
"""Functions that DuckDB lists as having effects because each call gives another value."""
_REFUSED = {"current_setting", "getenv", "getvariable", "json_serialize_plan"}
"""Functions that read settings, which may be passwords, or another query in a text."""
_COLUMNS = "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal"
_TABLES = "SELECT table_name, sql FROM duckdb_tables() WHERE NOT internal"
_VIEWS = "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal"
_KNOWN = """
SELECT table_name, '' FROM duckdb_tables() UNION ALL SELECT view_name, '' FROM duckdb_views()
"""


class DuckdbSource:
    """A connection to the database of a connection of the user's.

    Parameters
    ----------
    name
        The variable that has the connection.
    """

    def __init__(self, name: str, users: Any) -> None:
        self._name = name
        with clear_errors():
            self._cursor = self._own_connection(users)
            self._cursor.execute("BEGIN TRANSACTION READ ONLY")

    def check(self, sql: str) -> None:
        """Raise `QueryError` unless the query is one that reads, and no masked column."""
        with clear_errors():
            select = read_select(self._cursor, sql)
            self._check_functions(select)
            self._check_tables(select)
            # To bind a view may read a file; that is done once the query may run.
            if not self._views(select, {}):
                self._cursor.execute(f"EXPLAIN {sql}").fetchall()

    def run(self, sql: str) -> Rows:
        """Begin a query that was checked."""
        with clear_errors():
            self._cursor.execute(sql)
            columns = tuple(str(each[0]) for each in self._cursor.description or ())
        return Rows(columns, self._rows())

    def stop(self) -> None:
        """End the query that runs."""
        self._cursor.interrupt()

    def close(self) -> None:
        """Close the connection, and with it the transaction."""
        self._cursor.close()

    def _own_connection(self, users: Any) -> Any:
        # A cursor is a connection of its own: what the user reads and has begun stays.
        return users.cursor()

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        with clear_errors():
            while (row := self._cursor.fetchone()) is not None:
                yield row

    def _check_functions(self, select: Select) -> None:
        names = sorted(select.functions)
        own = set(_own().cursor().execute(_FUNCTIONS, [names]).fetchall())
        here = set(self._cursor.execute(_FUNCTIONS, [names]).fetchall())
        strange = {*names} - {row[0] for row in own} | {row[0] for row in here - own}
        if strange:
            raise QueryError(
                f"{sorted(strange)[0]}() is not one of DuckDB's own functions, so what it does is "
                "not known. Use run_code."
            )
        acts = ({row[0] for row in own if row[3]} - _HARMLESS) | (_REFUSED & select.functions)
        if acts:
            raise QueryError(f"{sorted(acts)[0]}() does more than read tables. Leave it out.")

    def _check_tables(self, select: Select) -> None:
        """Refuse masked columns, and what is read by its name alone: files, variables of Python."""
        self._require_tables(select)
        if not masks.active:
            return
        views: dict[str, str] = {}
        while new := self._views(select, views):
            views.update(new)
            for made in new.values():
                select.add(read_select(self._cursor, made.partition(" AS ")[2]))
            self._require_tables(select)
        self._check_masks(select)

    def _views(self, select: Select, known: Mapping[str, str]) -> dict[str, str]:
        """Return the definitions of the views that a query names."""
        return dict(self._named(_VIEWS, select.tables - {*known}))

    def _named(self, listing: str, names: Collection[str]) -> list[tuple[str, str]]:
        """Return the rows of a listing whose first column is one of the names, without case.

        DuckDB's own ``lower`` differs from ours for some letters.
        """
        rows = self._cursor.execute(listing).fetchall()
        keys = ((str(name).casefold(), str(more)) for name, more in rows)
        return [(key, more) for key, more in keys if key in names]

    def _require_tables(self, select: Select) -> None:
        strange = sorted(name for name in select.with_names if not name.isidentifier())
        if strange:  # a file of that name may be meant elsewhere
            raise QueryError(f"Give {strange[0][:200]!r} in WITH a name of letters and digits.")
        wanted = sorted(select.tables - select.with_names)
        known = {name for name, _ in self._named(_KNOWN, wanted)}
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise QueryError(
                f"There is no table {unknown[0][:200]!r} in {self._name}; files are not read here. "
                "describe_table lists the tables."
            )

    def _check_masks(self, select: Select) -> None:
        hidden = {
            (table, column.casefold())
            for table, column in self._named(_COLUMNS, select.tables)
            if masks.is_masked(column, (table, self._name))
        }
        if not hidden:
            return
        words = masked_words([f"{table}.{column}" for table, column in hidden])
        if {column for _, column in hidden} & select.columns:
            raise QueryError(words)
        if select.unnamed:
            raise QueryError(f"{words} {select.unnamed} takes columns without their names.")
        if select.last_parts & (select.tables | select.aliases):
            raise QueryError(f"{words} A table's name takes all its columns.")
        of_hidden = {table for table, _ in hidden}
        if any("generated" in made.casefold() for _, made in self._named(_TABLES, of_hidden)):
            raise QueryError(f"{words} The table computes columns from others.")


@cache
def _own() -> Any:
    """Return a database that has DuckDB's own functions and nothing else."""
    return importlib.import_module("duckdb").connect(config=PRIVATE)


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turn errors of DuckDB into a `QueryError`."""
    duckdb = importlib.import_module("duckdb")
    try:
        yield
    except duckdb.ConnectionException:
        raise QueryError(CLOSED) from None
    except duckdb.Error as error:
        raise DatabaseError(str(error)[:2000]) from None
