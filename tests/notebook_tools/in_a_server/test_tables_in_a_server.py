"""The tools for tables with a real kernel: in the cell that waits, and from the panel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.notebook_tools.in_a_server.calls import NOTEBOOK, answers_in, steps
from tests.support.kernel.cells import Kernel
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.user import AsUser

_MADE = """\
import duckdb, pandas, sqlite3
from acp_jupyter.context import mask
sales = pandas.DataFrame({"city": ["Ulm", "Bonn"], "secret": ["-".join(["ann", "lee"])] * 2})
lite, duck = sqlite3.connect(":memory:"), duckdb.connect()
for each in (lite, duck):
    each.execute("CREATE TABLE sales (city TEXT, secret TEXT)")
    each.executemany("INSERT INTO sales VALUES (?, ?)", sales.values.tolist())
mask(sales, ["secret"])
"""
_NAMES = ("sales", "lite", "duck")
_READS = "SELECT city FROM sales ORDER BY 1"
_QUERIES = (_READS, "SELECT max(secret) FROM sales", "DROP TABLE sales")


def _script() -> str:
    queries = (("query", {"name": name, "sql": sql}) for name in _NAMES for sql in _QUERIES)
    described = (("describe_table", {"name": name}) for name in _NAMES)
    return steps(("list_tables", {}), *described, *queries)


def _check(told: list[dict[str, Any]]) -> None:
    listed, *rest = told
    described, queried = rest[:3], rest[3:]
    assert "sales: pandas.DataFrame 2 rows × 2 columns: city, secret" in listed["text"]
    assert "lite: SQLite connection, 1 table\n    table sales, 2 columns" in listed["text"]
    assert "duck: DuckDB connection, 1 table" in listed["text"]
    assert all("secret" in each["text"] and not each["failed"] for each in described)
    for number, each in enumerate(queried):
        assert each["failed"] == bool(number % 3), each
        assert ("| Bonn |\n| Ulm |" in each["text"]) == (number % 3 == 0)
    assert all("ann-lee" not in each["text"] for each in told)


@pytest.fixture
def tables(kernel: Kernel, path: Path) -> None:
    kernel.run(_MADE).ok()


@pytest.mark.usefixtures("tables")
def test_in_the_cell_that_waits(kernel: Kernel) -> None:
    line = "%%acp notebook_user --policy allow-all --new"
    kernel.run(f"{line}\n{_script()}", cell_id="cell-0", watched=True).ok()
    _check(answers_in(kernel.run("print(_acp.text)").ok().printed))
    kept = "print(*(len(each.execute('SELECT * FROM sales').fetchall()) for each in (lite, duck)))"
    assert kernel.run(kept).ok().printed == "2 2\n"


@pytest.mark.usefixtures("tables")
def test_from_the_panel_by_the_shell_channel(server: JupyterServer) -> None:
    with AsUser(server) as user:
        session_id = user.new_session(
            "notebook_user", "work", notebook_path=NOTEBOOK, policy="allow-all", new=True
        )
        items = user.ended(user.prompt(session_id, _script()))["items"]
        _check(answers_in("".join(i["text"] for i in items if i["kind"] == "agent_message")))


@pytest.mark.usefixtures("tables")
def test_a_query_that_takes_long_is_stopped_and_the_kernel_goes_on(kernel: Kernel) -> None:
    endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r"
    prompt = steps(("query", {"name": "lite", "sql": endless, "timeout_seconds": 0.5}))
    line = "%%acp notebook_user --policy allow-all --new"
    kernel.run(f"{line}\n{prompt}", cell_id="cell-0", watched=True).ok()
    (told,) = answers_in(kernel.run("print(_acp.text)").ok().printed)
    assert told["failed"]
    assert "took longer than 0.5 s and was stopped" in told["text"]
    assert "Traceback" not in told["text"]
