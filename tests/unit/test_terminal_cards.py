"""Which card shows a terminal, and what it says."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.packets.terminal_notes import (
    TerminalExited,
    TerminalOutput,
    TerminalReleased,
    TerminalStarted,
)
from acp_jupyter.transcript.items import ToolCall
from acp_jupyter.transcript.render import to_markdown
from tests.support.recorded import TRAFFIC, Recording
from tests.support.script import Script
from tests.support.view import View


def cards(script: Script) -> list[ToolCall]:
    state = script.transcript
    return [item for item in state.window(0, len(state.items)) if isinstance(item, ToolCall)]


def starts(script: Script, terminal_id: str = "x", command: str = "make") -> None:
    script.note(TerminalStarted(terminal_id=terminal_id, command=command, cwd="/ws/sub"))


def puts(script: Script, text: str, terminal_id: str = "x", **more: Any) -> None:
    script.note(TerminalOutput(terminal_id=terminal_id, text=text, **more))


def call(script: Script, **fields: Any) -> None:
    script.update("tool_call_update", toolCallId="c1", **fields)


def shows(terminal_id: str = "x") -> list[dict[str, str]]:
    return [{"type": "terminal", "terminalId": terminal_id}]


def test_a_call_that_names_a_terminal_shows_all_of_it() -> None:
    script = Script()
    prompt = script.turn()
    script.update("tool_call", toolCallId="c1", title="Build", kind="execute", status="pending")
    starts(script)
    puts(script, "one\n")
    call(script, status="in_progress", content=shows())
    puts(script, "two\n")
    (card,) = cards(script)
    assert card.output == "one\ntwo\n"
    assert card.terminal is not None
    assert (card.terminal.own, card.terminal.running) == (True, True)
    assert (card.terminal.command, card.command, card.terminal.cwd) == ("make", "make", "sub")
    script.note(TerminalExited(terminal_id="x", exit_code=2))
    script.note(TerminalReleased(terminal_id="x"))
    call(script, status="completed")
    script.end(prompt)
    (card,) = cards(script)
    assert card.terminal is not None
    assert (card.terminal.running, card.terminal.exit_code, card.exit_code) == (False, 2, 2)
    assert card.terminal.released
    assert (card.status, card.output) == ("completed", "one\ntwo\n")


def test_appended_output_costs_one_small_event() -> None:
    script = Script()
    script.turn()
    script.update("tool_call", toolCallId="c1", title="Build", kind="execute", status="pending")
    starts(script)
    call(script, content=shows())
    before = len(script.events)
    for number in range(50):
        puts(script, f"{number}\n")
    events = script.events[before:]
    assert [event.kind for event in events] == ["text_appended"] * 50


def test_what_the_agent_gives_as_output_does_not_take_the_terminals_place() -> None:
    script = Script()
    script.turn()
    starts(script)
    puts(script, "\x1b[32mgreen\x1b[0m\n")
    call(script, title="Build", kind="execute", content=shows())
    call(script, rawOutput={"output": "green\n", "exit_code": 0})
    said = [{"type": "content", "content": {"type": "text", "text": "green\n"}}]
    call(script, status="completed", content=said)
    assert [card.output for card in cards(script)] == ["\x1b[32mgreen\x1b[0m\n"]


def test_what_the_agent_says_beside_the_output_is_added_once() -> None:
    script = Script()
    script.turn()
    starts(script)
    puts(script, "green")
    call(script, title="Build", kind="execute", content=shows())
    said = [{"type": "content", "content": {"type": "text", "text": "It took too long."}}]
    for _ in range(2):
        call(script, status="failed", content=said)
    assert [card.output for card in cards(script)] == ["green\nIt took too long."]


def test_without_an_open_call_a_terminal_has_a_card_at_once() -> None:
    script = Script()
    prompt = script.turn()
    starts(script, command="make -j2 \x1b[31mall")
    puts(script, "done\n")
    (card,) = cards(script)
    assert (card.title, card.tool_kind, card.status) == ("make -j2 all", "execute", "in_progress")
    assert card.output == "done\n"
    script.note(TerminalExited(terminal_id="x", exit_code=0))
    (card,) = cards(script)
    assert (card.status, card.exit_code) == ("completed", 0)
    script.end(prompt)
    assert [card.status for card in cards(script)] == ["completed"]


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ({"exit_code": 0}, "completed"),
        ({"exit_code": 1}, "failed"),
        ({"signal": "SIGSEGV"}, "failed"),
        ({"signal": "SIGTERM", "by": "user"}, "cancelled"),
        ({"signal": "SIGTERM", "by": "agent"}, "cancelled"),
        ({"signal": "SIGTERM", "by": "time_limit"}, "failed"),
    ],
)
def test_how_an_own_card_ends(how: dict[str, Any], status: str) -> None:
    script = Script()
    script.turn()
    starts(script)
    script.note(TerminalExited(terminal_id="x", **how))
    assert [card.status for card in cards(script)] == [status]


def test_a_call_that_names_a_terminal_later_takes_over_its_card() -> None:
    script = Script()
    script.turn()
    starts(script)
    puts(script, "one\n")
    script.update(
        "tool_call",
        toolCallId="c1",
        title="Build the parts",
        kind="execute",
        status="pending",
        content=shows(),
    )
    puts(script, "two\n")
    script.note(TerminalExited(terminal_id="x", exit_code=0))
    call(script, status="completed")
    (card,) = cards(script)
    assert (card.tool_call_id, card.title) == ("c1", "Build the parts")
    assert (card.status, card.output) == ("completed", "one\ntwo\n")


@pytest.mark.parametrize("ended", ["released", "turn"])
def test_a_terminal_that_an_open_call_never_names_is_shown_in_the_end(ended: str) -> None:
    script = Script()
    prompt = script.turn()
    script.update("tool_call", toolCallId="c1", title="Build", kind="execute", status="pending")
    starts(script)
    puts(script, "out\n")
    script.note(TerminalExited(terminal_id="x", exit_code=0))
    assert len(cards(script)) == 1
    if ended == "released":
        script.note(TerminalReleased(terminal_id="x"))
    script.end(prompt)
    card = cards(script)[1]
    assert (card.title, card.output, card.status) == ("make", "out\n", "completed")
    items = script.transcript.turn_items("t1")
    assert items[-1].kind == "turn_end"


def test_a_command_that_goes_on_after_its_turn_is_not_stopped() -> None:
    script = Script()
    prompt = script.turn()
    starts(script, command="serve")
    script.end(prompt)
    (card,) = cards(script)
    assert card.status == "in_progress"
    puts(script, "late\n")
    script.note(TerminalExited(terminal_id="x", signal="SIGTERM", by="session"))
    (card,) = cards(script)
    assert (card.status, card.output) == ("cancelled", "late\n")


def test_two_calls_may_show_one_terminal_and_one_call_two() -> None:
    script = Script()
    script.turn()
    starts(script)
    puts(script, "one ")
    call(script, title="A", kind="execute", content=shows())
    script.update(
        "tool_call", toolCallId="c2", title="B", status="pending", content=shows() + shows("y")
    )
    puts(script, "two ")
    starts(script, "y", "other")
    puts(script, "three", "y")
    assert [card.output for card in cards(script)] == ["one two ", "one two three"]


def test_what_is_left_out_of_the_log_is_said() -> None:
    script = Script()
    script.turn()
    starts(script)
    puts(script, "begin", cut=True)
    puts(script, "end", left_out=12345)
    (card,) = cards(script)
    assert card.terminal is not None
    assert card.terminal.truncated
    assert card.output == "begin\n… 12,345 characters are not shown …\nend"


def test_ids_that_nobody_made_do_no_harm() -> None:
    script = Script()
    prompt = script.turn()
    puts(script, "lost", "nobody")
    script.note(TerminalExited(terminal_id="nobody", exit_code=0))
    script.note(TerminalReleased(terminal_id="nobody"))
    call(script, title="A", kind="execute", content=shows("theirs"))
    (card,) = cards(script)
    assert card.terminal is not None
    assert (card.terminal.own, card.terminal.running, card.output) == (False, True, "")
    script.end(prompt)
    (card,) = cards(script)
    assert card.terminal is not None
    assert not card.terminal.running


# -- agents' own terminals, in _meta -----------------------------------------


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
    for data in (".", ".", ". ", "one\n", "one\n", "one\ntwo\n"):
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


def test_the_record_of_a_turn_shows_the_end_of_a_long_output() -> None:
    script = Script()
    prompt = script.turn()
    starts(script)
    puts(script, "".join(f"line {n}\n" for n in range(5000)))
    script.note(TerminalExited(terminal_id="x", exit_code=1))
    script.end(prompt)
    state = script.transcript
    markdown = to_markdown(state.turns["t1"], state.turn_items("t1"))
    assert "line 4999\n" in markdown
    assert "exit code 1" in markdown


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


def test_the_record_of_a_progress_bar_is_one_line() -> None:
    script = Script()
    prompt = script.turn()
    starts(script)
    puts(script, "".join(f"\r{n:3d}%|{'#' * n}" for n in range(101)) + "\n\x1b[32mdone\x1b[0m\n")
    script.note(TerminalExited(terminal_id="x", exit_code=0))
    script.end(prompt)
    state = script.transcript
    markdown = to_markdown(state.turns["t1"], state.turn_items("t1"))
    assert markdown.count("%|") == 1
    assert f"100%|{'#' * 100}\ndone\n" in markdown
