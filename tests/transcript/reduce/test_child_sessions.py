"""Child sessions of subagents: each is a call, and what it sends stands in that call."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.items import AgentMessage, Item
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.transcript.traffic import OPTIONS, Script

Json = dict[str, Any]
RUNNING: Json = {"state": {"state": "running"}}
IDLE: Json = {"state": {"state": "idle"}}


class Family(Script):
    """A session with child sessions."""

    def of(self, session: str, kind: str, /, **fields: Any) -> None:
        params = {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
        self.line("<", {"jsonrpc": "2.0", "method": "session/update", "params": params})

    def announce(self, child: str, /, parent: str = "a1", **fields: Any) -> None:
        self.of(parent, "subagent_update", **{"sessionId": child, **fields})

    def says(self, session: str, words: str) -> None:
        self.of(session, "agent_message_chunk", content={"type": "text", "text": words})

    def restart(self) -> None:
        saved = self._reader.saved()
        assert saved is not None
        self._reader = TrafficReader.of_saved(saved)

    def message(self, **fields: Any) -> None:
        self.of("a1", "session_message", **{"messageId": "m", **fields})

    @property
    def items(self) -> list[Item]:
        return list(self.transcript.window(0, len(self.transcript.items)))

    @property
    def calls(self) -> list[ToolCall]:
        return [item for item in self.items if isinstance(item, ToolCall)]

    def told(self) -> list[tuple[str, str]]:
        """Return each text, and the title of the call that it stands in."""
        titles = {call.id: call.title for call in self.calls}
        texts = [item for item in self.items if isinstance(item, AgentMessage)]
        return [(item.text, titles.get(item.parent_id, "")) for item in texts]


@pytest.fixture
def family() -> Family:
    script = Family()
    script.turn()
    return script


def words(text: str) -> list[Json]:
    return [{"type": "text", "text": text}]


def test_a_child_is_a_call_with_its_prompt_its_steps_and_its_answer(family: Family) -> None:
    family.announce("k", title="Look", description="explorer", **RUNNING)
    family.message(
        senderSessionId="a1", recipientSessionId="k", content=[*words("Find "), *words("it")]
    )
    older = {"_meta": {"claudeCode": {"toolName": "Read", "parentToolUseId": "nobody"}}}
    read_x = {"toolCallId": "r", "title": "Read x", "kind": "read", "status": "completed"}
    family.of("k", "tool_call", **read_x, **older)
    family.says("k", "Looking.")
    family.says("a1", "Meanwhile.")
    answer = {"senderSessionId": "k", "recipientSessionId": "a1", "content": words("Found")}
    family.message(**{**answer, "messageId": "n"})
    family.announce("k", state={"state": "idle", "stopReason": "end_turn"})
    task, read = family.calls
    assert (task.title, task.ui_kind, task.subagent_type) == ("Look", "task", "explorer")
    assert (task.status, task.output, task.parent_id) == ("completed", "Found", "")
    assert isinstance(task.raw_input, dict)
    assert task.raw_input["prompt"] == "Find it"
    assert read.parent_id == task.id
    assert family.told() == [("Looking.", "Look"), ("Meanwhile.", "")]


def test_a_child_is_known_after_a_restart(family: Family) -> None:
    family.announce("k", title="Look", **RUNNING)
    family.message(senderSessionId="k", recipientSessionId="a1")
    family.says("k", "One.")
    family.restart()
    family.says("k", "Two.")
    family.of("a1", "session_message_chunk", messageId="m", content=words("Found")[0])
    family.announce("kk", title="Other", **RUNNING)
    look, other = family.calls
    assert (look.title, look.output, other.title) == ("Look", "Found", "Other")
    assert [title for _, title in family.told()] == ["Look"]


def test_messages_may_come_in_chunks(family: Family) -> None:
    family.announce("k", title="Look", **RUNNING)
    family.message(senderSessionId="k", recipientSessionId="a1")
    for piece in ("F", "ound"):
        family.of("a1", "session_message_chunk", messageId="m", content=words(piece)[0])
    assert family.calls[0].output == "Found"


def test_a_child_of_a_child_stands_in_its_call(family: Family) -> None:
    family.announce("k", title="Outer", **RUNNING)
    family.announce("kk", parent="k", title="Inner", **RUNNING)
    family.says("kk", "Deep.")
    outer, inner = family.calls
    assert inner.parent_id == outer.id
    assert family.told() == [("Deep.", "Inner")]


def test_what_a_child_asks_stands_in_its_call(family: Family) -> None:
    family.announce("k", title="Look", **RUNNING)
    call = {"toolCallId": "w", "title": "Write x", "kind": "edit"}
    params = {"sessionId": "k", "toolCall": call, "options": OPTIONS}
    family.line("<", {"id": 9, "method": "session/request_permission", "params": params})
    task, asked = family.calls
    assert asked.permission is not None
    assert (asked.permission.state, asked.parent_id) == ("pending", task.id)


def test_a_child_that_outlives_its_turn_gets_a_call_where_it_says_more(family: Family) -> None:
    family.announce("k", title="Look", **RUNNING)
    family.says("k", "One.")
    family.end(3)
    assert (family.calls[0].status, family.calls[0].background) == ("in_progress", True)
    assert family.transcript.session.background == 1
    prompt = family.turn(turn_id="t2")
    family.says("a1", "Next.")
    family.says("k", "Two.")
    family.announce("k", **IDLE)
    family.end(prompt)
    first, second = family.calls
    assert (first.turn_id, first.status, first.background) == ("t1", "completed", False)
    assert (second.turn_id, second.status) == ("t2", "completed")
    assert family.transcript.session.background == 0
    assert family.told() == [("One.", "Look"), ("Next.", ""), ("Two.", "Look")]


def test_a_child_that_ends_in_a_later_turn_ends_in_its_call(family: Family) -> None:
    family.announce("k", title="Look", **RUNNING)
    family.end(3)
    prompt = family.turn(turn_id="t2")
    family.announce("k", **IDLE)
    family.end(prompt)
    (call,) = family.calls
    assert (call.turn_id, call.status, call.background) == ("t1", "completed", False)
    assert family.transcript.session.background == 0


def test_children_that_are_told_more_in_the_next_turn_get_a_call_each(family: Family) -> None:
    for child in ("k", "kk"):
        family.announce(child, title=child, **RUNNING)
        family.announce(child, **IDLE)
    family.end(1)
    family.turn(turn_id="t2")
    family.announce("k", title="Look")
    assert len(family.calls) == 2, "it does nothing in this turn"
    for child in ("k", "kk"):
        family.message(messageId=child, recipientSessionId=child, content=words("More"))
    assert [(call.title, call.turn_id) for call in family.calls[2:]] == [
        ("Look", "t2"),
        ("kk", "t2"),
    ]


def test_what_is_of_a_child_alone_changes_nothing_of_the_session(family: Family) -> None:
    family.announce("k", title="Look", **RUNNING)
    before = family.transcript.session
    family.of("k", "session_info_update", title="Child")
    family.of("k", "usage_update", used=5, size=10)
    family.of("k", "current_mode_update", currentModeId="auto")
    family.of("k", "plan", entries=[{"content": "x"}])
    family.of("k", "user_message_chunk", content={"type": "text", "text": "Find it"})
    family.of("k", "session_message", messageId="q", recipientSessionId="k", content=words("It"))
    assert family.transcript.session == before
    assert len(family.calls) == 1


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ({"state": "idle", "stopReason": "error", "error": {"message": "Broke"}}, "failed"),
        ({"state": "idle", "stopReason": "refusal"}, "failed"),
        ({"state": "idle", "stopReason": "cancelled"}, "cancelled"),
        ({"state": "idle", "stopReason": 5}, "completed"),
        ({"state": "requires_action"}, "in_progress"),
        ({"state": "unknown"}, "in_progress"),
        ({"state": ["idle"]}, "in_progress"),
        ("idle", "in_progress"),
        (None, "in_progress"),
    ],
)
def test_states(family: Family, state: Any, status: str) -> None:
    family.announce("k", **RUNNING)
    family.announce("k", state=state)
    (call,) = family.calls
    assert (call.title, call.status) == ("Subagent", status)
    assert call.output == ("Broke" if "error" in str(state) else "")


def test_a_child_that_is_given_more_to_do_works_again(family: Family) -> None:
    family.announce("k", **RUNNING)
    for state in ("running", "requires_action"):
        family.announce("k", **IDLE)
        ended = family.calls[-1].status
        family.announce("k", state={"state": state})
        assert (ended, family.calls[-1].status) == ("completed", "in_progress")


@pytest.mark.parametrize(
    ("kind", "pieces", "whole"),
    [
        ("session_message", ("Found", "Else"), "Found\n\nElse"),
        ("session_message", ("Found", "Found more"), "Found more"),
        ("session_message_chunk", ("a", "ab"), "aab"),
    ],
)
def test_what_a_child_answers_bit_by_bit(
    family: Family, kind: str, pieces: tuple[str, ...], whole: str
) -> None:
    """Messages stand apart, unless one is the whole again; chunks are joined."""
    family.announce("k", title="Look", **RUNNING)
    for piece in pieces:
        content = words(piece) if kind == "session_message" else words(piece)[0]
        family.of("a1", kind, messageId="m", senderSessionId="k", content=content)
    assert family.calls[0].output == whole
    failed = {"state": "idle", "stopReason": "error", "error": {"message": "Broke"}}
    family.announce("k", state=failed)
    assert family.calls[0].output == f"{whole}\n\nBroke"


def test_what_is_malformed_or_too_much_is_bounded(family: Family) -> None:
    for child in (None, 5, "", ["k"]):
        family.of("a1", "subagent_update", sessionId=child)
    family.of("a1", "session_message", messageId=[1], content="x", senderSessionId={"a": 1})
    family.of("a1", "session_message_chunk", messageId="nobody", content={"type": "text"})
    assert family.calls == []
    family.announce("k", title="t" * 9000, description=7, **RUNNING)
    for n in range(40):
        family.message(
            messageId=f"m{n}", senderSessionId="k", content=words(f"{n} " + "long " * 1000)
        )
    (call,) = family.calls
    assert len(call.title) == 300
    assert len(call.output) == 20_000
