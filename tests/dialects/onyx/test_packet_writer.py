"""Onyx packets as they are written into an event stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.dialects.onyx.packet_writer import write_packet
from acp_jupyter.packets import (
    Packet,
    ParseState,
    determine_packet_type,
    is_new_file_operation,
    parse_packet,
)
from acp_jupyter.protocol.packets import (
    PermissionRequest,
    PermissionResponse,
    ToolCallProgress,
    ToolCallStart,
    Unknown,
)
from acp_jupyter.protocol.session_packets import AgentInfoPacket, CancelSent, SessionSetup
from tests.acceptance import golden
from tests.support.transcript.any_packets import AGENT_PACKETS, MADE_PACKETS

EXAMPLES = sorted(file.stem for file in Path(golden.PACKETS).glob("s1-*.json"))


def wire(packet: Packet) -> Any:
    return json.loads(json.dumps(write_packet(packet)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_written_as_it_was(name: str) -> None:
    """What is written is the example's packet, apart from nulls and empty values."""
    raw = golden.read(name)
    packet = golden.packet(name)
    written = wire(packet)
    assert determine_packet_type(written) == determine_packet_type(raw)
    assert _said(written) | {"timestamp": 0} == _said(_typed(raw)) | {"timestamp": 0}


def _typed(raw: dict[str, Any]) -> dict[str, Any]:
    """Add the fields that real packets lack, with the newer names of two artifact types."""
    kind = determine_packet_type(raw)
    both = {"sessionUpdate": kind} if kind in {"agent_message_chunk", "agent_thought_chunk"} else {}
    made = raw.get("artifact")
    if not made:
        return {"type": kind, **both, **raw}
    words = {"nextjs_app": "web_app", "file": "other"}
    return {**raw, "artifact": {**made, "type": words.get(made["type"], made["type"])}}


def _said(value: Any) -> Any:
    """Leave out what says nothing."""
    if isinstance(value, list):
        return [_said(item) for item in value]
    if not isinstance(value, dict):
        return value
    said = {key: _said(item) for key, item in value.items()}
    return {key: item for key, item in said.items() if item not in (None, {}, [])}


@given(st.lists(AGENT_PACKETS | MADE_PACKETS, max_size=10))
def test_what_is_written_reads_as_what_it_was(packets: list[Packet]) -> None:
    """Packets of every kind, with any values."""
    state, again = ParseState(), ParseState()
    for packet in packets:
        # As one packet of a session: names and kinds are remembered from the first of a call.
        packet = parse_packet(wire(packet), again)
        back = parse_packet(wire(packet), state)
        if isinstance(packet, Unknown):
            assert isinstance(back, Unknown)
            assert wire(packet)["raw"] == packet.raw
        else:
            assert back == packet


@given(AGENT_PACKETS | MADE_PACKETS)
def test_one_packet_reads_as_what_it_was(packet: Packet) -> None:
    """A single packet, without a history."""
    back = parse_packet(wire(packet))
    if isinstance(packet, ToolCallStart) and packet.raw_input is None:
        packet = packet.model_copy(update={"raw_input": {}})  # an empty input is always an object
    assert isinstance(back, Unknown) if isinstance(packet, Unknown) else back == packet


def test_the_start_of_a_call_has_all_its_fields() -> None:
    """`raw_input` is never null: a reader looks into it."""
    written = wire(ToolCallStart(tool_call_id="c", title="glob", acp_kind="search"))
    assert written == {
        "_meta": None,
        "type": "tool_call_start",
        "sessionUpdate": "tool_call",
        "toolCallId": "c",
        "title": "glob",
        "kind": "search",
        "status": "pending",
        "content": None,
        "rawInput": {},
        "rawOutput": None,
        "locations": [],
    }


def test_an_update_erases_nothing() -> None:
    """Absent fields are null; an empty list of locations is a list."""
    written = wire(ToolCallProgress(tool_call_id="c"))
    silent = ("title", "kind", "status", "content", "rawInput", "rawOutput", "locations")
    assert all(written[name] is None for name in silent)
    none_left = ToolCallProgress(tool_call_id="c", locations=())
    assert wire(none_left)["locations"] == []


def test_a_new_file_has_an_empty_old_text() -> None:
    """With a null old text, whatever the agent wrote."""
    diff = {"type": "diff", "path": "/a", "oldText": None, "newText": "x"}
    raw = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "c",
        "kind": "edit",
        "content": [diff],
    }
    written = wire(parse_packet(raw))
    assert written["content"][0]["oldText"] == ""
    assert is_new_file_operation(written) is True


def test_a_permission_request_has_its_call_and_options() -> None:
    raw = {
        "type": "permission_request",
        "request_id": "p1",
        "toolCall": {"toolCallId": "c", "title": "Run ls", "kind": "execute"},
        "options": [{"optionId": "a", "name": "Allow", "kind": "allow_once"}],
    }
    request = parse_packet(raw)
    assert isinstance(request, PermissionRequest)
    written = wire(request)
    assert _said({**written, "toolCall": _said(written["toolCall"])}) == raw
    chosen = PermissionResponse(request_id="p1", option_id="a", reason="By rule: ls")
    assert wire(chosen) == {
        "type": "permission_response",
        "request_id": "p1",
        "outcome": {"outcome": "selected", "optionId": "a"},
        "reason": "By rule: ls",
    }
    assert parse_packet(wire(chosen)) == chosen
    dismissed = PermissionResponse(request_id="p1")
    assert wire(dismissed)["outcome"] == {"outcome": "cancelled"}
    assert parse_packet(wire(dismissed)) == dismissed


def test_a_time_has_the_form_of_both_dialects() -> None:
    """ISO 8601, with milliseconds."""
    packet = parse_packet({"type": "error", "message": "x", "timestamp": 1737374400.1239})
    assert wire(packet)["timestamp"] == "2025-01-20T12:00:00.123Z"


@pytest.mark.parametrize("packet", [CancelSent(), SessionSetup(), AgentInfoPacket()])
def test_what_only_the_traffic_has_is_left_out(packet: Packet) -> None:
    assert write_packet(packet) is None
