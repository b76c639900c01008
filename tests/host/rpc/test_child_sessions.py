"""Lines of a child session go to its parent's log; a child may ask, and is answered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.rpc.log_router import LogRouter
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.model.items import AgentMessage
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.agents.fake_agent import script
from tests.support.host.driver import driving
from tests.support.wait import eventually


@pytest.mark.parametrize(("option", "status"), [("yes", "completed"), ("no", "failed")])
def test_what_a_child_asks_is_answered_and_its_lines_are_in_the_log(
    tmp_path: Path, option: str, status: str
) -> None:
    with driving(tmp_path, {"a": script("delegates")}) as driver:
        session = driver.open("a")
        turn_id = driver.prompt(session, "kid")
        driver.answer(session, driver.asked(session), option)
        assert driver.done(session, turn_id).stop_reason == "end_turn"
        state = session.transcript
        items = state.window(0, len(state.items))
    task, asked = (item for item in items if isinstance(item, ToolCall))
    (said,) = (item for item in items if isinstance(item, AgentMessage))
    assert (task.title, task.status) == ("Look", "completed")
    assert (asked.status, asked.parent_id) == (status, task.id)
    assert (said.text, said.parent_id) == ("I am the child.", task.id)


def test_a_child_that_outlives_its_parent_is_heard_nowhere_and_refused(tmp_path: Path) -> None:
    """Another session of the process goes on, and the parent is as it was closed."""
    with driving(tmp_path, {"a": script("delegates")}) as driver:
        parent, other = driver.open("a"), driver.open("a")
        driver.done(parent, driver.prompt(parent, "leave kid"))
        driver.result(other.start())
        driver.result(driver.host.sessions.close(parent.session_id))
        turn = driver.done(other, driver.prompt(other, "speak kid"))
        assert (turn.stop_reason, turn.failure) == ("end_turn", None)
        assert driver.text(other) == "Code -32602"
        driver.result(driver.host.sessions.wake(parent.session_id))
        kept = driver.host.sessions.require(parent.session_id).transcript
        items = kept.window(0, len(kept.items))
        (task,) = (item for item in items if isinstance(item, ToolCall))
        assert task.status == "cancelled"
        assert [i.text for i in items if isinstance(i, AgentMessage)] == ["I am the child."]


@pytest.mark.parametrize(
    ("verb", "status", "background"),
    [("obey", "cancelled", False), ("spare", "in_progress", True)],
)
def test_a_stop_tells_a_child_that_can_be_cancelled(
    tmp_path: Path, verb: str, status: str, background: bool
) -> None:
    """It has ended when it says so; one that goes on can be told again, alone."""
    with driving(tmp_path, {"a": script("delegates")}) as driver:
        session = driver.open("a")
        turn_id = driver.prompt(session, f"{verb} kid")
        eventually(lambda: driver.text(session) == "I am the child.")
        driver.run(session.cancel)
        assert driver.done(session, turn_id).stop_reason == "cancelled"
        task = _task(session)
        assert (task.status, task.background, task.can_cancel) == (status, background, background)
        assert session.state.background == int(background)
        assert _cancelled(session)[1:] == ["kid"]
        if background:
            driver.result(session.canceller.cancel(task.tool_call_id))
            assert _cancelled(session)[1:] == ["kid", "kid"]
            assert _task(session).cancelling
            driver.result(driver.host.sessions.close(session.session_id))
            assert _task(session).status == "cancelled"


def _task(session: Session) -> ToolCall:
    items = session.transcript.window(0, len(session.transcript.items))
    (task,) = (item for item in items if isinstance(item, ToolCall))
    return task


def _cancelled(session: Session) -> list[str]:
    """Return the sessions that the agent was told to cancel, in that order."""
    session.journal.flush()
    with session.journal.log.path.open("rb") as file:
        sent = [each.message for each in read_log(file) if isinstance(each, TrafficEntry)]
    return [
        message["params"]["sessionId"]
        for message in sent
        if message.get("method") == "session/cancel"
    ]


class Log:
    """What the router writes into a session's log."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.sequence = iter(range(1000))
        self.entries: list[TrafficEntry] = []

    def without_known(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        return message

    def enter(self, entry: TrafficEntry) -> None:
        self.entries.append(entry)


def update(session_id: str, kind: str, **fields: Any) -> dict[str, Any]:
    params = {"sessionId": session_id, "update": {"sessionUpdate": kind, **fields}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def test_an_agent_cannot_take_the_lines_of_another_session() -> None:
    router, mine, others = LogRouter(), Log("mine"), Log("others")
    for log, name in ((mine, "a"), (others, "b")):
        router.join(log)
        router.bind(name, log)
    router.update(update("a", "subagent_update", sessionId="b"))
    router.update(update("b", "agent_message_chunk"))
    assert (len(mine.entries), len(others.entries)) == (1, 1)


def test_only_so_many_children_are_heard() -> None:
    router, log = LogRouter(), Log("mine")
    router.join(log)
    router.bind("a", log)
    for n in range(250):
        router.update(update("a", "subagent_update", sessionId=f"k{n}"))
    heard = len(log.entries)
    for name in ("k0", "k249"):
        router.update(update(name, "agent_message_chunk"))
    assert len(log.entries) == heard + 1


def test_what_comes_before_its_session_waits_within_bounds() -> None:
    router, log = LogRouter(), Log("mine")
    for n in range(101):
        router.update(update(f"s{n}", "agent_message_chunk"))
    router.join(log)
    counts = []
    for name in ("s0", "s99", "s100"):
        before = len(log.entries)
        router.bind(name, log)
        counts.append(len(log.entries) - before)
    assert counts == [1, 1, 0]
