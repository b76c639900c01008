"""The types of seed 004: packets, names, kinds, inputs and outputs."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import TypeAdapter

from acp_jupyter.packets import (
    SEED_TOOL_NAMES,
    Packet,
    PacketType,
    ToolName,
    UiKind,
    determine_packet_type,
    parse_packet,
)
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    AgentThoughtChunk,
    PermissionRequest,
    ToolCallProgress,
    ToolCallStart,
    Unknown,
)
from tests.acceptance import golden

Json = dict[str, Any]

PACKET_TYPES = (
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call_start",
    "tool_call_progress",
    "agent_plan_update",
    "prompt_response",
    "artifact_created",
    "error",
    "unknown",
)
NAMES = (
    "glob",
    "grep",
    "read",
    "write",
    "edit",
    "bash",
    "task",
    "todowrite",
    "webfetch",
    "websearch",
    "unknown",
)
PACKET_FIELDS: Json = {
    "toolCallId": "c",
    "message": "m",
    "content": {"type": "text", "text": "t"},
    "artifact": {"id": "a", "type": "file", "name": "n", "path": "p"},
}


def test_the_words_are_exactly_these() -> None:
    """S5.4, S5.5, S5.6, C27: nine types, eleven names, six kinds."""
    assert get_args(PacketType) == PACKET_TYPES
    assert get_args(ToolName) == NAMES
    assert frozenset(NAMES) == SEED_TOOL_NAMES
    assert get_args(UiKind) == ("search", "read", "execute", "edit", "task", "other")


@pytest.mark.parametrize("packet_type", PACKET_TYPES)
def test_one_place_tells_the_types(packet_type: str) -> None:
    """S5.1, S5.4: by `type` alone, and the parser agrees."""
    packet = {**PACKET_FIELDS, "type": packet_type}
    assert determine_packet_type(packet) == packet_type
    assert parse_packet(packet).type == packet_type


def test_every_golden_packet_is_of_the_type_that_is_told() -> None:
    """S5.1: what the seeds do not name is unknown there, and only there."""
    wider = 0
    for file in golden.PACKETS.glob("*.json"):
        raw, packet = golden.read(file.stem), golden.packet(file.stem)
        told = determine_packet_type(raw.get("params", {}).get("update", raw))
        wider += told != packet.type
        assert told in {packet.type, "unknown"}
    assert wider


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        ({"type": "moon", "sessionUpdate": "plan"}, "agent_plan_update"),
        ({"type": None, "sessionUpdate": "plan"}, "agent_plan_update"),
        ({"type": "", "sessionUpdate": "agent_thought_chunk"}, "agent_thought_chunk"),
        ({"type": "prompt_response", "sessionUpdate": "plan"}, "prompt_response"),
        ({"type": "plan"}, "unknown"),
        ({"type": "tool_call"}, "unknown"),
        ({"sessionUpdate": "tool_call_start"}, "unknown"),
        ({"sessionUpdate": "error"}, "unknown"),
        ({"sessionUpdate": "user_message_chunk"}, "unknown"),
        ({"session_update": "plan"}, "agent_plan_update"),
        ({"sessionUpdate": "tool_call", "session_update": "plan"}, "tool_call_start"),
        ({"sessionUpdate": 5, "type": []}, "unknown"),
        ({}, "unknown"),
    ],
    ids=str,
)
def test_the_order_of_the_keys(packet: Json, expected: str) -> None:
    """S5.12, C2: a `type` that is unknown falls through to `sessionUpdate`."""
    assert determine_packet_type(packet) == expected


SNAKE = {
    "type": "tool_call_progress",
    "tool_call_id": "c",
    "tool_name": "read",
    "raw_input": {"file_path": "/a"},
    "raw_output": {"output": "text"},
}
CAMEL = {
    "type": "tool_call_progress",
    "toolCallId": "c",
    "toolName": "read",
    "rawInput": {"filePath": "/a"},
    "rawOutput": {"output": "text"},
}


def test_both_spellings_are_read() -> None:
    """S5.2, C12: and `title` where no name is given."""
    snake, camel = parse_packet(SNAKE), parse_packet(CAMEL)
    titled = parse_packet({**CAMEL, "toolName": None, "title": "read"})
    for progress in (snake, camel, titled):
        assert isinstance(progress, ToolCallProgress)
        assert (progress.tool_call_id, progress.tool_name) == ("c", "read")
        assert progress.input.model_dump() == {"tool_name": "read", "file_path": "/a"}
        assert progress.output is not None
        assert progress.output.model_dump()["data"]["content"] == "text"
    assert isinstance(snake, ToolCallProgress)
    aliased = snake.model_dump(by_alias=True)
    assert {"toolCallId", "toolName", "rawInput", "rawOutput"} <= aliased.keys()


@pytest.mark.parametrize("kind", ["agent_message_chunk", "agent_thought_chunk"])
def test_a_message_chunk_is_type_and_text(kind: str) -> None:
    """S5.7, S5.2: of a message and of a thought."""
    chunk = parse_packet({"type": kind, "content": {"type": "text", "text": "hi"}})
    assert isinstance(chunk, AgentMessageChunk | AgentThoughtChunk)
    assert (chunk.type, chunk.text) == (kind, "hi")
    image = parse_packet({"type": kind, "content": {"type": "image", "data": "x"}})
    assert isinstance(image, AgentMessageChunk | AgentThoughtChunk)
    assert image.text == ""
    for key in ("messageId", "message_id"):
        named = parse_packet({"type": kind, key: "m", "content": "hi"})
        assert isinstance(named, AgentMessageChunk | AgentThoughtChunk)
        assert named.message_id == "m"


def test_a_start_is_id_name_and_kind() -> None:
    """S5.8."""
    start = golden.packet("s1-tool_call_start-bash")
    assert isinstance(start, ToolCallStart)
    assert (start.tool_call_id, start.tool_name, start.kind) == ("toolu_bash", "bash", "execute")


@pytest.mark.parametrize("status", ["pending", "in_progress", "completed", "failed", "cancelled"])
def test_progress_has_all_its_fields(status: str) -> None:
    """S5.9, C11: five statuses, input, output, locations."""
    raw = {**golden.read("s1-tool_call_progress-read"), "status": status}
    progress = parse_packet(raw)
    assert isinstance(progress, ToolCallProgress)
    assert (progress.tool_call_id, progress.kind, progress.status) == ("toolu_read", "read", status)
    assert [place.path for place in progress.locations] == [raw["locations"][0]["path"]]
    assert progress.output is not None
    assert progress.input.model_dump()["file_path"] == raw["rawInput"]["filePath"]
    none = parse_packet({"type": "tool_call_progress", "toolCallId": "c"})
    assert isinstance(none, ToolCallProgress)
    assert (none.output, none.locations) == (None, ())


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("todo", "pending"),
        ("inProgress", "in_progress"),
        ("in-progress", "in_progress"),
        ("running", "in_progress"),
        ("active", "in_progress"),
        ("complete", "completed"),
        ("DONE", "completed"),
        ("success", "completed"),
        ("succeeded", "completed"),
        ("failure", "failed"),
        ("error", "failed"),
        ("canceled", "cancelled"),
        ("odd", None),
        (5, None),
    ],
)
def test_words_of_other_dialects(word: Any, status: str | None) -> None:
    """S5.9, C11: a status that nobody knows changes nothing."""
    progress = parse_packet({"type": "tool_call_progress", "toolCallId": "c", "status": word})
    assert isinstance(progress, ToolCallProgress)
    assert progress.status == status
    start = parse_packet({"type": "tool_call_start", "toolCallId": "c", "status": word})
    assert isinstance(start, ToolCallStart)
    assert start.status == (status or "pending")


def test_the_other_packets() -> None:
    """S5.10: plan, prompt response, artifact, error and unknown."""
    plan = parse_packet({"type": "agent_plan_update", "entries": [{"content": "a"}]})
    assert plan.type == "agent_plan_update"
    assert [entry.content for entry in plan.entries] == ["a"]
    ended = parse_packet({"type": "prompt_response", "stopReason": "max_tokens"})
    assert ended.type == "prompt_response"
    assert ended.stop_reason == "max_tokens"
    made = parse_packet({"type": "artifact_created", "artifact": PACKET_FIELDS["artifact"]})
    assert made.type == "artifact_created"
    assert (made.artifact.id, made.artifact.name, made.artifact.path) == ("a", "n", "p")
    error = parse_packet({"type": "error", "message": "m"})
    assert error.type == "error"
    assert error.message == "m"
    raw: Json = {"type": "moon", "deep": [1, {"a": None}]}
    assert parse_packet(raw) == Unknown(raw=raw)


@pytest.mark.parametrize("raw", [None, 5, 1.5, "text", True, [], [{"type": "error"}], {}])
def test_what_is_no_packet_is_unknown(raw: Any) -> None:
    """S5.11: with the raw value, and never raising."""
    packet = parse_packet(raw)
    assert isinstance(packet, Unknown)
    assert packet.raw == raw
    odd = object()
    kept = parse_packet(odd)
    assert isinstance(kept, Unknown)
    assert kept.raw is odd


def test_every_packet_survives_its_own_json() -> None:
    """S5.10: the union is typed and tagged by `type`."""
    adapter: TypeAdapter[Packet] = TypeAdapter(Packet)
    for file in golden.PACKETS.glob("*.json"):
        packet = golden.packet(file.stem)
        if not isinstance(packet, ToolCallStart | ToolCallProgress | PermissionRequest):
            assert adapter.validate_json(packet.model_dump_json()) == packet
