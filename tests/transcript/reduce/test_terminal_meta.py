"""Terminals that agents run themselves, and whatever else they say of terminals."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.protocol.host_events.session import (
    TerminalExited,
    TerminalOutput,
    TerminalReleased,
    TerminalStarted,
)
from tests.support.log.recorded import TRAFFIC, Recording
from tests.support.transcript.event_view import View
from tests.support.transcript.terminal_cards import call, cards, shows, starts
from tests.support.transcript.traffic import Script


def test_a_recorded_agent_shows_its_own_terminal() -> None:
    recording = Recording(TRAFFIC / "claude-fullcaps.jsonl")
    card = next(card for card in cards(recording.script) if card.tool_kind == "execute")
    assert card.output == "hello-from-shell\nerr-line\n.\n..\nhello.py"
    assert card.terminal is not None
    assert (card.terminal.own, card.terminal.running) == (False, False)
    assert (card.terminal.exit_code, card.exit_code, card.status) == (0, 0, "completed")


def test_a_recorded_agent_that_tells_of_no_terminal_gives_its_output() -> None:
    recording = Recording(TRAFFIC / "codex-run_command.jsonl")
    (card,) = cards(recording.script)
    assert card.output == "hello-from-shell\nerr-line\n.\n..\nhello.py\n"
    assert card.terminal is None


@pytest.mark.parametrize("key", ["terminal_output_delta", "terminal_output"])
def test_pieces_are_appended(key: str) -> None:
    script = Script()
    script.turn()
    call(script, title="A", kind="execute", _meta={"terminal_info": {"terminal_id": "t"}})
    for data in (".", "..", " ", "one\n", "one\n", "one\ntwo\n"):
        call(script, _meta={key: {"terminal_id": "t", "data": data}})
    call(script, _meta={"terminal_exit": {"terminal_id": "t", "exit_code": 3, "signal": None}})
    (card,) = cards(script)
    assert card.output == "... one\none\none\ntwo\n"
    assert card.terminal is not None
    assert (card.terminal.exit_code, card.terminal.running) == (3, False)


def test_the_whole_output_sent_again_is_not_doubled() -> None:
    script = Script()
    script.turn()
    call(script, title="A", kind="execute", content=shows("t"))
    for data in ("make: start\n", "make: start\none\n", "make: start\none\ntwo\n"):
        call(script, _meta={"terminal_output": {"terminal_id": "t", "data": data}})
    (card,) = cards(script)
    assert card.output == "make: start\none\ntwo\n"


def test_bytes_that_split_a_character_are_joined() -> None:
    script = Script()
    script.turn()
    call(script, title="A", kind="execute", content=shows("t"))
    data = "Grüße \x1b[32m€\x1b[0m 😀\n".encode()
    for byte in (data[n : n + 1] for n in range(len(data))):
        piece = {"data": base64.b64encode(byte).decode(), "encoding": "base64"}
        call(script, _meta={"terminal_output_delta": piece})
    assert [card.output for card in cards(script)] == ["Grüße \x1b[32m€\x1b[0m 😀\n"]


def test_base64_is_known_by_what_it_holds_and_text_stays_text() -> None:
    script = Script()
    script.turn()
    call(script, title="A", kind="execute", content=shows("t"))
    encoded = base64.b64encode(b"line one\nline two\n").decode()
    call(script, _meta={"terminal_output": {"data": encoded}})
    call(script, _meta={"terminal_output_delta": {"data": base64.b64encode(b"more").decode()}})
    script.update("tool_call", toolCallId="c2", title="B", kind="execute", status="pending")
    for word in ("deadbeef", "abcdefgh", "PASSED==", "YWJjZGVmZ2hp"):
        meta = {"terminal_output_delta": {"terminal_id": "u", "data": word}}
        script.update("tool_call_update", toolCallId="c2", _meta=meta)
    assert [card.output for card in cards(script)] == [
        "line one\nline two\nmore",
        "deadbeefabcdefghPASSED==YWJjZGVmZ2hp",
    ]


def test_an_agent_can_not_speak_for_a_terminal_of_ours() -> None:
    script = Script()
    script.turn()
    starts(script)
    call(script, title="A", kind="execute", content=shows())
    lie = {
        "terminal_output": {"terminal_id": "x", "data": "lie"},
        "terminal_exit": {"terminal_id": "x", "exit_code": 0},
    }
    call(script, _meta=lie)
    (card,) = cards(script)
    assert card.output == ""
    assert card.terminal is not None
    assert card.terminal.running


_TEXT = st.text(alphabet="ab\n\r\x1b[31m€=", max_size=12)
_IDS = st.sampled_from(["x", "y", "c1", ""])
_JUNK = st.one_of(st.none(), st.integers(), _TEXT, st.lists(_TEXT, max_size=2))
_FIELDS = st.dictionaries(
    st.sampled_from(["terminal_id", "data", "exit_code", "signal", "command", "encoding"]),
    st.one_of(_JUNK, _IDS),
    max_size=4,
)
_META = st.dictionaries(
    st.sampled_from(["terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"]),
    st.one_of(_FIELDS, _JUNK),
    max_size=3,
)
_STEPS = st.one_of(
    st.builds(TerminalStarted, terminal_id=_IDS, command=_TEXT, cwd=_TEXT),
    st.builds(TerminalOutput, terminal_id=_IDS, text=_TEXT, left_out=st.integers(0, 9)),
    st.builds(TerminalExited, terminal_id=_IDS, exit_code=st.sampled_from([None, 0, 1])),
    st.builds(TerminalReleased, terminal_id=_IDS),
    st.fixed_dictionaries(
        {"toolCallId": st.sampled_from(["c1", "c2", "x"])},
        optional={
            "_meta": _META,
            "content": st.lists(_IDS.map(lambda name: shows(name)[0]), max_size=2),
            "status": st.sampled_from(["pending", "in_progress", "completed", "failed"]),
            "rawOutput": _JUNK,
        },
    ),
    st.sampled_from(["turn", "end"]),
)


@given(st.lists(_STEPS, max_size=25))
def test_whatever_comes_a_page_sees_what_the_host_knows(steps: list[Any]) -> None:
    script = Script()
    prompt: int | None = None
    for number, step in enumerate(steps):
        if step == "turn":
            prompt = script.turn(turn_id=f"t{number}") if prompt is None else prompt
        elif step == "end":
            if prompt is not None:
                script.end(prompt)
            prompt = None
        elif isinstance(step, dict):
            script.update("tool_call_update", **step)
        else:
            script.note(step)
    items = script.transcript.window(0, len(script.transcript.items))
    assert View().take(script.events).state()[1] == [item.model_dump(mode="json") for item in items]
