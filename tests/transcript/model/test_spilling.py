"""What a server holds of a session does not grow with it, and nobody can tell the difference."""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.host.store.spill_file import SpillFile
from acp_jupyter.protocol.host_events.notes import ImportedPacket
from acp_jupyter.protocol.json import read_json
from acp_jupyter.transcript.model import spilling
from acp_jupyter.transcript.model.item_base import ItemBase
from acp_jupyter.transcript.model.packed import NEWEST
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.model.spilling import LONG_BYTES, NEWEST_TURNS, spilled
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.generated import examples
from tests.support.transcript.odd_packets import PACKETS
from tests.support.transcript.traffic import Script

Json = dict[str, Any]

_ROOM = 2**31
_STEPS = 8
"""Tool calls and messages of a turn."""


class Lightened(Script):
    """A session that puts away what it can after each line."""

    def __init__(self, shelf: SpillFile | None = None) -> None:
        super().__init__()
        self.shelf = SpillFile(_ROOM) if shelf is None else shelf

    def line(self, direction: str, message: Json, re: int | None = None) -> int:
        before = len(self.events)
        number = super().line(direction, message, re)
        self.transcript = spilled(self.transcript, self.events[before:], self.shelf)
        return number


_SAID = st.sampled_from(["", "one", "one two", "three"])
_CALLS = st.fixed_dictionaries(
    {
        "sessionUpdate": st.sampled_from(["tool_call", "tool_call_update"]),
        "toolCallId": st.sampled_from("ab"),
        "status": st.sampled_from(["completed", "completed", "failed", None]),
    },
    optional={
        "title": st.sampled_from(["Step", "ls"]),
        "rawOutput": st.sampled_from([None, 1, {"exit": 0}]),
        "content": _SAID.map(
            lambda text: [{"type": "content", "content": {"type": "text", "text": text}}]
        ),
    },
)
_CHUNKS = st.fixed_dictionaries(
    {
        "sessionUpdate": st.sampled_from(["agent_message_chunk", "agent_thought_chunk"]),
        "content": _SAID.map(lambda text: {"type": "text", "text": text}),
    }
)
LINES = st.one_of(
    _CALLS,
    _CALLS,
    _CHUNKS,
    PACKETS,
    st.fixed_dictionaries({"type": st.just("prompt_response"), "stopReason": st.just("end_turn")}),
    st.just({"turn": "new"}),
    st.fixed_dictionaries({"changed": st.text(max_size=5)}),
)


@given(lines=st.lists(LINES, max_size=12))
@examples(150)
def test_what_is_put_away_at_once_is_never_missed(lines: list[Json]) -> None:
    """The same events and the same transcript as that of a session that puts nothing away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spilling, "LONG_BYTES", -1)
        patch.setattr(spilling, "NEWEST_TURNS", 0)
        patch.setattr("acp_jupyter.host.store.spill_file._GATHERED_BYTES", 100)
        plain, light = Script(), Lightened()
        for number, line in enumerate([{"turn": "new"}, *lines]):
            for script in (plain, light):
                _tell(script, line, number)
            assert light.events == plain.events
        assert whole(light.transcript) == whole(plain.transcript)
        items = whole(plain.transcript)["items"]
        for turn_id in plain.transcript.turn_order:
            own = tuple(item for item in items if item.turn_id == turn_id)
            assert light.transcript.turn_items(turn_id) == own


def _tell(script: Script, line: Json, number: int) -> None:
    newest = script.transcript.turn_order[-1:]
    if "turn" in line:
        script.turn("Do it", f"t{number}")
    elif "changed" in line:
        file = {"path": line["changed"], "change": "modified"}
        note = {"note": "turn_changes", "turn_id": newest[0], "files": [file]}
        script.line("!", note)
    else:
        script.note(ImportedPacket(packet=read_json(json.dumps(line))))


def whole(transcript: Transcript) -> Json:
    """Return all that a transcript says."""
    turns = {turn_id: transcript.turns[turn_id] for turn_id in transcript.turn_order}
    items = transcript.window(0, len(transcript.items))
    return {"session": transcript.session, "turns": turns, "items": items, "seq": transcript.seq}


@pytest.mark.long
@pytest.mark.parametrize("count", [60, 120])
def test_of_finished_turns_no_objects_are_held_beyond_the_newest(count: int) -> None:
    gc.collect()
    items, turns = _live(ItemBase), _live(TurnState)
    script = Lightened()
    _work(script, count)
    script.events.clear()
    script.entries.clear()
    gc.collect()
    assert len(script.transcript.items) > 2 * NEWEST
    assert _live(ItemBase) - items <= NEWEST
    assert _live(TurnState) - turns <= NEWEST_TURNS
    plain = Script()
    _work(plain, count)
    assert whole(script.transcript) == whole(plain.transcript)
    oldest = script.transcript.turn_items("turn-0")
    assert oldest == plain.transcript.turn_items("turn-0")
    assert len(oldest) == 2 * _STEPS + 2


@pytest.mark.long
def test_a_turn_takes_a_few_hundred_bytes_a_call_of_memory_when_it_is_old() -> None:
    held = [_held_after(count) for count in (50, 100)]
    said = 50 * _STEPS * len(_TEXT)
    assert said > 400_000
    assert held[1] - held[0] < 50 * _STEPS * 1_000 < said


def test_a_long_turn_is_put_away_while_it_goes_on() -> None:
    script = Lightened()
    script.turn()
    for number in range(20):
        script.text("x" * 1_000_000)
        script.update("tool_call", toolCallId=f"c{number}", title="Step")
    texts = [str(script.transcript.text_of(f"i{place}") or "") for place in range(1, 41, 2)]
    assert [len(text) for text in texts] == [1_000_000] * 20
    assert not any(script.transcript.texts.get(f"i{place}") for place in range(1, 40, 2))


def test_late_text_of_a_message_that_was_put_away_goes_on_where_it_ended() -> None:
    script, plain = Lightened(), Script()
    for each in (script, plain):
        prompt = each.turn()
        each.text("x" * (LONG_BYTES + 1))
        each.end(prompt)
        each.text("late")
        each.text(" and later")
    assert whole(script.transcript) == whole(plain.transcript)
    assert script.events == plain.events


def test_what_is_asked_stays_in_memory_until_it_is_answered() -> None:
    """The file is no place for what an answer is given to."""
    script = Lightened()
    script.turn()
    about: Json = {"toolCallId": "c", "title": "rm", "kind": "execute", "status": "completed"}
    request = script.ask({**about, "rawInput": {"command": "rm " + "x" * LONG_BYTES}})
    assert isinstance(script.transcript.items.as_held(1), ToolCall)
    script.answer(request, "once")
    script.update("tool_call_update", toolCallId="c", status="completed")
    assert script.transcript.items.is_spilled(1)
    answered = script.transcript.item(1)
    assert isinstance(answered, ToolCall)
    assert answered.permission is not None
    assert answered.permission.state == "allowed"


def test_without_room_on_the_disk_all_stays_in_memory() -> None:
    script, plain = Lightened(SpillFile(1000)), Script()
    _work(script, 60)
    _work(plain, 60)
    assert whole(script.transcript) == whole(plain.transcript)


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_a_disk_that_is_full_takes_nothing_and_nothing_is_lost() -> None:
    """Writes past the limit fail as on a full disk."""
    import signal

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    shelf = SpillFile(_ROOM)
    places: list[int | None] = []
    data = [bytes([number]) * 30_000 for number in range(60)]
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, before[1]))
        places = [shelf.put(each) for each in data]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    kept = [(place, each) for place, each in zip(places, data, strict=True) if place is not None]
    assert 10 < len(kept) < 60
    assert all(shelf.get(place) == each for place, each in kept)


def test_the_file_has_no_name_and_goes_with_its_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    script = Lightened()
    _work(script, 60)
    assert list(tmp_path.iterdir()) == []
    opened = list(_files_of(tmp_path))
    assert len(opened) == 1
    assert not os.get_inheritable(opened[0])
    del script
    gc.collect()
    assert list(_files_of(tmp_path)) == []


def _files_of(folder: Path) -> Iterator[int]:
    for link in Path("/proc/self/fd").iterdir():
        try:
            if str(link.readlink()).startswith(str(folder)):
                yield int(link.name)
        except OSError:
            continue


_TEXT = "The rows are read once, and nothing walks them again. " * 20


def _work(script: Script, turns: int, start: int = 0) -> None:
    for number in range(start, start + turns):
        prompt = script.turn(f"Prompt {number}", f"turn-{number}")
        for step in range(_STEPS):
            call = f"{number}-{step}"
            script.update("tool_call", toolCallId=call, title=f"Step {call}", kind="execute")
            content = [{"type": "content", "content": {"type": "text", "text": f"{call} {_TEXT}"}}]
            done: Json = {"toolCallId": call, "status": "completed", "content": content}
            script.update("tool_call_update", **done)
            script.text(f"Answer {call}. {_TEXT}")
        script.end(prompt)


def _held_after(turns: int) -> int:
    gc.collect()
    tracemalloc.start()
    script = Lightened()
    for number in range(turns):
        _work(script, 1, number)
        script.events.clear()
        script.entries.clear()
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held


def _live(kind: type) -> int:
    return sum(isinstance(held, kind) for held in gc.get_objects())
