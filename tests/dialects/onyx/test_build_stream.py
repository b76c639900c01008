"""A session in build mode: brackets around what is said, done and asked."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.dialects.onyx.build_stream import BuildModeStream
from acp_jupyter.packets import Packet, ParseState, parse_packet
from acp_jupyter.protocol.files import ArtifactCreated, FileWrite
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    ErrorPacket,
    PlanRemoved,
    PromptResponse,
    ToolCallProgress,
    ToolCallStart,
)
from acp_jupyter.protocol.vocabulary import ToolStatus
from tests.support.transcript.any_packets import AGENT_PACKETS, MADE_PACKETS
from tests.support.transcript.wire import acp, text


def play(*packets: Packet) -> list[dict[str, Any]]:
    stream = BuildModeStream()
    return [
        json.loads(said.model_dump_json(by_alias=True))
        for packet in packets
        for said in stream.write(packet)
    ]


def types(*packets: Packet) -> list[str]:
    return [said["type"] for said in play(*packets)]


def says(words: str, **fields: Any) -> Packet:
    return acp("agent_message_chunk", content=text(words), **fields)


def thinks(words: str, **fields: Any) -> Packet:
    return acp("agent_thought_chunk", content=text(words), **fields)


END = PromptResponse(stop_reason="end_turn")


def test_messages_and_thoughts_are_opened_and_closed() -> None:
    """Each piece of text stands in its brackets."""
    said = play(thinks("Hm"), thinks("m"), says("A"), says("b"), END)
    assert [packet["type"] for packet in said] == [
        *("step_start", "step_delta", "step_delta", "step_end"),
        *("output_start", "output_delta", "output_delta", "output_end", "done"),
    ]
    assert {packet["step_id"] for packet in said[:4]} == {"thinking"}


def test_another_message_id_is_another_message() -> None:
    said = types(says("a", messageId="1"), says("b"), says("c", messageId="2"))
    pair = ["output_start", "output_delta"]
    assert said == [*pair, "output_delta", "output_end", *pair]


def test_what_comes_between_closes_a_message_and_what_does_not_leaves_it() -> None:
    call = acp("tool_call", toolCallId="c", title="read")
    assert types(says("a"), call, says("b")) == [
        *("output_start", "output_delta", "output_end", "tool_start"),
        *("output_start", "output_delta"),
    ]
    usage = acp("usage_update", used=1, size=2)
    assert types(says("a"), usage, says("b")) == ["output_start", "output_delta", "output_delta"]


def test_a_call_has_one_start_and_keeps_its_name() -> None:
    """Whatever its later titles are."""
    state = ParseState()
    calls = [
        acp("tool_call", state, toolCallId="c", title="todowrite"),
        acp(
            "tool_call_update", state, toolCallId="c", status="in_progress", rawInput={"todos": []}
        ),
        acp("tool_call", state, toolCallId="c", title="todowrite", status="in_progress"),
        acp("tool_call_update", state, toolCallId="c", title="6 todos"),
        acp("tool_call_update", state, toolCallId="c", title="6 todos", status="completed"),
        acp("tool_call_update", state, toolCallId="c", rawOutput="late"),
    ]
    said = play(*calls)
    assert {packet["tool_name"] for packet in said} == {"todowrite"}
    assert [(packet["type"], packet.get("status")) for packet in said] == [
        ("tool_start", None),
        *(("tool_progress", "in_progress"),) * 3,
        *(("tool_end", "success"),) * 2,
    ]
    assert said[-1]["result"] == "late"


def test_a_call_that_nobody_announced_starts_with_its_first_update() -> None:
    """A call that is complete when it starts also ends."""
    update = acp("tool_call_update", toolCallId="c", title="read", status="failed")
    assert types(update) == ["tool_start", "tool_end"]
    whole = acp("tool_call", toolCallId="c", title="read", status="completed", rawOutput="x")
    start, end = play(whole)
    assert (start["type"], end["type"], end["result"]) == ("tool_start", "tool_end", "x")


def test_a_call_id_that_is_used_again_starts_again() -> None:
    whole = acp("tool_call", toolCallId="c", title="read", status="completed")
    assert types(whole, whole) == ["tool_start", "tool_end"] * 2


@pytest.mark.parametrize("end", [END, parse_packet({"type": "error", "message": "x"})])
def test_the_end_of_a_turn_ends_what_is_open(end: Packet) -> None:
    """A call without an end was cancelled."""
    calls = [acp("tool_call", toolCallId=name, title="read") for name in "ab"]
    done = acp("tool_call_update", toolCallId="a", status="completed")
    said = play(*calls, done, says("x"), end)
    assert [packet["type"] for packet in said[-3:-1]] == ["output_end", "tool_end"]
    assert (said[-2]["tool_call_id"], said[-2]["status"]) == ("b", "cancelled")


def test_a_notice_is_a_step() -> None:
    notice = acp("notice", severity="warning", title="Careful", description="It is late.")
    start, delta, end = play(notice)
    assert (start["step_name"], delta["content"], end["status"]) == (
        "Careful",
        "It is late.",
        "completed",
    )


def test_an_answer_is_yes_by_the_option_that_was_chosen() -> None:
    """An option that allows always approves, too."""
    options = [{"optionId": "a", "name": "Always", "kind": "allow_always"}]
    call = {"toolCallId": "c", "title": "Delete test.py?"}
    request = parse_packet(
        {"type": "permission_request", "request_id": "p", "toolCall": call, "options": options}
    )
    outcome = {"outcome": "selected", "optionId": "a"}
    answer = {"type": "permission_response", "request_id": "p", "outcome": outcome}
    asked, answered = play(request, parse_packet(answer))
    assert asked["operation"] == "Delete test.py?"
    assert (answered["approved"], answered["reason"]) == (True, "Always")


@given(st.lists(AGENT_PACKETS | MADE_PACKETS, max_size=30))
def test_what_the_dialect_can_carry_comes_back(packets: list[Packet]) -> None:
    """Text, calls, plans and ends are the same after the way there and back."""
    state = ParseState()
    back = [parse_packet(said, state) for said in play(*packets)]
    assert _essence(back) == _essence(packets)
    assert all(packet.type != "unknown" for packet in back)


def _essence(packets: list[Packet]) -> dict[str, Any]:  # noqa: C901 - one flat match
    """Return what was said, and what is known of each call at the end."""
    said: defaultdict[str, list[Any]] = defaultdict(list)
    inputs: dict[str, Any] = {}
    for packet in packets:
        match packet:
            case AgentThoughtChunk() if packet.step_id == "notice":
                pass
            case AgentMessageChunk() if packet.parent_id:
                said["agent_thought_chunk"].append(packet.block)  # a step has pieces of one kind
            case AgentMessageChunk() | AgentThoughtChunk():
                said[packet.type].append(packet.block)
            case ToolCallStart() | ToolCallProgress():
                known = inputs.get(packet.tool_call_id, {})
                inputs[packet.tool_call_id] = packet.raw_input or known
            case AgentPlanUpdate():
                said["plan"].append(packet.entries)
            case PlanRemoved():
                said["plan"].append(())
            case PromptResponse():
                said["end"].append((packet.stop_reason, packet.summary))
            case ErrorPacket():
                said["end"].append(packet.message)
            case FileWrite():
                said["files"].append((packet.path, packet.size_bytes, packet.operation))
            case ArtifactCreated():
                said["made"].append(packet.artifact)
            case _:
                pass
    return {**said, "inputs": inputs}


@given(st.lists(AGENT_PACKETS | MADE_PACKETS, max_size=40))
def test_brackets_match(packets: list[Packet]) -> None:
    """No message is opened twice or closed unopened, no call ends before it starts."""
    is_open = False
    started = set()
    for said in play(*packets):
        if said["type"] == "output_start":
            assert not is_open
            is_open = True
        elif said["type"] == "output_end":
            assert is_open
            is_open = False
        elif said["type"] == "output_delta":
            assert is_open
        elif said["type"] == "tool_start":
            started.add(said["tool_call_id"])
        elif said["type"] in {"tool_progress", "tool_end"}:
            assert said["tool_call_id"] in started


def test_what_a_subagent_says_is_a_step_of_its_call() -> None:
    """Only the agent's own text is output."""
    task = ToolCallStart(tool_call_id="t", tool_name="Task", title="Look around")
    inner = [
        chunk.model_copy(update={"parent_id": "t"})
        for chunk in (thinks("Hm"), says("found"))
        if isinstance(chunk, AgentMessageChunk | AgentThoughtChunk)
    ]
    done = ToolCallProgress(tool_call_id="t", status="completed")
    said = play(says("I "), task, says("wait"), inner[0], says("."), inner[1], done, END)
    assert [(p["type"], p.get("content", p.get("step_name"))) for p in said] == [
        ("output_start", None),
        ("output_delta", "I "),
        ("output_end", None),
        ("tool_start", None),
        ("output_start", None),
        ("output_delta", "wait"),
        ("step_start", "Look around"),
        ("step_delta", "Hm"),
        ("output_delta", "."),
        ("step_delta", "found"),
        ("output_end", None),
        ("step_end", None),
        ("tool_end", None),
        ("done", None),
    ]
    assert {p["step_id"] for p in said if "step_id" in p} == {"t"}


def test_a_step_of_a_subagent_ends_with_the_turn() -> None:
    chunk = says("?")
    assert isinstance(chunk, AgentMessageChunk)
    lost = chunk.model_copy(update={"parent_id": "never told"})
    assert types(lost, END) == ["step_start", "step_delta", "step_end", "done"]
    assert play(lost)[0]["step_name"] == "Subagent"


@pytest.mark.parametrize(
    ("status", "told"), [("completed", "completed"), ("failed", "failed"), ("cancelled", "failed")]
)
def test_a_step_of_a_subagent_says_how_its_call_ended(status: ToolStatus, told: str) -> None:
    chunk = says("?")
    assert isinstance(chunk, AgentMessageChunk)
    task = ToolCallStart(tool_call_id="t", tool_name="Task", title="Look around")
    done = ToolCallProgress(tool_call_id="t", status=status)
    said = play(task, chunk.model_copy(update={"parent_id": "t"}), done)
    assert [p["status"] for p in said if p["type"] == "step_end"] == [told]


def test_a_call_that_the_turn_leaves_open_ends_once() -> None:
    said = play(ToolCallStart(tool_call_id="t", tool_name="bash", title="Run"), END, END)
    assert [p["type"] for p in said] == ["tool_start", "tool_end", "done", "done"]
    ended = said[1]
    assert (ended["tool_call_id"], ended["status"]) == ("t", "cancelled")
    assert ended["tool_name"] == said[0]["tool_name"] != ""


def test_an_id_that_begins_again_is_another_call() -> None:
    first = ToolCallStart(tool_call_id="t", tool_name="bash", name="bash", title="Run")
    again = ToolCallStart(tool_call_id="t", tool_name="grep", name="grep", title="Search")
    done = ToolCallProgress(tool_call_id="t", status="completed")
    said = play(first, done, again, done)
    assert [p["type"] for p in said] == ["tool_start", "tool_end"] * 2
    names = [p["tool_name"] for p in said]
    assert names[0] == names[1]
    assert names[2] == names[3] != names[0]
