"""Descriptions of database connections of the kernel: their tables and columns; no row is read.

The user's own connection is left as it is, and a catalogue that takes long is given up.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from acp_jupyter.kernel.values import is_from_library
from acp_jupyter.protocol.formatting import quantity, shorten

_MAX_COLUMNS = 2_000
_MAX_TABLES = 100
_COLUMNS_OF_A_TABLE = 30
_NAME_CHARS = 60
_SECONDS = 1.0
_NO_ROWS = "No rows were read."
_SQLITE = """
SELECT m.type, m.name, p.name, p.type
FROM sqlite_master AS m, pragma_table_info(m.name) AS p
WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
LIMIT ?
"""
_DUCKDB = """
SELECT t.kind, concat_ws('.', c.database_name, c.schema_name, c.table_name),
       c.column_name, c.data_type, t.size
FROM duckdb_columns() AS c JOIN (
    SELECT 'table' AS kind, table_oid AS id, database_oid AS base, estimated_size AS size
    FROM duckdb_tables() WHERE NOT internal
    UNION ALL SELECT 'view', view_oid, database_oid, NULL FROM duckdb_views() WHERE NOT internal
) AS t ON t.id = c.table_oid AND t.base = c.database_oid
WHERE NOT c.internal
ORDER BY 2, c.column_index
LIMIT ?
"""

_Row = tuple[str, str, str, str, int | None]
"""Kind and name of a table, name and type of a column, about how many rows the table has."""


def describe_connection(value: object) -> str | None:
    """Return the tables of a connection with their columns; None for what is none."""
    if is_from_library(value, "sqlite3", "Connection"):
        return _words("SQLite", _sqlite(value))
    if is_from_library(value, "duckdb", "DuckDBPyConnection"):
        return _words("DuckDB", _duckdb(value))
    return None


def _sqlite(connection: Any) -> list[_Row]:
    cursor = connection.cursor()
    cursor.row_factory = None
    with _without_waiting(cursor):
        found = cursor.execute(_SQLITE, (_MAX_COLUMNS + 1,)).fetchall()
    return [_row(*each) for each in found]


@contextmanager
def _without_waiting(cursor: Any) -> Iterator[None]:
    """Let a locked database fail at once: the connection may wait for any time."""
    (before,) = cursor.execute("PRAGMA busy_timeout").fetchone()
    cursor.execute("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        cursor.execute(f"PRAGMA busy_timeout = {int(before)}")


def _duckdb(connection: Any) -> list[_Row]:
    # A cursor is a connection of its own: the result that the user still reads stays.
    cursor = connection.cursor()
    stop = threading.Timer(_SECONDS, cursor.interrupt)
    stop.daemon = True
    stop.start()
    try:
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        found = cursor.execute(_DUCKDB, [_MAX_COLUMNS + 1]).fetchall()
    finally:
        stop.cancel()
        cursor.close()
    return [_row(*each) for each in found]


def _row(kind: object, of: object, name: object, typed: object, size: int | None = None) -> _Row:
    return str(kind), _name(of), _name(name), _name(typed), size


def _words(library: str, rows: Sequence[_Row]) -> str:
    tables: dict[str, list[_Row]] = {}
    for row in rows[:_MAX_COLUMNS]:
        tables.setdefault(row[1], []).append(row)
    shown = list(tables.items())[:_MAX_TABLES]
    lines = [f"{library} connection, {quantity(len(tables), 'table')}. {_NO_ROWS}"]
    for name, columns in shown:
        kind, _, _, _, size = columns[0]
        about = f", about {quantity(size, 'row')}" if isinstance(size, int) else ""
        lines += ["", f"{kind} {name}{about}:"]
        lines += [f"- {column}: {typed or 'any'}" for _, _, column, typed, _ in columns][
            :_COLUMNS_OF_A_TABLE
        ]
        if len(columns) > _COLUMNS_OF_A_TABLE:
            lines.append(f"- … {len(columns) - _COLUMNS_OF_A_TABLE} more columns")
    if len(rows) > _MAX_COLUMNS:
        lines += ["", "… more tables and columns than are listed"]
    elif len(tables) > len(shown):
        lines += ["", f"… {len(tables) - len(shown)} more tables"]
    return "\n".join(lines)


def _name(written: object) -> str:
    return shorten(" ".join(str(written)[:400].split()), _NAME_CHARS)
