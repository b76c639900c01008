"""What agents read of connections that SQLAlchemy or ibis wraps; their users' transactions stay."""

from __future__ import annotations

import sqlite3
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import sqlalchemy
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.pool import NullPool, QueuePool, SingletonThreadPool, StaticPool

from acp_jupyter.kernel import wrapped_connections
from acp_jupyter.kernel.queries.run_query import query_text
from acp_jupyter.kernel.queries.source import QueryError
from acp_jupyter.kernel.table_tools import list_tables
from acp_jupyter.kernel.variables import describe
from tests.support.wait import FOREVER_SECONDS

_TABLE = sqlalchemy.text("CREATE TABLE sales (id INTEGER, email TEXT)")
_ROW = sqlalchemy.text("INSERT INTO sales VALUES (1, 'ann-lee')")
_COUNT = sqlalchemy.text("SELECT count(*) FROM sales")


class FarDialect(SQLiteDialect_pysqlite):
    """A database that may be far away, as far as its name says."""

    name = "far"
    supports_statement_cache = True


registry.register("far", __name__, "FarDialect")


def _asked(value: object, sql: str = "SELECT id FROM sales") -> str:
    return query_text({"db": value}, "db", sql, 50, FOREVER_SECONDS)


@pytest.fixture(params=[SingletonThreadPool, StaticPool, QueuePool, NullPool])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sqlalchemy.Engine]:
    in_memory = request.param in {SingletonThreadPool, StaticPool}
    url = "sqlite://" if in_memory else f"sqlite:///{tmp_path / 'a.db'}"
    made = sqlalchemy.create_engine(url, poolclass=request.param)
    with made.begin() as connection:
        connection.execute(_TABLE)
        connection.execute(_ROW)
    yield made
    made.dispose()


def test_an_engine_of_sqlite_is_described_and_queried(engine: sqlalchemy.Engine) -> None:
    text = describe("db", engine).text
    assert "SQLAlchemy (sqlite) connection, 1 table. No rows were read." in text
    assert "table sales:\n- id: INTEGER\n- email: TEXT" in text
    assert "ann-lee" not in text
    assert "| 1 |" in _asked(engine)
    with pytest.raises(QueryError, match="Only one SELECT"):
        _asked(engine, "DELETE FROM sales")


def test_an_open_transaction_stays_open(engine: sqlalchemy.Engine) -> None:
    with engine.connect() as connection:
        transaction = connection.begin()
        connection.execute(_ROW)
        assert "table sales" in describe("db", engine).text
        assert "| 1 |" in _asked(engine)
        assert "| 1 |" in _asked(connection)
        assert connection.in_transaction()
        assert connection.execute(_COUNT).scalar() == 2
        transaction.rollback()
        assert connection.execute(_COUNT).scalar() == 1
    listed = list_tables({"db": connection}).text
    assert listed == (
        "db: SQLAlchemy (sqlite) connection, its tables can't be read: This Connection is closed"
    )


@pytest.fixture
def far(tmp_path: Path) -> Iterator[sqlalchemy.Engine]:
    made = sqlalchemy.create_engine(f"far:///{tmp_path / 'a.db'}", poolclass=QueuePool)
    yield made
    made.dispose()


def test_another_database_is_described_once_it_is_open_and_never_queried(
    far: sqlalchemy.Engine,
) -> None:
    assert "SQLAlchemy (far) connection. Its tables are not listed: no" in describe("db", far).text
    with far.begin() as connection:
        connection.execute(_TABLE)
        assert "no connection of it is open" in list_tables({"db": far}).text
    assert "table sales:\n- id: INTEGER" in describe("db", far).text
    assert "table sales, 2 columns" in list_tables({"db": far}).text
    with pytest.raises(QueryError, match=r"SQLAlchemy \(far\), of which it can't be shown"):
        _asked(far)


def test_a_catalogue_that_takes_long_is_given_up(
    far: sqlalchemy.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with far.begin() as connection:
        connection.execute(_TABLE)
    go_on = threading.Event()

    def slow(*_: object, **__: object) -> list[str]:
        go_on.wait(FOREVER_SECONDS)
        return []

    monkeypatch.setattr(FarDialect, "get_table_names", slow)
    monkeypatch.setattr(wrapped_connections, "_SECONDS", 0.05)
    assert "it took longer than 0.05 s" in describe("db", far).text
    go_on.set()


def test_a_backend_of_ibis_is_what_it_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    """ibis itself is large; it has these names."""

    class BaseBackend:
        def __init__(self, name: str, con: object) -> None:
            self.name, self.con = name, con

    module: Any = ModuleType("ibis.backends")
    module.BaseBackend = BaseBackend
    monkeypatch.setitem(sys.modules, "ibis.backends", module)
    plain = sqlite3.connect(":memory:")
    plain.execute("CREATE TABLE sales AS SELECT 1 AS id")
    assert "ibis (sqlite) connection, 1 table" in describe("db", BaseBackend("sqlite", plain)).text
    assert "| 1 |" in _asked(BaseBackend("sqlite", plain))
    other = BaseBackend("postgres", object())
    assert "Its tables are not listed: they are not read here." in describe("db", other).text
    with pytest.raises(QueryError, match=r"ibis \(postgres\)"):
        _asked(other)
