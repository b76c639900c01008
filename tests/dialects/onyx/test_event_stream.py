"""Server-sent events, written and read."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.dialects.onyx import event_stream
from acp_jupyter.dialects.onyx.build_packets import (
    OutputDeltaPacket,
    ToolEndPacket,
    format_packet_event,
)
from acp_jupyter.dialects.onyx.event_stream import (
    SseDecoder,
    SseEvent,
    format_event,
    read_packets,
    unframed,
)
from acp_jupyter.packets import ParseState
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    ToolCallProgress,
    ToolCallStart,
    Unknown,
)

NOON = datetime(2025, 1, 20, 12, tzinfo=UTC)


def read(*chunks: bytes) -> list[SseEvent]:
    decoder = SseDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.end()


def test_a_packet_is_one_event_in_the_one_form() -> None:
    """`event: message`, the JSON by its aliases in one line, an empty line."""
    packet = ToolEndPacket(tool_call_id="c", tool_name="Read", result="two\nlines", timestamp=NOON)
    data = (
        '{"type":"tool_end","tool_call_id":"c","tool_name":"Read","status":"success",'
        '"result":"two\\nlines","timestamp":"2025-01-20T12:00:00.000Z"}'
    )
    assert format_packet_event(packet) == f"event: message\ndata: {data}\n\n"


def test_a_time_of_another_zone_is_written_in_that_of_z() -> None:
    """Z stands for UTC."""
    tokyo = NOON.astimezone(timezone(timedelta(hours=9)))
    event = format_packet_event(ToolEndPacket(tool_call_id="c", tool_name="x", timestamp=tokyo))
    assert '"timestamp":"2025-01-20T12:00:00.000Z"' in event


@pytest.mark.parametrize("cut", range(5))
def test_a_byte_order_mark_is_no_part_of_the_first_field(cut: int) -> None:
    """As in the standard for event streams."""
    stream = b"\xef\xbb\xbfdata: 1\n\ndata: \xef\xbb\xbf2\n\n"
    events = read(stream[:cut], stream[cut:])
    assert [event.data for event in events] == ["1", "\ufeff2"]


def test_aliases_are_those_of_the_wire() -> None:
    """`mimeType`, also in a snake case packet."""
    raw = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    packet = OutputDeltaPacket.model_validate({"content": "", "content_block": raw})
    assert '"mimeType":"image/png"' in format_packet_event(packet)


STREAM = (
    b"\xef\xbb\xbf: a comment\r\n"
    b"retry: 1000\n\n"
    b'event: message\ndata: {"type": "output_start"}\n\n'
    b"id: 7\r\nevent:other\r\ndata:first\r\ndata: second\r\ndata\r\n\r\n"
    b":\n: ping\n\n"
    b"id: a\0b\nnonsense\nfield: x\rdata: Gr\xc3\xbc\xc3\x9fe \xf0\x9f\x8e\x89\r\r"
    b"data: last"
)
EVENTS = [
    SseEvent('{"type": "output_start"}'),
    SseEvent("first\nsecond\n", "other", "7"),
    SseEvent("Grüße 🎉", "message", "7"),
    SseEvent("last", "message", "7"),
]


def test_comments_line_ends_and_data_of_many_lines() -> None:
    """Any line end, comments, unknown fields, several lines of data, no end."""
    assert read(STREAM) == EVENTS


@given(st.lists(st.integers(0, len(STREAM)), max_size=20))
def test_a_stream_may_be_cut_anywhere(cuts: list[int]) -> None:
    """Also within a line end, a character or a field."""
    ends = [0, *sorted(cuts), len(STREAM)]
    assert read(*(STREAM[a:b] for a, b in pairwise(ends))) == EVENTS


def test_a_stream_may_come_byte_by_byte() -> None:
    """However slowly it comes."""
    assert read(*(STREAM[n : n + 1] for n in range(len(STREAM)))) == EVENTS


@given(st.lists(st.text()), st.integers(0, 10**15))
def test_what_is_written_is_read(texts: list[str], first: int) -> None:
    """Whatever characters a packet holds."""
    data = [json.dumps(text, ensure_ascii=False).encode("utf-8", "replace") for text in texts]
    written = b"".join(format_event(line, first + n) for n, line in enumerate(data))
    assert [(event.data.encode(), event.id) for event in read(written)] == [
        (line, str(first + n)) for n, line in enumerate(data)
    ]


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_any_bytes_are_read(chunks: list[bytes]) -> None:
    """No exception is raised; what is no JSON gives an unknown packet."""
    for packet in read_packets(chunks):
        assert packet.type


def test_packets_of_both_dialects_are_read() -> None:
    """`type` says which packet it is."""
    stream = [
        b'data: {"type": "output_delta", "content": "a"}\n\ndata: {"sessionUpdate": "agent_mes',
        b'sage_chunk", "content": {"type": "text", "text": "b"}}\n\ndata: {oops\n\n',
    ]
    one, two, three = read_packets(stream)
    assert isinstance(one, AgentMessageChunk)
    assert isinstance(two, AgentMessageChunk)
    assert (one.text, two.text) == ("a", "b")
    assert three == Unknown(raw="{oops")


@pytest.mark.parametrize("flood", [b"data: xxxxxxxxxxxxx\n", b"x", b": xxxxxxxxxxxxxxxx\n"])
def test_an_endless_event_takes_no_memory(flood: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "_MAX_CHARS", 100)
    events = read(*[flood] * 1000, b"\n\ndata: after\n\n")
    assert events[-1] == SseEvent("after")
    assert sum(len(event.data) for event in events) < 200


def test_a_tool_is_known_by_its_first_packet_in_this_stream_or_an_earlier_one() -> None:
    start = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "grep"}
    more = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}
    first, second = (format_event(json.dumps(raw).encode(), 1) for raw in (start, more))

    def names(chunks: list[bytes], state: ParseState | None = None) -> list[str]:
        found = list(read_packets(chunks, state))
        assert all(isinstance(each, ToolCallStart | ToolCallProgress) for each in found)
        return [getattr(each, "tool_name", "") for each in found]

    assert names([first, second]) == ["grep", "grep"]
    state = ParseState()
    assert [names([first], state), names([second], state)] == [["grep"], ["grep"]]
    assert names([second]) == ["unknown"]


@pytest.mark.parametrize(("more", "whole"), [(0, True), (1, False)])
def test_an_event_of_a_capture_has_at_most_64_mib(more: int, whole: bool) -> None:
    size = 64 * 1024 * 1024 + more
    captured = [len(line) for line in unframed([b"data: " + b"x" * size, b"data: y"])]
    assert captured == ([size + 2, 0] if whole else [size, 1])


@pytest.mark.parametrize(("more", "whole"), [(0, True), (1, False)])
def test_a_line_of_a_stream_has_at_most_64_mib(more: int, whole: bool) -> None:
    line = b"data: " + b"x" * (64 * 1024 * 1024 - 6 + more)
    sizes = [len(event.data) for event in read(line, b"\n\n", b"data: y\n\n")]
    assert sizes == ([len(line) - 6, 1] if whole else [1])


def test_half_a_character_at_the_end_is_told() -> None:
    assert [event.data for event in read(b"data: a\xc3")] == ["a\ufffd"]
