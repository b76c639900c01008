"""A tool call's content that version 2 tells in pieces: what it costs, and what is held of it."""

from __future__ import annotations

from typing import Any

from acp_jupyter.protocol.packets import ToolCallProgress
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.protocol.version_2.call_contents import CallContents
from tests.support.transcript.traffic import Script

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


def image(size: int) -> Any:
    """Return an item that counts as so many characters."""
    data = "x" * (size - len("content") - len("image"))
    return {"type": "content", "content": {"type": "image", "data": data}}


def held(contents: CallContents, name: str) -> Any:
    """Return a call's content, and how many characters it is counted as and has told."""
    calls: Any = contents.saved()["calls"]
    (found,) = (each for each in calls if each[0] == name)
    return found[1], found[2], found[3]


def test_two_hundred_calls_are_known() -> None:
    contents = CallContents()
    for number in range(200):
        contents.set(f"c{number}", None, ended=False)
    assert contents.knows("c0")
    contents.set("c200", None, ended=False)
    assert not contents.knows("c0")
    assert contents.knows("c1")
    contents.forget("never told")


def test_of_a_call_without_content_nothing_is_held() -> None:
    contents = CallContents()
    contents.set("c", None, ended=False)
    assert held(contents, "c") == ([], 0, 0)


def test_a_thousand_items_are_held() -> None:
    contents = CallContents()
    for _ in range(1000):
        assert contents.added("s", "c", [image(20)]) is not None
    assert contents.added("s", "c", [image(20)]) is None
    assert len(held(contents, "c")[0]) == 1000


def test_a_million_characters_of_a_call_are_held() -> None:
    contents = CallContents()
    assert contents.set("c", [image(999_900)], ended=False) is None
    assert contents.added("s", "c", [image(101)]) is None
    contents.added("s", "c", [image(100)])
    assert [len(each) for each in contents.end_turn("s")] == [2]
    assert held(contents, "c") == ([image(999_900), image(100)], 1_000_000, 1_000_000)
    contents.set("whole", [image(1_000_000)], ended=False)
    assert held(contents, "whole")[0] == [image(1_000_000)]
    contents.set("more", [image(1_000_001)], ended=False)
    assert held(contents, "more") == ([], 1_000_001, 1_000_001)
    assert contents.added("s", "more", [image(20)]) is None


def test_four_million_characters_of_all_calls_are_held() -> None:
    contents = CallContents()
    for number in range(4):
        contents.set(f"c{number}", [image(1_000_000)], ended=False)
    contents.set("too much", [image(1_000_001)], ended=False)  # of which nothing is held
    assert contents.knows("c0")
    contents.set("c4", [image(20)], ended=False)
    assert not contents.knows("c0")
    contents.set("c5", [image(999_980)], ended=False)
    assert contents.knows("c1")
    contents.forget("never told")
    contents.set("c6", [1], ended=False)
    assert not contents.knows("c1")


def test_a_long_content_is_told_when_it_has_grown_by_a_64th() -> None:
    contents = CallContents()
    assert contents.set("c", [image(65_535)], ended=False) is None
    assert contents.added("s", "c", [image(20)]) is not None  # 65,535 is short
    contents = CallContents()
    contents.set("c", [image(65_536)], ended=False)
    assert contents.added("s", "c", [image(1024)]) is None
    assert contents.added("s", "c", [image(20)]) is not None


def test_numbers_count_too() -> None:
    contents = CallContents()
    contents.set("c", [{"type": "x", "size": 5, "of": [True, None]}], ended=False)
    assert held(contents, "c")[1] == 4


def test_a_text_goes_on_in_the_text_before_it() -> None:
    contents = CallContents()
    contents.set("c", [image(20), block("a")], ended=False)
    assert held(contents, "c")[0] == [image(20), block("a")]
    assert contents.added("s", "c", [block("b")]) == [image(20), block("ab")]
    contents.set("d", [block("a"), image(20)], ended=False)
    assert contents.added("s", "d", [block("b")]) == [block("a"), image(20), block("b")]


def untold(contents: CallContents, name: str, session_id: str) -> None:
    contents.set(name, [image(70_000)], ended=False)
    assert contents.added(session_id, name, [image(20)]) is None


def test_only_what_ends_a_call_tells_what_was_not_told() -> None:
    contents = CallContents()
    untold(contents, "c", "s")
    assert contents.set("c", None, ended=False) is None
    assert contents.set("c", None, ended=True) == [image(70_000), image(20)]
    assert contents.added("s", "c", [image(20)]) is None
    assert contents.set("c", None, ended=True) is None


def test_the_end_of_a_sessions_work_leaves_the_calls_of_others() -> None:
    contents = CallContents()
    untold(contents, "mine", "s")
    untold(contents, "other", "t")
    contents.set("other", None, ended=True)
    assert contents.added("t", "other", [image(20)]) is None
    assert [name for name, _ in contents.end_turn("s")] == ["mine"]
    assert contents.knows("other")
    assert [name for name, _ in contents.end_turn("t")] == ["other"]
    assert not contents.knows("other")
