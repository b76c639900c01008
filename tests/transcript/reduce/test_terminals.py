"""Which card shows a terminal, and what it says."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.host_events.session import TerminalExited, TerminalReleased
from acp_jupyter.transcript.output.markdown import turn_markdown
from tests.support.transcript.terminal_cards import call, cards, puts, shows, starts
from tests.support.transcript.traffic import Script

SAID = {"type": "content", "content": {"type": "text", "text": "It took too long."}}


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
    for _ in range(2):
        call(script, status="failed", content=[SAID])
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


def test_the_record_of_a_turn_shows_the_end_of_a_long_output() -> None:
    script = Script()
    prompt = script.turn()
    starts(script)
    puts(script, "".join(f"line {n}\n" for n in range(5000)))
    script.note(TerminalExited(terminal_id="x", exit_code=1))
    script.end(prompt)
    state = script.transcript
    markdown = turn_markdown(state.turns["t1"], state.turn_items("t1"))
    assert "line 4999\n" in markdown
    assert "exit code 1" in markdown


def test_the_record_of_a_progress_bar_is_one_line() -> None:
    script = Script()
    prompt = script.turn()
    starts(script)
    puts(script, "".join(f"\r{n:3d}%|{'#' * n}" for n in range(101)) + "\n\x1b[32mdone\x1b[0m\n")
    script.note(TerminalExited(terminal_id="x", exit_code=0))
    script.end(prompt)
    state = script.transcript
    markdown = turn_markdown(state.turns["t1"], state.turn_items("t1"))
    assert markdown.count("%|") == 1
    assert f"100%|{'#' * 100}\ndone\n" in markdown


def test_a_card_comes_at_once_when_the_last_call_has_ended() -> None:
    script = Script()
    script.turn()
    script.update("tool_call", toolCallId="c1", title="Look", kind="read", status="pending")
    starts(script)
    call(script, status="completed")
    script.note(TerminalExited(terminal_id="x", exit_code=0))
    assert [(card.title, card.status) for card in cards(script)][1:] == [("make", "completed")]


def test_a_terminal_between_turns_has_a_card_at_once() -> None:
    script = Script()
    script.update("tool_call", toolCallId="c1", title="Build", kind="execute", status="pending")
    starts(script)
    assert [card.title for card in cards(script)][1:] == ["make"]


def test_a_call_that_is_known_leaves_a_terminal_its_own_card() -> None:
    script = Script()
    script.turn()
    call(script, title="Build", kind="execute", status="completed")
    starts(script)
    call(script, content=shows())
    puts(script, "out\n")
    assert [(card.tool_call_id, card.output) for card in cards(script)] == [
        ("c1", "out\n"),
        ("x", "out\n"),
    ]


def test_a_call_of_a_later_turn_leaves_a_terminal_its_own_card() -> None:
    script = Script()
    prompt = script.turn()
    starts(script)
    script.end(prompt)
    script.turn("More", "t2")
    call(script, title="Watch", kind="execute", status="in_progress", content=shows())
    assert [(card.tool_call_id, card.turn_id) for card in cards(script)] == [
        ("x", "t1"),
        ("c1", "t2"),
    ]


@pytest.mark.parametrize(
    "said",
    [
        {"status": "in_progress", "content": [SAID]},
        {"content": [SAID]},
        {"status": "completed", "rawOutput": {"output": "It took long."}},
        {"status": "completed", "content": [*shows(), SAID]},
    ],
    ids=str,
)
def test_what_is_said_before_the_end_or_in_the_terminals_place_is_not_output(said: Any) -> None:
    script = Script()
    script.turn()
    starts(script)
    puts(script, "green\n")
    call(script, title="Build", kind="execute", content=shows())
    call(script, **said)
    assert [card.output for card in cards(script)] == ["green\n"]


def test_two_calls_may_show_a_terminal_that_has_put_out_nothing() -> None:
    script = Script()
    script.turn()
    for name in ("c1", "c2"):
        script.update("tool_call", toolCallId=name, title="A", status="pending", content=shows())
    assert [card.output for card in cards(script)] == ["", ""]
    puts(script, "one")
    assert [card.output for card in cards(script)] == ["one", "one"]


@pytest.mark.parametrize(("ended", "kept"), [(256, 256), (257, 128)])
def test_the_oldest_terminals_are_forgotten_when_there_are_too_many(ended: int, kept: int) -> None:
    script = Script()
    prompt = script.turn()
    for number in range(ended):
        starts(script, str(number))
        script.note(TerminalExited(terminal_id=str(number), exit_code=0))
    script.end(prompt)
    assert len(script.transcript.terminals) == ended
    script.turn("More", "t2")
    assert {*script.transcript.terminals} == {str(n) for n in range(ended - kept, ended)}
