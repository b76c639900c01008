"""What agents read of database connections: tables and columns, at once, and nothing changes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest

from acp_jupyter.kernel.variables import describe

_TABLES = (
    "CREATE TABLE sales (id INTEGER, email TEXT)",
    "CREATE VIEW emails AS SELECT email FROM sales",
    'CREATE TABLE """; drop table sales" (a INTEGER)',
    "INSERT INTO sales VALUES (1, 'ann-lee@example.org')",
)


def test_tables_of_sqlite_are_described_and_the_connection_stays_as_it_is() -> None:
    connection = sqlite3.connect(":memory:")
    for statement in _TABLES:
        connection.execute(statement)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA busy_timeout = 1234")
    reading = connection.execute("SELECT id FROM sales UNION ALL SELECT 2")
    text = describe("db", connection).text
    assert "SQLite connection, 3 tables. No rows were read." in text
    assert "table sales:\n- id: INTEGER\n- email: TEXT" in text
    assert "view emails:\n- email: TEXT" in text
    assert 'table "; drop table sales:' in text
    assert "ann-lee" not in text
    assert connection.in_transaction
    assert [row["id"] for row in reading] == [1, 2]
    assert connection.execute("PRAGMA busy_timeout").fetchone()[0] == 1234


def test_tables_of_duckdb_are_described_while_the_user_reads_a_result() -> None:
    connection = duckdb.connect()
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute("SELECT 42")
    text = describe("db", connection).text
    assert "DuckDB connection, 3 tables. No rows were read." in text
    assert "table memory.main.sales, about 1 row:\n- id: INTEGER\n- email: VARCHAR" in text
    assert "view memory.main.emails:" in text
    assert "ann-lee" not in text
    assert connection.fetchall() == [(42,)]


@pytest.mark.parametrize("library", [sqlite3, duckdb])
def test_a_closed_connection_is_said_to_be_one(library: object) -> None:
    connection = library.connect(":memory:")  # type: ignore[attr-defined]
    connection.close()
    assert "Describing it failed: " in describe("db", connection).text


def test_a_locked_database_is_not_waited_for(tmp_path: Path) -> None:
    locking = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    locking.execute(_TABLES[0])
    locking.execute("BEGIN EXCLUSIVE")
    connection = sqlite3.connect(tmp_path / "a.db", timeout=3600)
    assert "Describing it failed: OperationalError" in describe("db", connection).text
    locking.execute("ROLLBACK")
    assert "table sales:" in describe("db", connection).text
