"""Descriptions of database connections of the kernel: their tables and columns; no row is read.

The user's own connection is left as it is, and a catalogue that takes long is given up.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from acp_jupyter.kernel.masks import masks
from acp_jupyter.kernel.wrapped_connections import (
    NotRead,
    connection_library,
    inspected_columns,
    plain_connection,
)
from acp_jupyter.protocol.formatting import quantity, shorten

_MAX_COLUMNS = 2_000
_MAX_TABLES = 100
_COLUMNS_OF_A_TABLE = 30
_COLUMNS_OF_ONE_TABLE = 300
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


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The tables of a connection with their columns, as far as they were read."""

    library: str
    tables: dict[str, list[_Row]]
    more: bool = False
    """Whether there are more tables or columns."""

    def lines(self) -> list[str]:
        """Return a line about the connection, and one for each table."""
        shown = list(self.tables.items())[:_MAX_TABLES]
        lines = [f"{self.library} connection, {quantity(len(self.tables), 'table')}"]
        lines += [f"{_head(name, rows)}, {quantity(len(rows), 'column')}" for name, rows in shown]
        if self.more or len(shown) < len(self.tables):
            lines.append("… more tables and columns than are listed")
        return lines


def read_catalogue(value: object) -> Catalogue:
    """Return the tables of a connection.

    Raises
    ------
    NotRead
        They are not read, as that may take long.
    """
    with plain_connection(value) as plain:
        if plain is None:
            rows = [_row(*each) for each in inspected_columns(value, _MAX_COLUMNS + 1)]
        else:
            rows = _sqlite(plain) if connection_library(plain) == "SQLite" else _duckdb(plain)
    tables: dict[str, list[_Row]] = {}
    for row in rows[:_MAX_COLUMNS]:
        tables.setdefault(row[1], []).append(row)
    return Catalogue(connection_library(value), tables, more=len(rows) > _MAX_COLUMNS)


def describe_connection(value: object) -> str | None:
    """Return the tables of a connection with their columns; None for what is none."""
    library = connection_library(value)
    if not library:
        return None
    try:
        return _words(read_catalogue(value))
    except NotRead as error:
        return f"{library} connection. Its tables are not listed: {error}."


def describe_connections_table(value: object, table: str) -> str | None:
    """Return the columns of a connection's table; None if there is none of this name.

    Parameters
    ----------
    table
        Its name, with or without its database and schema.
    """
    wanted = _name(table).casefold()
    catalogue = read_catalogue(value)
    found = [
        f"{_head(name, rows)}:\n" + "\n".join(_column_lines(rows, _COLUMNS_OF_ONE_TABLE))
        for name, rows in catalogue.tables.items()
        if name.casefold() == wanted or name.casefold().endswith(f".{wanted}")
    ]
    return "\n\n".join([*found, _NO_ROWS]) if found else None


def _sqlite(connection: Any) -> list[_Row]:
    cursor = connection.cursor()
    cursor.row_factory = None
    with without_waiting(cursor):
        found = cursor.execute(_SQLITE, (_MAX_COLUMNS + 1,)).fetchall()
    return [_row(*each) for each in found]


@contextmanager
def without_waiting(cursor: Any) -> Iterator[None]:
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


def _words(catalogue: Catalogue) -> str:
    tables = catalogue.tables
    shown = list(tables.items())[:_MAX_TABLES]
    lines = [f"{catalogue.library} connection, {quantity(len(tables), 'table')}. {_NO_ROWS}"]
    for name, rows in shown:
        lines += ["", f"{_head(name, rows)}:", *_column_lines(rows, _COLUMNS_OF_A_TABLE)]
    if catalogue.more:
        lines += ["", "… more tables and columns than are listed"]
    elif len(tables) > len(shown):
        lines += ["", f"… {len(tables) - len(shown)} more tables"]
    return "\n".join(lines)


def _head(name: str, rows: Sequence[_Row]) -> str:
    kind, _, _, _, size = rows[0]
    about = f", about {quantity(size, 'row')}" if isinstance(size, int) else ""
    return f"{kind} {name}{about}"


def _column_lines(rows: Sequence[_Row], most: int) -> list[str]:
    table = rows[0][1]
    shown = [(column, typed or "any") for _, _, column, typed, _ in rows[:most]]
    masked = masks.which([column for column, _ in shown], (table, table.rpartition(".")[2]))
    lines = [
        f"- {column}: {typed}{', masked' if hidden else ''}"
        for (column, typed), hidden in zip(shown, masked, strict=True)
    ]
    if len(rows) > most:
        lines.append(f"- … {len(rows) - most} more columns")
    return lines


def _name(written: object) -> str:
    return shorten(" ".join(str(written)[:400].split()), _NAME_CHARS)
