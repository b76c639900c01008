"""Connections that a library wraps: SQLAlchemy's engines and connections, ibis's backends.

What is SQLite or DuckDB within is treated as these are. Of another database SQLAlchemy says the
tables, over a connection that is open already; nothing is opened that may be far away.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from acp_jupyter.kernel.values import FAILURES, is_from_library

_T = TypeVar("_T")
_SECONDS = 2.0
_MAX_TABLES = 100
_NOT_OPEN = (
    "no connection of it is open, and none is opened here. Use it once (engine.connect()), then "
    "ask again"
)

Column = tuple[str, str, str, str]
"""Kind and name of a table, name and type of a column."""


class NotRead(Exception):
    """The tables of a connection are not read; the message says why."""


def connection_library(value: object) -> str:
    """Return the name of a connection's library; empty for what is no connection."""
    if is_from_library(value, "sqlite3", "Connection"):
        return "SQLite"
    if is_from_library(value, "duckdb", "DuckDBPyConnection"):
        return "DuckDB"
    if _is_sqlalchemys(value):
        return f"SQLAlchemy ({_text_of(value, 'dialect', 'name')})"
    if is_from_library(value, "ibis.backends", "BaseBackend"):
        return f"ibis ({_text_of(value, 'name')})"
    return ""


@contextmanager
def plain_connection(value: Any) -> Iterator[Any]:
    """Give the connection of SQLite or DuckDB that a value is or wraps; None if there is none."""
    if is_from_library(value, "ibis.backends", "BaseBackend"):
        yield _plain(getattr(value, "con", None))
    elif is_from_library(value, "sqlalchemy.engine", "Connection"):
        yield _plain(value.connection.driver_connection)
    elif is_from_library(value, "sqlalchemy.engine", "Engine"):
        with _of_engine(value) as found:
            yield found
    else:
        yield _plain(value)


@contextmanager
def _of_engine(engine: Any) -> Iterator[Any]:
    if engine.dialect.name != "sqlite":
        yield None
    elif is_from_library(engine.pool, "sqlalchemy.pool", "StaticPool"):
        # It lends everybody the same connection; giving that back would end their transaction.
        yield _plain(engine.pool.connection.driver_connection)
    else:
        lent = engine.raw_connection()
        try:
            yield _plain(lent.driver_connection)
        finally:
            lent.close()


def inspected_columns(value: Any, most: int) -> list[Column]:
    """Return the columns of the tables of another database, as SQLAlchemy says them.

    Raises
    ------
    NotRead
        No connection is open, or it takes too long.
    """
    if not _is_sqlalchemys(value):
        raise NotRead("they are not read here. Use run_code")
    engine = value.engine
    checked_in = getattr(engine.pool, "checkedin", None)
    if checked_in is None or not checked_in():
        raise NotRead(_NOT_OPEN)
    return _in_time(lambda: _inspected(engine, most))


def _inspected(engine: Any, most: int) -> list[Column]:
    inspector = importlib.import_module("sqlalchemy").inspect(engine)
    found: list[Column] = []
    names = [("table", name) for name in inspector.get_table_names()]
    names += [("view", name) for name in inspector.get_view_names()]
    for kind, name in names[:_MAX_TABLES]:
        for column in inspector.get_columns(name):
            found.append((kind, str(name), str(column["name"]), str(column["type"])))
            if len(found) >= most:
                return found
    return found


def _in_time(work: Callable[[], _T]) -> _T:
    """Do work in a thread; one that takes too long goes on with its own connection."""
    done: list[_T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - the other thread raises it
            failed.append(error)

    thread = threading.Thread(target=run, name="acp-tables", daemon=True)
    thread.start()
    thread.join(_SECONDS)
    if failed:
        raise NotRead(f"{type(failed[0]).__name__}: {str(failed[0])[:300]}")
    if not done:
        raise NotRead(f"it took longer than {_SECONDS:g} s")
    return done[0]


def _is_sqlalchemys(value: object) -> bool:
    return is_from_library(value, "sqlalchemy.engine", "Engine") or is_from_library(
        value, "sqlalchemy.engine", "Connection"
    )


def _plain(found: Any) -> Any:
    return found if connection_library(found) in {"SQLite", "DuckDB"} else None


def _text_of(value: Any, *names: str) -> str:
    try:
        for name in names:
            value = getattr(value, name)
        return str(value)[:40]
    except FAILURES:
        return "?"
