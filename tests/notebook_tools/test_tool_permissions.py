"""Who decides about what the notebook tools change or run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.sandbox.levels import find_level
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.notebook_tools.tool_permissions import (
    ToolAction,
    ToolPermissions,
    ToolRefused,
)
from acp_jupyter.protocol.objects import obj
from tests.notebook_tools.in_process import KERNEL, Dictionary
from tests.notebook_tools.talk import answers, calls_of, cells_of, play, start, using
from tests.support.host.driver import Driver
from tests.support.wait import PATIENCE_SECONDS, eventually

LEVEL = find_level()


def test_the_user_sees_the_code_and_what_it_overwrites(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    kernel.names = {"df": 1, "x": 2}
    code = "df = 5\nnew = 1"
    turn_id = start(driver, session, using("run_code", {"code": code}))
    request = driver.asked(session)
    (call,) = calls_of(session)
    assert call.permission is not None
    assert call.tool_call_id == "call-0", "it stands on the agent's own card"
    assert call.tool_kind == "execute"
    assert call.raw_input == {"code": code}
    assert "Overwrites variables: df." in call.permission.reason
    assert [place.path for place in call.locations] == ["n.ipynb"]
    assert kernel.ran == []
    driver.answer(session, request, "allow")
    (told,) = answers(driver, session, turn_id)
    assert not told["failed"]
    assert kernel.names["df"] == 5
    (call,) = calls_of(session)
    assert (call.status, call.permission and call.permission.outcome) == (
        "completed",
        "Allowed once",
    )


@pytest.mark.skipif(LEVEL.level == "none", reason=LEVEL.why_not_more)
def test_who_has_chosen_a_sandbox_is_told_that_the_kernel_is_outside_of_it(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    turn_id = start(driver, session, using("run_code", {"code": "q = 1"}), sandbox="folder")
    request = driver.asked(session)
    (call,) = calls_of(session)
    assert call.permission is not None
    assert call.permission.reason == (
        "The kernel is outside of the agent's sandbox: code that runs there can do what you can."
    )
    driver.answer(session, request, "allow")
    (told,) = answers(driver, session, turn_id)
    assert not told["failed"]
    assert kernel.names["q"] == 1


def test_the_user_sees_the_code_of_the_cells_that_would_run(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    """The agent names cells only; what runs is what they hold."""
    turn_id = start(driver, session, using("run_cells", {"cell_ids": ["cell-1", "cell-2"]}))
    request = driver.asked(session)
    (call,) = calls_of(session)
    assert call.raw_input == {"cell_ids": ["cell-1", "cell-2"]}
    assert call.output == "# cell 2\na = 1\n\n# cell 3\nprint(a)\nplot()"
    driver.answer(session, request, "reject")
    answers(driver, session, turn_id)
    assert kernel.ran == []


def test_what_the_agent_asked_for_itself_is_not_asked_again(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    turn_id = start(driver, session, using("run_code", {"code": "q = 1"}, ask=True))
    driver.answer(session, driver.asked(session), "yes")
    (told,) = answers(driver, session, turn_id)
    assert not told["failed"]
    assert kernel.ran == ["q = 1"]
    assert len(calls_of(session)) == 1


@pytest.mark.parametrize("more", [{"shown": {"code": "print(1)"}}, {"hide": True}])
def test_another_call_than_was_allowed_is_asked_about(
    driver: Driver, session: Session, kernel: Dictionary, more: dict[str, Any]
) -> None:
    """What an agent shows is not what counts: the user is asked about what will run."""
    step = using("run_code", {"code": "bad = 1"}, ask="shown" in more, **more)
    turn_id = start(driver, session, step)
    first = driver.asked(session)
    if "shown" in more:
        driver.answer(session, first, "yes")
        eventually(lambda: first not in session.transcript.request_items)
    second = driver.asked(session)
    assert kernel.ran == []
    call = calls_of(session)[-1]
    assert call.raw_input == {"code": "bad = 1"}
    driver.answer(session, second, "reject")
    (told,) = answers(driver, session, turn_id)
    assert told["failed"]
    assert "rejected" in told["text"]
    assert kernel.ran == []
    assert call.tool_call_id.startswith("notebook-")
    assert calls_of(session)[-1].status == "failed"


@pytest.mark.parametrize("policy", ["read-only", "deny"])
def test_under_a_policy_that_forbids_nothing_is_asked_nor_done(
    driver: Driver, session: Session, kernel: Dictionary, path: Path, policy: Any
) -> None:
    before = path.read_bytes()
    told = play(
        driver,
        session,
        using("run_code", {"code": "x = 1"}),
        using("run_cells", {"cell_ids": ["cell-1"]}),
        using("insert_cell", {"source": "x"}),
        using("delete_cell", {"cell_id": "cell-1", "fingerprint": fingerprint("a = 1")}),
        policy=policy,
    )
    assert all(each["failed"] and f"policy {policy}" in each["text"] for each in told)
    assert (path.read_bytes(), kernel.ran) == (before, [])


def test_accepted_edits_are_of_cells_and_not_of_the_kernel(
    driver: Driver, session: Session, kernel: Dictionary, path: Path
) -> None:
    edit = {"cell_id": "cell-1", "source": "a = 2", "fingerprint": fingerprint("a = 1")}
    turn_id = start(
        driver,
        session,
        using("edit_cell", edit),
        using("run_code", {"code": "a = 3"}),
        policy="accept-edits",
    )
    # Also what the policy answers is asked, for a moment.
    eventually(lambda: len(calls_of(session)) == 2)
    driver.answer(session, driver.asked(session), "reject")
    edited, ran = answers(driver, session, turn_id)
    assert (edited["failed"], ran["failed"]) == (False, True)
    assert cells_of(path)[1]["source"] == "a = 2"
    (diff,) = calls_of(session)[0].diffs
    assert (diff.old_text, diff.new_text) == ("a = 1", "a = 2")
    assert kernel.ran == []


def test_a_rule_for_commands_never_runs_code(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    """Code in the kernel is no command, whatever a rule for commands says."""
    rules = session.turns.permissions.rules
    assert rules is not None
    rule = rules.read("execute:git status", "allow", "session")
    driver.run(lambda: rules.add(rule))
    step = using("run_code", {"code": "git status"}, shown={"command": "git status"})
    turn_id = start(driver, session, step)
    driver.answer(session, driver.asked(session), "reject")
    answers(driver, session, turn_id)
    assert kernel.ran == []


def test_where_nobody_can_be_asked_it_is_refused(
    tmp_path: Path, driver: Driver, path: Path, kernel: Dictionary
) -> None:
    session = driver.open("notebook_user", notebook_path="work/n.ipynb", kernel_id=KERNEL)
    turn_id = start(driver, session, using("run_code", {"code": "x = 1"}), can_ask=False)
    turn = driver.done(session, turn_id)
    assert turn.failure is not None
    assert turn.failure.reason == "nobody_to_ask"
    assert kernel.ran == []


def wish(driver: Driver) -> ToolAction:
    return ToolAction(
        tool="run_code",
        arguments={"code": "b = 1"},
        kind="execute",
        words="run code",
        title="Run code",
        location=str(driver.root / "n.ipynb"),
    )


def test_a_call_whose_turn_is_stopped_is_not_done_and_says_why(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    turn_id = start(driver, session, using("run_code", {"code": "a = 1"}))
    driver.asked(session)
    asked = driver.host.submit(ToolPermissions(session).request(wish(driver)))
    eventually(lambda: len(session.transcript.request_items) == 2)
    driver.run(lambda: session.cancel(turn_id))
    with pytest.raises(ToolRefused, match=r"turn was stopped\. Nothing was done"):
        asked.result(PATIENCE_SECONDS)
    driver.done(session, turn_id)
    assert kernel.ran == []


def test_a_call_that_its_agent_gives_up_does_not_look_as_if_it_went_on(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    turn_id = start(driver, session, using("run_code", {"code": "a = 1"}))
    first = driver.asked(session)
    asked = driver.host.submit(ToolPermissions(session).request(wish(driver)))
    eventually(lambda: len(session.transcript.request_items) == 2)
    asked.cancel()
    eventually(lambda: calls_of(session)[-1].status == "failed")
    permission = calls_of(session)[-1].permission
    assert permission is not None
    assert permission.outcome == "Withdrawn by the agent"
    driver.answer(session, first, "allow")
    (told,) = answers(driver, session, turn_id)
    assert not told["failed"]
    assert kernel.ran == ["a = 1"]


def test_calls_that_come_together_act_in_the_order_in_which_they_came(
    driver: Driver, session: Session, kernel: Dictionary, path: Path
) -> None:
    inserts = [using("insert_cell", {"source": f"# {number}"}) for number in range(4)]
    runs = [using("run_code", {"code": f"run = {number}"}) for number in range(2)]
    turn_id = start(driver, session, {"together": [*inserts, *runs]})

    def requests() -> list[str]:
        asked = [call.permission for call in calls_of(session) if call.permission is not None]
        return [each.request_id for each in asked]

    eventually(lambda: len(requests()) == 6)
    by_source = {
        str(given.get("source") or given.get("code")): call
        for call in calls_of(session)
        for given in (obj(call.raw_input),)
    }
    # The second is refused, and the others are allowed from the last one on.
    for words in ("# 1", "run = 1", "run = 0", "# 3", "# 2", "# 0"):
        permission = by_source[words].permission
        assert permission is not None
        option = "reject" if words == "# 1" else "allow"
        driver.answer(session, permission.request_id, option)
    told = answers(driver, session, turn_id)
    assert [each["failed"] for each in told] == [False, True, False, False, False, False]
    assert [cell["source"] for cell in cells_of(path)][-3:] == ["# 0", "# 2", "# 3"]
    assert kernel.ran == ["run = 0", "run = 1"]
