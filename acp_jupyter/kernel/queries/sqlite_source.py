"""Queries of SQLite: on a connection of its own that can't write, to the file or to a copy.

SQLite itself says which columns a statement reads, also through views and expressions.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from acp_jupyter.kernel.connections import without_waiting
from acp_jupyter.kernel.masks import masks
from acp_jupyter.kernel.queries.source import CLOSED, DatabaseError, QueryError, Rows, masked_words

_LOCKED_SECONDS = 1.0
_COPIED_BYTES = 256 * 1024 * 1024
"""Largest database in memory: a query of it runs on a copy."""
_VALUE_BYTES = 16 * 1024 * 1024
_HARMLESS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_SCHEMAS = {"sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"}
_ONLY_READS = "Only one SELECT is run here: no PRAGMA, no ATTACH, nothing that changes something."
_UNNAMED_JOINS = ("natural", "using")
_LOCKED = "The database is locked: something else writes it. Try again once that ends."
_COLUMNS = """
SELECT m.name, p.name, p.hidden FROM {base}.sqlite_master AS m,
pragma_table_xinfo(m.name, ?) AS p WHERE m.type = 'table'
"""
_VIRTUAL = "SELECT name FROM {base}.sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'"


class SqliteSource:
    """A connection to the database of a connection of the user's.

    Parameters
    ----------
    name
        The variable that has the connection.
    """

    def __init__(self, name: str, users: Any) -> None:
        self._name = name
        self._hidden: list[str] = []
        self._selects = False
        self._masked: dict[tuple[str, str], bool] = {}
        self._virtual: set[str] = set()
        self._generated: set[tuple[str, str]] = set()
        self._columns: dict[str, list[str]] = {}
        with _clear_errors():
            self._connection = _opened(users)
            self._connection.text_factory = _text
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_BYTES)
            if masks.active:
                self._read_schema()
        self._connection.set_authorizer(self._authorise)

    def check(self, sql: str) -> None:
        """Raise `QueryError` unless the query is one that reads, and no masked column."""
        self._hidden, self._selects = [], False
        # SQLite doesn't say which columns these compare.
        if masks.active and any(each in sql.casefold() for each in _UNNAMED_JOINS):
            raise QueryError("NATURAL and USING can't be checked for masked columns. Write ON.")
        try:
            with _clear_errors():
                self._connection.execute(f"EXPLAIN {sql}").close()
        except QueryError as error:
            if self._hidden:
                raise QueryError(masked_words(self._hidden)) from None
            if "authoriz" in str(error):
                raise QueryError(_ONLY_READS) from None
            raise
        if not self._selects:
            raise QueryError(_ONLY_READS)

    def run(self, sql: str) -> Rows:
        """Begin a query that was checked."""
        with _clear_errors():
            cursor = self._connection.execute(sql)
        columns = tuple(str(each[0]) for each in cursor.description or ())
        return Rows(columns, _rows(cursor))

    def stop(self) -> None:
        """End the query that runs."""
        self._connection.interrupt()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _authorise(
        self,
        action: int,
        table: str | None,
        column: str | None,
        _base: str | None,
        _view: str | None,
    ) -> int:
        if action == sqlite3.SQLITE_SELECT:
            self._selects = True
        if action in _HARMLESS:
            return sqlite3.SQLITE_DENY if column == "load_extension" else sqlite3.SQLITE_OK
        if action != sqlite3.SQLITE_READ:
            return sqlite3.SQLITE_DENY
        if masks.active and self._is_masked(table or "", column or ""):
            self._hidden.append(f"{table}.{column}")
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    def _is_masked(self, table: str, column: str) -> bool:
        found = self._masked.get((table, column))
        if found is None:
            found = self._masked[table, column] = self._looks_masked(table, column)
        return found

    def _looks_masked(self, table: str, column: str) -> bool:
        key = table.casefold()
        if key in _SCHEMAS:
            return False
        if key.startswith("sqlite_"):  # statistics hold values
            return True
        # A full-text index has the texts of its columns in tables and columns of other names.
        if any(key == each or key.startswith(f"{each}_") for each in self._virtual):
            return True
        names = (table, self._name)
        if masks.is_masked(column, names):
            return True
        generated = (key, column.casefold()) in self._generated
        return generated and any(masks.which(self._columns.get(key, ()), names))

    def _read_schema(self) -> None:
        for _, base, _ in self._connection.execute("PRAGMA database_list").fetchall():
            quoted = _quoted(base)
            self._virtual.update(
                str(name).casefold()
                for (name,) in self._connection.execute(_VIRTUAL.format(base=quoted))
            )
            listing = _COLUMNS.format(base=quoted)
            for table, column, hidden in self._connection.execute(listing, (base,)):
                key = str(table).casefold()
                self._columns.setdefault(key, []).append(str(column))
                if hidden:
                    self._generated.add((key, str(column).casefold()))


def _opened(users: Any) -> sqlite3.Connection:
    """Open the files of a connection read-only, or a copy of what it has in memory."""
    cursor = users.cursor()
    cursor.row_factory = None
    with without_waiting(cursor):
        bases = cursor.execute("PRAGMA database_list").fetchall()
        files = {str(base): str(file) for _, base, file in bases if file}
        if "main" not in files:
            return _copied(users, cursor)
    main = _opened_file(files.pop("main"))
    for base, file in files.items():
        main.execute(f"ATTACH ? AS {_quoted(base)}", (_address(file),))
    return main


def _opened_file(file: str) -> sqlite3.Connection:
    return sqlite3.connect(
        _address(file), uri=True, timeout=_LOCKED_SECONDS, check_same_thread=False
    )


def _address(file: str) -> str:
    return f"{Path(file).as_uri()}?mode=ro"


def _copied(users: Any, cursor: Any) -> sqlite3.Connection:
    (pages,) = cursor.execute("PRAGMA main.page_count").fetchone()
    (page_bytes,) = cursor.execute("PRAGMA main.page_size").fetchone()
    if pages * page_bytes > _COPIED_BYTES:
        raise QueryError(
            "This database in memory is larger than 256 MB, so no copy is made of it to query "
            "safely. Use run_code."
        )
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    if pages:
        copy.deserialize(users.serialize(name="main"))
    return copy


def _rows(cursor: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
    with _clear_errors():
        yield from cursor


@contextmanager
def _clear_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        words = str(error)[:1000]
        if "locked" in words:
            raise QueryError(_LOCKED) from None
        if "closed database" in words:
            raise QueryError(CLOSED) from None
        raise DatabaseError(words) from None
    except sqlite3.Warning as error:  # more than one statement, in older versions of Python
        raise QueryError(str(error)[:1000]) from None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
