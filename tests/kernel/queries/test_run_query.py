"""Queries of agents on real databases: they read, in bounds, and nothing that is masked."""

from __future__ import annotations

import importlib.util
import os
import signal
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas  # type: ignore[import-untyped]
import pytest

from acp_jupyter.kernel.masks import masks
from acp_jupyter.kernel.queries import sqlite_source
from acp_jupyter.kernel.queries.run_query import check_query, query_text
from acp_jupyter.kernel.queries.source import QueryError
from acp_jupyter.kernel.table_tools import describe_for_tool, list_tables, query_refusal
from tests.support.wait import FOREVER_SECONDS

_MADE = (
    "CREATE TABLE sales (id INTEGER, email TEXT, amount DOUBLE)",
    "INSERT INTO sales VALUES (1, 'ann-lee', 2.5), (2, 'bob', NULL)",
    "CREATE VIEW renamed AS SELECT email AS e, id FROM sales",
    "CREATE VIEW ids AS SELECT id FROM sales",
    "CREATE TABLE computed (email TEXT, x TEXT GENERATED ALWAYS AS (lower(email)))",
    "CREATE TABLE alone (email TEXT)",
    'CREATE TABLE """; drop table sales" (a INTEGER)',
)
_ENDLESS = {
    "SQLite": "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT max(n) FROM r",
    "DuckDB": "SELECT count(*) FROM range(1000000000000000) AS a WHERE a.range % 7 = 3",
}


_KINDS = ("SQLite", "SQLite in a file", "DuckDB")


def _connected(kind: str, folder: Path) -> Any:
    made: Any
    if kind == "DuckDB":
        made = duckdb.connect()
        made.create_function("own_code", abs, ["INTEGER"], "INTEGER")
        made.execute("CREATE SEQUENCE numbers")
    else:
        made = sqlite3.connect(":memory:" if kind == "SQLite" else folder / "a.db")
    for statement in _MADE:
        made.execute(statement)
    if kind == "DuckDB":
        made.execute("CREATE MACRO every() AS TABLE SELECT email AS z FROM sales")
    elif kind == "SQLite in a file":
        made.commit()
    return made


@pytest.fixture(scope="module", params=_KINDS[1:])
def connection(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """A connection of which queries change nothing."""
    made = _connected(request.param, tmp_path_factory.mktemp("database"))
    yield made
    made.close()


@pytest.fixture(params=_KINDS)
def own(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """A connection that the test changes."""
    return _connected(request.param, tmp_path)


@pytest.fixture
def masked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mask the columns ``email``."""
    monkeypatch.setattr(masks, "_names", {"email"})


def _library(connection: object) -> str:
    return "SQLite" if isinstance(connection, sqlite3.Connection) else "DuckDB"


def _asked(value: object, sql: str, limit: int = 50, seconds: float = FOREVER_SECONDS) -> str:
    return query_text({"db": value}, "db", sql, limit, seconds)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT id, amount FROM sales ORDER BY 1 DESC;", ["| 2 | None |", "| 1 | 2.5 |"]),
        ("WITH w AS (SELECT id FROM sales) SELECT max(id) AS most FROM w -- all", ["| 2 |"]),
        ("SELECT e FROM renamed WHERE id = 1", ["| ann-lee |"]),
        ("SELECT count(*) FROM sales AS a JOIN sales AS b USING (email)", ["| 2 |"]),
        ('SELECT * FROM """; drop table sales"', []),
        ("VALUES (1)", ["| 1 |"]),
    ],
)
def test_a_query_gives_a_table_of_markdown(connection: Any, sql: str, rows: list[str]) -> None:
    text = _asked(connection, sql)
    assert text.splitlines()[4:] == rows
    assert text.startswith(f"{len(rows)} row{'' if len(rows) == 1 else 's'}.")
    assert len(connection.execute("SELECT * FROM sales").fetchall()) == 2


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "DROP TABLE sales",
        "DELETE FROM sales",
        "INSERT INTO sales VALUES (3, '', 0) RETURNING id",
        "WITH gone AS (DELETE FROM sales RETURNING *) SELECT * FROM gone",
        "UPDATE sales SET id = 0",
        "SELECT 1; DROP TABLE sales",
        "SELECT 1) ; DROP TABLE sales; SELECT (1",
        "CREATE TEMP TABLE t (a INTEGER)",
        "BEGIN",
        "PRAGMA query_only = 0",
        "ATTACH '{folder}/made.db' AS b",
        "VACUUM",
        "VACUUM INTO '{folder}/made.db'",
        "REINDEX",
        "EXPLAIN SELECT 1",
        "COPY sales TO '{folder}/made.csv'",
        "EXPORT DATABASE '{folder}'",
        "INSTALL httpfs",
        "SET threads = 1",
        "CALL pragma_version()",
        "SELECT nextval('numbers')",
        "SELECT own_code(id) FROM sales",
        "SELECT * FROM every()",
        "SELECT * FROM checkpoint()",
        "SELECT * FROM query('DROP TABLE sales')",
        "SELECT * FROM read_text('{folder}/there.csv')",
        "SELECT * FROM '{folder}/there.csv'",
        'WITH "{folder}/there.csv" AS (SELECT 1) SELECT * FROM "{folder}/there.csv"',
        "SELECT readfile('{folder}/there.csv')",
        "SELECT load_extension('x')",
        "SELECT current_setting('s3_secret_access_key')",
        "SELECT getenv('HOME')",
        "SELECT * FROM connection",
        "SELECT nothing FROM sales",
        "SELECT * FROM nowhere",
    ],
)
def test_what_does_not_only_read_tables_is_refused_before_it_runs(
    connection: Any, sql: str, tmp_path: Path
) -> None:
    (tmp_path / "there.csv").write_text("a,b\n1,hush\n")
    sql = sql.replace("{folder}", str(tmp_path))
    if "WITH" in sql and _library(connection) == "SQLite" and "DELETE" not in sql:
        return  # there it is no file
    files = sorted(tmp_path.iterdir())
    with pytest.raises(QueryError):
        check_query({"db": connection}, "db", sql)
    with pytest.raises(QueryError) as refused:
        _asked(connection, sql)
    assert "hush" not in str(refused.value)
    assert [tuple(row) for row in connection.execute("SELECT id FROM sales").fetchall()] == [
        (1,),
        (2,),
    ]
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.usefixtures("masked")
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM sales",
        "SELECT email FROM sales",
        'SELECT lower("EMAIL") AS x FROM main.sales',
        "SELECT id FROM sales WHERE email LIKE 'a%'",
        "SELECT id FROM sales ORDER BY email",
        "SELECT max(id) FROM sales GROUP BY email",
        "SELECT count(DISTINCT email) FROM sales",
        "SELECT (SELECT max(s.email) FROM sales AS s)",
        "WITH w(a) AS (SELECT email FROM sales) SELECT a FROM w",
        "SELECT a.x FROM (SELECT email AS x FROM sales) AS a",
        "SELECT id FROM sales UNION SELECT email FROM sales",
        "SELECT e FROM renamed",
        "SELECT * FROM renamed",
        "SELECT x FROM computed",
        "SELECT 'ann-lee' IN alone",
        "SELECT count(*) FROM sales JOIN (SELECT 'ann-lee' AS email) AS t USING (email)",
        "SELECT count(*) FROM sales NATURAL JOIN (SELECT 'ann-lee' AS email) AS t",
        "SELECT sum(id) OVER (PARTITION BY email) FROM sales",
        "SELECT sales FROM sales",
        "SELECT s FROM sales AS s",
        "SELECT s::VARCHAR FROM sales AS s",
        "SELECT b FROM sales AS t(a, b)",
        "SELECT #2 FROM sales",
        "SELECT COLUMNS('.*') FROM sales",
        "SELECT * EXCLUDE (id) FROM sales",
        "SELECT unnest(sales) FROM sales",
        "FROM sales",
        "SUMMARIZE sales",
        "SELECT * FROM query_table('sales')",
        "SELECT * FROM query('SELECT email AS x FROM sales')",
        "SELECT * FROM every()",
        "SELECT json_serialize_plan('SELECT min(email) FROM sales')",
        "PIVOT sales ON email USING count(*)",
    ],
)
def test_no_query_reads_a_masked_column(connection: Any, sql: str) -> None:
    refusal = query_refusal({"db": connection}, "db", sql)
    assert refusal.found
    with pytest.raises(QueryError) as refused:
        _asked(connection, sql)
    if "ann-lee" not in sql:
        assert "ann-lee" not in f"{refusal.text} {refused.value}"


def test_a_view_of_a_file_is_not_read_before_the_query_may_run(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("a,b\n1,2\n")
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW rows AS SELECT * FROM '{file}'")
    assert "| 1 | 2 |" in _asked(connection, "SELECT * FROM rows")
    file.unlink()
    check_query({"db": connection}, "db", "SELECT * FROM rows")
    with pytest.raises(QueryError, match="No files found"):
        _asked(connection, "SELECT * FROM rows")


@pytest.mark.usefixtures("masked")
def test_names_are_compared_as_the_database_compares_them() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE Straße AS SELECT 'ann-lee' AS EMail, 1 AS id")
    for sql in (
        "SELECT * FROM Straße",
        'SELECT * FROM straße WHERE 1 IN (WITH "straße" AS (SELECT 1) FROM "straße")',
        "SELECT * FROM STRAßE WHERE 1 IN (WITH strasse AS (SELECT 1) FROM strasse)",
    ):
        with pytest.raises(QueryError, match="masked"):
            _asked(connection, sql)
    assert "| 1 |" in _asked(connection, "SELECT id FROM STRAßE")


@pytest.mark.usefixtures("masked")
def test_a_view_that_reads_by_a_macro_is_refused_where_something_is_masked() -> None:
    connection = _connected("DuckDB", Path())
    connection.execute("CREATE VIEW by_macro AS SELECT z FROM every()")
    with pytest.raises(QueryError, match="may read files or values that are masked"):
        _asked(connection, "SELECT z FROM by_macro")


@pytest.mark.usefixtures("masked")
def test_a_description_says_which_columns_are_masked(connection: Any) -> None:
    text = describe_for_tool({"db": connection}, "db", "sales").text
    kind = "TEXT" if _library(connection) == "SQLite" else "VARCHAR"
    assert f"- email: {kind}, masked\n- amount: DOUBLE" in text


@pytest.mark.usefixtures("masked")
def test_the_other_columns_can_be_queried(connection: Any) -> None:
    assert "| 2 | None |" in _asked(connection, "SELECT id, amount FROM sales")
    assert "| 2 |" in _asked(connection, "SELECT count(*) FROM sales")
    assert "| 1 |" in _asked(connection, "SELECT id FROM ids")
    # A result's column of that name is hidden, wherever its values come from.
    assert "| [masked] |" in _asked(connection, "SELECT id AS email FROM sales")


@pytest.mark.usefixtures("masked")
def test_texts_in_an_index_of_sqlite_are_masked_too() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE notes USING fts5(email, body)")
    connection.execute("INSERT INTO notes VALUES ('ann-lee', 'x')")
    for sql in ("SELECT body FROM notes", "SELECT c0 FROM notes_content"):
        with pytest.raises(QueryError, match="masked"):
            _asked(connection, sql)


def test_a_dataframe_is_a_table_of_its_name(masked: None) -> None:
    frame = pandas.DataFrame({"city": ["a", "b", "a"], "email": ["ann-lee"] * 3, 7: [1, 2, 3]})
    names = {"df": frame, "other": frame}

    def asked(sql: str) -> str:
        return query_text(names, "df", sql, 50, FOREVER_SECONDS)

    assert "| a | 4 |" in asked('SELECT city, sum("7") FROM df GROUP BY city')
    assert "ann-lee" not in asked("SELECT * FROM df")
    for sql in ("SELECT email FROM df", "SELECT * FROM other", "SELECT * FROM '/etc/passwd'"):
        with pytest.raises(QueryError):
            asked(sql)
    with pytest.raises(QueryError, match="Only one SELECT"):
        asked("COPY df TO 'df.csv'")


def test_tables_of_which_nothing_may_leave_and_other_values_are_refused(masked: None) -> None:
    hidden = pandas.DataFrame({"email": ["ann-lee"]})
    wide = pandas.DataFrame([[1, 2]], columns=["a", "a"])
    relation = duckdb.sql("SELECT 1 AS a")
    names = {"hidden": hidden, "wide": wide, "relation": relation, "number": 3}
    for name, words in [
        ("hidden", "no column that may be read"),
        ("wide", "several columns 'a'"),
        ("relation", "is lazy"),
        ("number", "neither a table nor a connection"),
        ("missing", "There is no variable 'missing'"),
    ]:
        with pytest.raises(QueryError, match=words):
            check_query(names, name, "SELECT 1")


def test_rows_columns_and_values_are_bounded(connection: Any) -> None:
    assert _asked(connection, "SELECT id FROM sales", limit=1).startswith("1 row; there are more.")
    numbers = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1000)"
    long = _asked(connection, f"{numbers} SELECT n, printf('%0100d', n) FROM r", limit=1000)
    assert "had no room" in long
    assert len(long) < 8_000
    wide = _asked(connection, f"SELECT {', '.join(f'{n} AS c{n}' for n in range(60))}")
    assert "10 more columns are not shown." in wide


@pytest.mark.parametrize("by", ["time", "interrupt"])
def test_a_query_that_does_not_end_is_stopped(connection: Any, by: str) -> None:
    sql = _ENDLESS[_library(connection)]
    if by == "time":
        with pytest.raises(QueryError, match=r"took longer than 0\.2 s"):
            _asked(connection, sql, seconds=0.2)
        return
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        _asked(connection, sql)
    assert [each for each in threading.enumerate() if each.name == "acp-query"] == []


def test_the_users_connection_stays_as_it_is(own: Any) -> None:
    if isinstance(own, sqlite3.Connection):
        own.row_factory = sqlite3.Row
    reading = own.execute("SELECT id FROM sales ORDER BY id")
    _asked(own, "SELECT count(*) FROM sales")
    assert [tuple(row) for row in reading.fetchall()] == [(1,), (2,)]
    own.execute("INSERT INTO sales VALUES (3, 'c', 0)")
    assert len(own.execute("SELECT * FROM sales").fetchall()) == 3


def test_a_closed_connection_is_said_to_be_one(own: Any) -> None:
    own.close()
    with pytest.raises(QueryError, match="The connection is closed"):
        _asked(own, "SELECT 1")


def test_a_locked_database_is_waited_for_shortly(tmp_path: Path) -> None:
    locking = sqlite3.connect(tmp_path / "locked.db", isolation_level=None)
    locking.execute("CREATE TABLE a (b INTEGER)")
    reading = sqlite3.connect(tmp_path / "locked.db")
    locking.execute("BEGIN EXCLUSIVE")
    with pytest.raises(QueryError, match="The database is locked"):
        _asked(reading, "SELECT * FROM a")
    listed = list_tables({"db": reading})
    assert listed.text == "db: SQLite connection, its tables can't be read: database is locked"
    locking.execute("ROLLBACK")
    assert _asked(reading, "SELECT * FROM a").startswith("0 rows.")


def test_a_database_in_memory_that_is_too_large_is_not_copied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connection = sqlite3.connect(":memory:")
    assert "| 1 |" in _asked(connection, "SELECT 1")
    connection.execute(_MADE[0])
    monkeypatch.setattr(sqlite_source, "_COPIED_BYTES", 1000)
    with pytest.raises(QueryError, match="no copy is made of it"):
        _asked(connection, "SELECT 1")


def test_without_duckdb_a_dataframe_is_not_queried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(QueryError, match="%pip install duckdb"):
        _asked(pandas.DataFrame({"a": [1]}), "SELECT 1")


def test_tables_are_listed_and_described(connection: Any) -> None:
    frame = pandas.DataFrame({"a": [1, 2]})
    listed = list_tables({"db": connection, "df": frame, "number": 3, "_df": frame})
    assert listed.found
    head, *tables, table = listed.text.splitlines()
    assert head == f"db: {_library(connection)} connection, 6 tables"
    assert any("table " in each and "sales" in each and "3 columns" in each for each in tables)
    assert table == "df: pandas.DataFrame 2 rows × 1 columns: a"
    late = list_tables({"db": connection}, clock=iter(range(0, 100, 50)).__next__)
    assert late.text.endswith("not looked into: there was no more time")
    assert not list_tables({"number": 3}).found
    names = {"db": connection, "df": frame}
    assert "- amount: DOUBLE" in describe_for_tool(names, "db", "SALES").text
    assert "- a: INTEGER" in describe_for_tool(names, "db", '"; drop table sales').text
    assert "First 2 rows" in describe_for_tool(names, "df").text
    assert not describe_for_tool(names, "db", "nowhere").found
    assert not describe_for_tool(names, "df", "sales").found
    assert "There is no variable 'x'" in describe_for_tool(names, "x").text
