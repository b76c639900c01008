"""Packets of seed 000: how they are told apart, and what they say."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from acp_jupyter.packets import determine_packet_type, parse_packet
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    AgentPlanUpdate,
    ErrorPacket,
    PromptResponse,
    ToolCallProgress,
    ToolCallStart,
)
from acp_jupyter.protocol.parse.packet import read_timestamp
from acp_jupyter.protocol.tools.inputs import GlobInput
from tests.acceptance import golden

BY_UPDATE = {
    "agent_message_chunk": "agent_message_chunk",
    "tool_call": "tool_call_start",
    "tool_call_update": "tool_call_progress",
    "plan": "agent_plan_update",
}
CALL: dict[str, Any] = {"toolCallId": "c1", "title": "glob", "content": {"text": "x"}}
START = golden.read("s1-tool_call_start-glob")


@pytest.mark.parametrize("update", BY_UPDATE)
def test_type_is_asked_before_session_update(update: str) -> None:
    """S1.1: `error` in `type` wins over whatever `sessionUpdate` says."""
    packet = {**CALL, "type": "error", "message": "m", "sessionUpdate": update}
    assert determine_packet_type(packet) == "error"
    assert isinstance(parse_packet(packet), ErrorPacket)
    del packet["type"]
    assert determine_packet_type(packet) == BY_UPDATE[update]


@pytest.mark.parametrize(("update", "packet_type"), BY_UPDATE.items())
def test_session_update_names_the_packet(update: str, packet_type: str) -> None:
    """S1.2: the seed's four lines."""
    packet = {**CALL, "sessionUpdate": update, "entries": []}
    assert determine_packet_type(packet) == packet_type
    assert parse_packet(packet).type == packet_type


@pytest.mark.parametrize(
    "keys",
    [
        {"sessionUpdate": "tool_call"},
        {"type": "tool_call_start"},
        {"type": "tool_call_start", "sessionUpdate": "tool_call"},
        {"session_update": "tool_call"},
    ],
    ids=str,
)
def test_a_start_is_known_with_and_without_type(keys: dict[str, str]) -> None:
    """S1.3, C2: real packets have no `type` at all."""
    packet = {**CALL, **keys}
    assert determine_packet_type(packet) == "tool_call_start"
    start = parse_packet(packet)
    assert isinstance(start, ToolCallStart)
    assert (start.tool_call_id, start.tool_name) == ("c1", "glob")


@pytest.mark.parametrize(
    "name", ["agent_message_chunk", "tool_call_start-glob", "agent_plan_update", "prompt_response"]
)
def test_meta_changes_nothing(name: str) -> None:
    """S1.4: null, empty and absent are the same, at every level."""
    raw = golden.read(f"s1-{name}")
    without = parse_packet(_with_meta(raw, None, keep=False))
    assert without.type != "unknown"
    metas: tuple[dict[str, str] | None, ...] = (None, {})
    for meta in metas:
        assert parse_packet(_with_meta(raw, meta)) == without


def _with_meta(value: Any, meta: Any, *, keep: bool = True) -> Any:
    if isinstance(value, list):
        return [_with_meta(item, meta, keep=keep) for item in value]
    if not isinstance(value, dict):
        return value
    rest = {k: _with_meta(v, meta, keep=keep) for k, v in value.items() if k != "_meta"}
    return {**rest, "_meta": meta} if keep and value else rest


def test_a_message_chunk_says_its_text_and_nothing_else() -> None:
    """S1.5: the example of the seed."""
    chunk = golden.packet("s1-agent_message_chunk")
    assert isinstance(chunk, AgentMessageChunk)
    assert chunk.text == "I'll help you create"
    assert chunk.message_id == ""


@pytest.mark.parametrize("kind", ["search", "read", "execute", "edit", "other"])
def test_the_fields_of_a_start(kind: str) -> None:
    """S1.6: nulls and empties say nothing."""
    start = parse_packet({**START, "kind": kind, "title": "mytool"})
    assert isinstance(start, ToolCallStart)
    assert (start.tool_call_id, start.title) == ("toolu_01JQPzZLN1GkctYVgpaaxD8X", "mytool")
    assert (start.acp_kind, start.kind, start.status) == (kind, kind, "pending")
    assert (start.content, start.raw_input, start.raw_output) == (None, {}, None)
    assert start.locations == ()


def test_the_examples_of_starts() -> None:
    """S1.7: Glob and TodoWrite, word for word."""
    glob, todos = (golden.packet(f"s1-tool_call_start-{tool}") for tool in ("glob", "todowrite"))
    assert isinstance(glob, ToolCallStart)
    assert isinstance(todos, ToolCallStart)
    assert (glob.tool_name, glob.kind, glob.acp_kind) == ("glob", "search", "search")
    assert glob.title == "glob"
    assert (todos.tool_name, todos.kind, todos.acp_kind) == ("todowrite", "other", "other")
    assert todos.tool_call_id == "toolu_01RcpWgYMMtMch3XPebkLwcp"


def test_the_fields_of_progress() -> None:
    """S1.8: time, id, title, kind, status."""
    running = golden.packet("s1-tool_call_progress-glob-in_progress")
    done = golden.packet("s1-tool_call_progress-glob")
    assert isinstance(running, ToolCallProgress)
    assert isinstance(done, ToolCallProgress)
    assert running.timestamp == datetime(2026, 1, 22, 19, 13, 10, 500_000, UTC).timestamp()
    assert running.tool_call_id == done.tool_call_id == "toolu_01JQPzZLN1GkctYVgpaaxD8X"
    assert (running.title, done.title) == ("glob", "files/linear/**/*.json")
    assert (running.status, done.status) == ("in_progress", "completed")
    assert (running.kind, done.kind) == ("search", "search")


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("2026-01-22T19:13:30.917345+00:00", 1_769_109_210.917345),
        ("2026-01-22T20:13:30+01:00", 1_769_109_210.0),
        ("2026-01-22T19:13:30Z", 1_769_109_210.0),
        ("2026-01-22T19:13:30", 1_769_109_210.0),
        (1_769_109_210, 1_769_109_210.0),
        (1_769_109_210_500, 1_769_109_210.5),
        ("2000-01-01T00:00:00Z", 946_684_800.0),
        ("1999-12-31T23:59:59Z", None),
        ("2100-01-01T00:00:00Z", None),
        ("yesterday", None),
        (-5, None),
        (True, None),
        (None, None),
        ([], None),
    ],
)
def test_times(written: Any, seconds: float | None) -> None:
    """S1.8, C14: a time that is none is left out, and the packet stays."""
    assert read_timestamp(written) == seconds
    chunk = parse_packet({**golden.read("s1-agent_message_chunk"), "timestamp": written})
    assert isinstance(chunk, AgentMessageChunk)
    assert chunk.timestamp == seconds


def test_an_input_is_filled_later() -> None:
    """S1.9: empty at first, filled while it runs and at its end."""
    starts = golden.packet("s1-tool_call_start-glob")
    assert isinstance(starts, ToolCallStart)
    assert starts.input == GlobInput()
    for name in ("glob-in_progress", "glob"):
        later = golden.packet(f"s1-tool_call_progress-{name}")
        assert isinstance(later, ToolCallProgress)
        assert later.input == GlobInput(pattern="files/linear/**/*.json")
        assert later.raw_input == {"pattern": "files/linear/**/*.json"}


def test_nothing_is_put_out_before_the_end() -> None:
    """S1.10: null is none, and no empty output."""
    running = golden.packet("s1-tool_call_progress-glob-in_progress")
    assert isinstance(running, ToolCallProgress)
    assert (running.raw_output, running.content, running.output) == (None, None, None)


@pytest.mark.parametrize("locations", [None, [], [{"_meta": None, "path": "/a", "line": None}]])
def test_locations_may_be_null(locations: Any) -> None:
    """S1.11: a list is set, even an empty one; null is not."""
    done = parse_packet({**golden.read("s1-tool_call_progress-glob"), "locations": locations})
    assert isinstance(done, ToolCallProgress)
    assert [place.path for place in done.locations] == ["/a"] * len(locations or [])
    assert ("locations" in done.model_fields_set) == (locations is not None)


def test_the_example_of_a_plan() -> None:
    """S1.37: entries with content, status and priority, and the time."""
    plan = golden.packet("s1-agent_plan_update")
    assert isinstance(plan, AgentPlanUpdate)
    assert [(e.content, e.status, e.priority) for e in plan.entries] == [
        ("Create prepare.sh script", "completed", "medium"),
        ("Build dashboard page", "in_progress", "medium"),
    ]
    assert plan.timestamp == 1_769_109_210.917345


@pytest.mark.parametrize("priority", ["high", "medium", "low"])
@pytest.mark.parametrize("status", ["pending", "in_progress", "completed"])
def test_states_and_priorities_of_a_plan(priority: str, status: str) -> None:
    """S1.37, C10: three of each."""
    entry = {"content": "a", "priority": priority, "status": status}
    plan = parse_packet({"type": "agent_plan_update", "entries": [entry]})
    assert isinstance(plan, AgentPlanUpdate)
    assert plan.entries[0].model_dump() == entry


@pytest.mark.parametrize("reason", ["end_turn", "max_tokens", "stop_sequence"])
def test_a_prompt_response_names_why(reason: str) -> None:
    """S1.39: the seed's three reasons."""
    ended = parse_packet({**golden.read("s1-prompt_response"), "stopReason": reason})
    assert isinstance(ended, PromptResponse)
    assert ended.stop_reason == reason


@pytest.mark.parametrize(("code", "told"), [("rate_limited", "rate_limited"), (-1, "-1")])
def test_an_error_has_a_message_and_perhaps_a_code(code: str | int, told: str) -> None:
    """S1.40, C16: a code is a word or a number."""
    plain = golden.packet("s1-error")
    coded = parse_packet({**golden.read("s1-error"), "code": code})
    assert isinstance(plain, ErrorPacket)
    assert isinstance(coded, ErrorPacket)
    assert (plain.message, plain.code) == ("The stream was interrupted.", "")
    assert (coded.message, coded.code) == ("The stream was interrupted.", told)
