"""What holds for the transcript of any packets, however they come."""

from __future__ import annotations

import itertools
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_jupyter.packets import parse_packet
from acp_jupyter.protocol.json import read_json
from acp_jupyter.transcript.model.events import Snapshot
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.transcript.event_view import View
from tests.support.transcript.odd_packets import PACKETS, SLOW, TYPES
from tests.support.transcript.traffic import Script

Json = dict[str, Any]


def _play(packets: list[Json]) -> Script:
    script = Script()
    script.turn()
    for packet in packets:
        _tell(script, packet)
    return script


def _tell(script: Script, packet: Json) -> None:
    """Enter a packet as it is read from a line of a log."""
    script.imported(read_json(json.dumps(packet)))


@given(packets=st.lists(PACKETS, max_size=3), late=st.booleans())
@settings(SLOW, max_examples=150)
def test_nulls_erase_nothing(packets: list[Json], late: bool) -> None:
    """Of no field, after any history."""
    script = _play([{"type": "tool_call", "toolCallId": "a", "title": "bash"}, *packets])
    before = _call(script)
    keys = ("title", "kind", "status", "content", "rawInput", "rawOutput", "locations", "message")
    nulls: Json = dict.fromkeys(keys) if late else {}
    _tell(script, {"type": "tool_call_progress", "toolCallId": "a", **nulls})
    assert _call(script) == before


def _call(script: Script) -> ToolCall:
    state = script.transcript
    found = [item for item in state.window(0, len(state.items)) if isinstance(item, ToolCall)]
    return [item for item in found if item.tool_call_id == "a"][-1]


@given(packets=st.lists(PACKETS, max_size=5), at=st.integers(0, 5))
@settings(SLOW, max_examples=150)
def test_any_resume_point_gives_the_same_transcript(packets: list[Json], at: int) -> None:
    """A page that connects late shows the same as one connected from the start."""
    script = _play(packets[:at])
    state = script.transcript
    turns = tuple(state.turns[turn] for turn in state.turn_order)
    snapshot = Snapshot(
        session_id="s1",
        seq=state.seq,
        epoch="e",
        session=state.session,
        items=state.window(0, len(state.items)),
        first_index=0,
        total=len(state.items),
        turns=turns,
    )
    late = View().take([snapshot])
    early = View().take(script.events)
    already = len(script.events)
    for packet in packets[at:]:
        _tell(script, packet)
    rest = script.events[already:]
    assert late.take(rest).state()[1:] == early.take(rest).state()[1:]
    after = script.transcript
    items = [item.model_dump(mode="json") for item in after.window(0, len(after.items))]
    assert late.state()[1] == items
    assert _play(packets).transcript.window(0, len(items)) == after.window(0, len(items))


@given(text=st.text(min_size=1, max_size=60), cuts=st.lists(st.integers(0, 60), max_size=6))
@settings(SLOW)
def test_any_split_of_a_text_gives_the_same_items(text: str, cuts: list[int]) -> None:
    """A message, a thought and a step, however they are cut."""
    text = text.encode("utf-8", "replace").decode()
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[start:end] for start, end in itertools.pairwise(places)]
    for make in (_message, _thought, _step):
        whole, cut = _play([make(text)]), _play([make(piece) for piece in pieces])
        seen = [[_seen(item) for item in View().take(s.events).state()[1]] for s in (whole, cut)]
        assert seen[0] == seen[1]


def _seen(item: Json) -> tuple[Any, ...]:
    return item["kind"], item["text"], item.get("open")


def _message(text: str) -> Json:
    return {"type": "agent_message_chunk", "content": {"type": "text", "text": text}}


def _thought(text: str) -> Json:
    return {"type": "agent_thought_chunk", "content": {"type": "text", "text": text}}


def _step(text: str) -> Json:
    return {"type": "step_delta", "step_id": "s", "content": text}


NUMBERS = ("progress", "timestamp", "size_bytes", "code", "used", "size", "exit", "line", "count")
HUGE = st.sampled_from([10**400, -(10**400), 1e308, -1e308, 10**18, -1, 0.1, True])


@given(kind=st.sampled_from(TYPES), numbers=st.lists(HUGE, min_size=9, max_size=9))
@settings(SLOW, max_examples=150)
def test_no_number_is_too_large(kind: str, numbers: list[Any]) -> None:
    """In every field that is a number, and in those that are not."""
    flat = dict(zip(NUMBERS, numbers, strict=True))
    deep = {"usage": {"inputTokens": numbers[0]}, "cost": {"amount": numbers[1]}}
    meta = {"_meta": {"claudeCode": {"durationMs": numbers[2]}}, "entries": [{"priority": -1}]}
    output = {"rawOutput": flat, "locations": [{"path": "p", "line": numbers[3]}]}
    packet = {"type": kind, "toolCallId": "a", "path": "p", "title": "bash", "message": "m"}
    _play([{**packet, **flat, **deep, **meta, **output}]).transcript.window(0, 9)
    assert json.dumps(parse_packet({**packet, **flat}).model_dump(mode="json"))
