"""A tool call's content that version 2 tells in pieces: what it costs, and what is held of it."""

from __future__ import annotations

from typing import Any

from acp_jupyter.protocol.packets import ToolCallProgress
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.protocol.version_2.call_contents import CallContents
from tests.support.script import Script

HELLO = {"protocolVersion": 2, "info": {"name": "x"}}
PIECE = "0123456789" * 4


def block(words: str) -> Any:
    return {"type": "content", "content": {"type": "text", "text": words}}


def begun() -> Script:
    script = Script()
    asked = script.line(">", {"id": 7, "method": "initialize", "params": {}})
    script.line("<", {"id": 7, "result": HELLO}, asked)
    script.turn()
    script.update("tool_call_update", toolCallId="c", title="Build")
    return script


def told_chars(pieces: int) -> int:
    """Return how many characters of content are told of so many pieces."""
    reader, told = TrafficReader(), 0
    update = {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "c"}
    for number in range(pieces):
        params = {"sessionId": "a1", "update": {**update, "content": block(PIECE)}}
        message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
        for packet in reader.read(TrafficEntry(number, 1.0, "<", message)):
            assert isinstance(packet, ToolCallProgress)
            told += sum(len(str(item)) for item in packet.content or ())
    return told


def test_a_long_content_in_pieces_is_not_told_with_each() -> None:
    short, long = told_chars(4_000), told_chars(16_000)
    assert long < 4 * short
    assert long < 200 * 16_000 * len(PIECE)


def test_all_of_it_is_told_at_the_end_of_its_call_and_of_the_turn() -> None:
    for end in ("call", "turn"):
        script = begun()
        for number in range(3_000):
            script.update("tool_call_content_chunk", toolCallId="c", content=block(f"{number:40}"))
        if end == "call":
            script.update("tool_call_update", toolCallId="c", status="completed")
        else:
            script.update("state_update", state="idle", stopReason="end_turn")
        items = script.transcript.window(0, 10)
        (output,) = (item.output for item in items if item.kind == "tool_call")
        assert output == "".join(f"{number:40}" for number in range(3_000))


def test_what_all_calls_hold_is_bounded() -> None:
    contents = CallContents()
    picture: Any = {"type": "content", "content": {"type": "image", "data": "x" * 400_000}}
    for number in range(100):
        contents.set(f"whole{number}", [picture] * 5, ended=False)
        contents.set(f"set{number}", [picture], ended=False)
        contents.added("s", f"in pieces {number}", [picture])
        contents.added("s", f"in pieces {number}", [picture])
    assert len(str(contents.saved())) < 4_100_000
    assert contents.added("s", "in pieces 99", [picture]) is None


def test_calls_that_have_ended_are_forgotten_with_their_turn() -> None:
    contents = CallContents()
    for number in range(10):
        contents.added("s", f"c{number}", [block("a")])
        contents.set(f"c{number}", None, ended=number % 2 == 0)
    assert contents.end_turn("s") == []
    assert [contents.knows(f"c{number}") for number in range(10)] == [False, True] * 5
