"""What a subagent does belongs to the tool call that started it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.dialects.onyx.packet_writer import write_packet
from acp_jupyter.packets import parse_packet
from acp_jupyter.transcript.model.item_base import index_of
from acp_jupyter.transcript.model.items import AgentMessage, Item
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.transcript.event_view import View
from tests.support.transcript.traffic import Script

Json = dict[str, Any]

CLAUDE = "claude"
QWEN = "qwen"


def by(parent: str, dialect: str = CLAUDE) -> Json:
    """Return the field that names the tool call of a subagent."""
    if dialect == QWEN:
        return {"_meta": {"parentToolCallId": parent, "subagentType": "Explore"}}
    return {"_meta": {"claudeCode": {"toolName": "Read", "parentToolUseId": parent}}}


def call(script: Script, tool_call_id: str, status: str = "in_progress", **more: Any) -> None:
    script.update("tool_call", toolCallId=tool_call_id, title=tool_call_id, status=status, **more)


def items(script: Script) -> list[Item]:
    state = script.transcript
    return list(state.window(0, len(state.items)))


def parents(script: Script) -> dict[str, str]:
    """Return the tool call id or text of each item, and that of its parent."""
    named = {item.id: _name(item) for item in items(script)}
    return {
        _name(item): named.get(item.parent_id, "")
        for item in items(script)
        if isinstance(item, ToolCall | AgentMessage)
    }


def _name(item: Item) -> str:
    return item.tool_call_id if isinstance(item, ToolCall) else getattr(item, "text", item.kind)


@pytest.mark.parametrize("dialect", [CLAUDE, QWEN])
def test_calls_and_texts_of_a_subagent_belong_to_its_call(dialect: str) -> None:
    script = Script()
    script.turn()
    call(script, "task")
    call(script, "read", **by("task", dialect))
    script.text("Found it.", **by("task", dialect))
    script.text("Thanks.")
    assert parents(script) == {"task": "", "read": "task", "Found it.": "task", "Thanks.": ""}


def test_texts_of_several_at_once_stay_whole() -> None:
    script = Script()
    script.turn()
    call(script, "one")
    call(script, "two")
    for piece in ("a", "b", "c"):
        script.text(piece, **by("one"))
        script.text(piece.upper(), **by("two"))
        script.text(piece * 2)
    assert parents(script) == {"one": "", "two": "", "abc": "one", "ABC": "two", "aabbcc": ""}


def test_a_text_ends_with_the_call_that_it_was_said_in() -> None:
    script = Script()
    prompt = script.turn()
    call(script, "one")
    call(script, "two")
    script.text("First.", **by("one"))
    script.text("Second.", **by("two"))
    script.update("tool_call_update", toolCallId="one", status="completed")
    first, second = (item for item in items(script) if isinstance(item, AgentMessage))
    assert (first.open, second.open) == (False, True)
    script.end(prompt)
    assert not any(item.open for item in items(script) if isinstance(item, AgentMessage))


def test_nobody_is_the_parent_of_what_came_before_it() -> None:
    script = Script()
    script.turn()
    call(script, "alone", **by("alone"))
    call(script, "first", **by("second"))
    call(script, "second", **by("first"))
    script.update("tool_call_update", toolCallId="alone", status="completed", **by("alone"))
    script.update("tool_call_update", toolCallId="first", status="completed", **by("second"))
    assert parents(script) == {"alone": "", "first": "", "second": "first"}


def test_an_update_may_be_the_first_to_say_whose_call_it_is() -> None:
    script = Script()
    script.turn()
    call(script, "task")
    call(script, "read")
    script.update("tool_call_update", toolCallId="read", status="completed", **by("task"))
    assert parents(script) == {"task": "", "read": "task"}


def test_a_call_of_an_earlier_turn_is_nobodys_parent() -> None:
    script = Script()
    script.end(_turn_with_task(script))
    script.turn(turn_id="t2")
    call(script, "read", **by("task"))
    assert parents(script) == {"task": "", "read": ""}


def _turn_with_task(script: Script) -> int:
    prompt = script.turn()
    call(script, "task")
    return prompt


def test_a_request_of_a_subagent_is_of_its_call() -> None:
    script = Script()
    script.turn()
    call(script, "task")
    script.ask({"toolCallId": "run", "title": "ls", "kind": "execute", **by("task")})
    asked = items(script)[-1]
    assert isinstance(asked, ToolCall)
    assert asked.permission is not None
    assert parents(script)["run"] == "task"
    script.ask({"toolCallId": "run", "title": "ls", "kind": "execute"})
    assert set(parents(script).values()) == {"", "task"}
    assert len([name for name, parent in parents(script).items() if parent == "task"]) == 2


@pytest.mark.parametrize(
    "packet",
    [
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "a"}},
        {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "a"}},
        {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "read", "rawInput": {}},
        {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"},
    ],
)
def test_a_packet_that_is_written_keeps_its_parent(packet: Json) -> None:
    read = parse_packet({**packet, **by("task")})
    written = write_packet(read)
    assert written is not None
    again = parse_packet(written)
    assert getattr(again, "parent_id", None) == getattr(read, "parent_id", "") == "task"


_IDS = st.sampled_from(["a", "b", "c", "d"])
_PARENTS = st.one_of(_IDS, st.sampled_from(["", "nobody"]), st.none(), st.integers())


@given(st.lists(st.tuples(st.sampled_from("cutx"), _IDS, _PARENTS), max_size=14))
def test_any_parents_make_no_circle_and_lose_nothing(steps: list[tuple[str, str, Any]]) -> None:
    script = Script()
    prompt = script.turn()
    for kind, name, parent in steps:
        match kind:
            case "c":
                call(script, name, **by(parent))
            case "u":
                fields = {"toolCallId": name, "status": "completed"}
                script.update("tool_call_update", **fields, **by(parent))
            case "t":
                script.text(name, **by(parent))
            case _:
                script.text(name)
    script.end(prompt)
    made = items(script)
    known = {item.id: item for item in made}
    said = "".join(item.text for item in made if isinstance(item, AgentMessage))
    assert sorted(said) == sorted(name for kind, name, _ in steps if kind in "tx")
    for item in made:
        parent_id = getattr(item, "parent_id", "")
        if parent_id:
            assert isinstance(known[parent_id], ToolCall)
            assert index_of(parent_id) < index_of(item.id)
            assert known[parent_id].turn_id == item.turn_id
    assert View().take(script.events).state()[1] == [i.model_dump(mode="json") for i in made]
