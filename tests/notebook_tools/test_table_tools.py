"""The tools for tables, as an agent uses them: what is asked, refused and told."""

from __future__ import annotations

import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.notebook_tools.kernel_runner import KernelError
from tests.notebook_tools.in_process import Dictionary
from tests.notebook_tools.talk import answers, calls_of, play, start, using
from tests.support.host.driver import Driver

_QUERY = using("query", {"name": "sales", "sql": "SELECT city\nFROM sales", "limit": 7})


def test_tables_are_listed_and_described_without_a_question(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    none = play(driver, session, using("list_tables", {}), policy="deny")[-1]
    assert none["text"] == "There are no tables and no connections in the kernel."
    kernel.names = {"sales": 1}
    listed, described, missing = play(
        driver,
        session,
        using("list_tables", {}),
        using("describe_table", {"name": "sales", "table": "main"}),
        using("describe_table", {"name": "nothing"}),
        policy="deny",
    )[-3:]
    assert 'origin="tables of the kernel of n.ipynb">\nsales\n' in listed["text"]
    assert 'origin="description of sales in the kernel of n.ipynb">' in described["text"]
    assert "sales main" in described["text"]
    assert missing["failed"]
    assert all(call.permission is None for call in calls_of(session))


def test_a_query_is_asked_about_with_its_whole_sql_and_then_runs_as_code(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    turn_id = start(driver, session, _QUERY)
    request = driver.asked(session)
    (call,) = calls_of(session)
    assert call.permission is not None
    assert call.permission.title.endswith("wants to query sales in the notebook's kernel")
    assert call.tool_kind == "execute"
    assert call.raw_input == _QUERY["args"]
    assert kernel.ran == []
    driver.answer(session, request, "reject")
    (told,) = answers(driver, session, turn_id)
    assert told["failed"]
    assert "rejected" in told["text"]
    assert kernel.ran == []
    play(driver, session, _QUERY, policy="allow-all")
    (code,) = kernel.ran
    assert ".show_query('sales', 'SELECT city\\nFROM sales', 7, 30.0)" in code


@pytest.mark.parametrize("policy", ["read-only", "deny"])
def test_where_no_code_may_run_no_query_may(
    driver: Driver, session: Session, kernel: Dictionary, policy: str
) -> None:
    (told,) = play(driver, session, _QUERY, policy=policy)
    assert told["failed"]
    assert f"The policy {policy}" in told["text"]
    assert kernel.ran == []


def test_accept_edits_asks_about_a_query(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    turn_id = start(driver, session, _QUERY, policy="accept-edits")
    driver.answer(session, driver.asked(session), "reject")
    answers(driver, session, turn_id)
    assert kernel.ran == []


def test_what_would_be_refused_is_not_asked_about(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    changes = using("query", {"name": "sales", "sql": "DROP TABLE sales"})
    empty = using("query", {"name": "sales", "sql": ""})
    many = using("query", {"name": "sales", "sql": "SELECT 1", "limit": 1_000_000})
    told = play(driver, session, changes, empty, many)
    assert told[0]["text"] == "The query was not run: It doesn't only read."
    assert all(each["failed"] for each in told)
    assert all(call.permission is None for call in calls_of(session))
    assert kernel.ran == []


@pytest.mark.parametrize("tool", ["list_tables", "describe_table", "query"])
def test_a_kernel_in_trouble_is_told(
    driver: Driver, session: Session, kernel: Dictionary, tool: str
) -> None:
    arguments = {"list_tables": {}, "describe_table": {"name": "a"}, "query": _QUERY["args"]}
    for kind, words in (("dead", "The kernel has died."), ("busy", "The kernel is busy.")):
        kernel.trouble = KernelError(kind, words)  # type: ignore[arg-type]
        told = play(driver, session, using(tool, arguments[tool]))[-1]
        assert told == {"failed": True, "text": f"{kind}: {words}", "images": []}
