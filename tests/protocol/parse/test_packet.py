"""One table tells of what type a packet is, whoever asks."""

from __future__ import annotations

from itertools import product
from typing import Any, get_args

import pytest
from acp import schema
from pydantic import BaseModel

from acp_jupyter.packets import determine_packet_type, parse_packet
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    ErrorPacket,
    PromptResponse,
    Unknown,
)
from acp_jupyter.protocol.parse import packet, session
from acp_jupyter.protocol.parse.packet import PACKET_NAMES
from tests.support.log.imported import import_lines

Json = dict[str, Any]

FIELDS: Json = {
    "toolCallId": "c",
    "request_id": "r",
    "message": "m",
    "step_id": "s",
    "path": "p",
    "requestId": "r",
    "elicitationId": "e",
    "compactionId": "c",
    "planId": "p",
    "currentModeId": "m",
    "used": 1,
    "size": 2,
    "entries": [],
    "stopReason": "end_turn",
    "content": {"type": "text", "text": "t"},
    "artifact": {"id": "a", "type": "file", "name": "n", "path": "p"},
}
ONYX_TYPES = [
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call_start",
    "tool_call_progress",
    "agent_plan_update",
    "prompt_response",
    "artifact_created",
    "error",
]
WIDER = [
    "plan",
    "tool_call",
    "tool_call_update",
    "tool_start",
    "tool_progress",
    "tool_end",
    "output_delta",
    "step_delta",
    "notice",
    "done",
    "user_message_chunk",
    "user_message",
    "permission_request",
    "moon",
]
UPDATES = {
    "agent_message_chunk": "agent_message_chunk",
    "agent_thought_chunk": "agent_thought_chunk",
    "tool_call": "tool_call_start",
    "tool_call_update": "tool_call_progress",
    "plan": "agent_plan_update",
}


@pytest.mark.parametrize("key", ["sessionUpdate", "session_update"])
@pytest.mark.parametrize(("name", "update"), [*product(WIDER, UPDATES)])
def test_a_known_update_counts_before_a_wider_type(name: str, update: str, key: str) -> None:
    """The parser and `determine_packet_type` agree."""
    packet = {**FIELDS, "type": name, key: update}
    assert determine_packet_type(packet) == UPDATES[update]
    assert parse_packet(packet).type == UPDATES[update]


@pytest.mark.parametrize(("name", "update"), [*product(ONYX_TYPES, UPDATES)])
def test_a_type_of_onyx_packets_counts_first(name: str, update: str) -> None:
    packet = {**FIELDS, "type": name, "sessionUpdate": update}
    assert determine_packet_type(packet) == parse_packet(packet).type == name


@pytest.mark.parametrize("name", [name for name in WIDER if name != "moon"])
def test_a_wider_type_counts_without_a_known_update(name: str) -> None:
    """`determine_packet_type` does not know it, the parser does."""
    packet = {**FIELDS, "type": name, "sessionUpdate": "sun"}
    assert determine_packet_type(packet) == "unknown"
    assert parse_packet(packet).type != "unknown"


def test_the_table_tells_what_the_parser_makes() -> None:
    """Each name, under either key, is read by the parser."""
    for (name, wanted), key in product(PACKET_NAMES.items(), ("type", "sessionUpdate")):
        assert parse_packet({**FIELDS, key: name}).type == wanted, name
    assert packet._READERS.keys() == PACKET_NAMES.keys()


def test_every_update_of_the_protocol_is_known() -> None:
    """ACP: session/update, as its own package has them; compaction is not in it yet."""
    kinds = [
        kind
        for kind in vars(schema).values()
        if isinstance(kind, type) and issubclass(kind, BaseModel)
    ]
    fields = [kind.model_fields.get("session_update") for kind in kinds]
    updates = {name for field in fields if field for name in get_args(field.annotation)}
    assert len(updates) > 10
    assert updates <= PACKET_NAMES.keys()
    compaction: list[Json] = [
        {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "in_progress"},
        {
            "sessionUpdate": "compaction_summary_chunk",
            "compactionId": "c",
            "content": FIELDS["content"],
        },
    ]
    assert [parse_packet(update).type for update in compaction] == ["notice", "notice"]


def test_an_import_ends_its_turn_where_the_parser_does() -> None:
    """``done`` beside the update of a chunk is a chunk."""
    text = {"type": "text", "text": "Yes"}
    chunk = {"type": "done", "sessionUpdate": "agent_message_chunk", "content": text}
    imported = import_lines([chunk, {"type": "done", "sessionUpdate": ""}])
    assert imported.kinds() == ["agent_message", "turn_end"]
    assert imported.turns() == [("", "end_turn")]
    assert imported.problems == []


@pytest.mark.parametrize(
    ("around", "wanted"),
    [
        ({"method": "session/update"}, "agent_plan_update"),
        ({"method": "anything"}, "agent_plan_update"),
        ({}, "unknown"),
    ],
    ids=str,
)
def test_a_whole_message_is_unwrapped(around: Json, wanted: str) -> None:
    update = {"sessionUpdate": "plan", "entries": []}
    assert parse_packet({**around, "params": {"update": update}}).type == wanted
    for params in (5, {}, {"update": "plan"}):
        assert parse_packet({**around, "params": params, **update}).type == "agent_plan_update"


def test_half_a_character_is_replaced() -> None:
    chunk = {"sessionUpdate": "agent_message_chunk", "content": "a\ud83d"}
    packet = parse_packet(chunk)
    assert isinstance(packet, AgentMessageChunk)
    assert packet.text == "a\ufffd"


@pytest.mark.parametrize(
    ("at", "seconds"),
    [
        ("2000-01-01T00:00:00Z", 946_684_800.0),
        ("1999-12-31T23:59:59Z", None),
        ("2099-12-31T23:59:59Z", 4_102_444_799.0),
        ("2100-01-01T00:00:00Z", None),
        (946_684_800, 946_684_800.0),
        (4_102_444_799, 4_102_444_799.0),
        (4_102_444_800_000, None),
        (4_102_444_799_000, 4_102_444_799.0),
    ],
)
def test_a_time_lies_in_this_century(at: Any, seconds: float | None) -> None:
    made = parse_packet({"type": "done", "timestamp": at})
    assert isinstance(made, PromptResponse)
    assert made.timestamp == seconds


@pytest.mark.parametrize("raw", ["words", 5, None, ["type"]])
def test_what_is_no_object_is_kept_as_it_is(raw: Any) -> None:
    for is_clean in (True, False):
        assert parse_packet(raw, is_clean=is_clean) == Unknown(raw=raw)


def test_an_error_that_is_no_object_is_told_as_it_is() -> None:
    assert session.error("Broken.") == ErrorPacket(message="Broken.")
    assert session.error([1, "a"]) == ErrorPacket(message='[1, "a"]')


def test_a_reader_that_fails_gives_an_unknown_packet(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise ValueError

    monkeypatch.setitem(packet._READERS, "plan", fails)
    raw: Json = {"sessionUpdate": "plan", "entries": []}
    assert parse_packet(raw) == Unknown(raw=raw)
