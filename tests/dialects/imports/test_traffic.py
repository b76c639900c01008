"""Logs of ACP traffic as sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.transcript.model.items import Item
from tests.support.log.imported import Imported, import_lines, timeless
from tests.support.log.recorded import TRAFFIC, Recording
from tests.support.log.written_log import Log

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"


def items(imported: Imported) -> list[Any]:
    return [timeless(item.model_dump(mode="json")) for item in imported.items()]


@pytest.mark.parametrize("path", sorted(TRAFFIC.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_recorded_conversation_gives_what_it_gave_live(path: Path) -> None:
    recorded, imported = Recording(path), import_lines(path.read_bytes().splitlines())
    assert imported.problems == []
    assert imported.unknown == []
    state = recorded.script.transcript
    live: tuple[Item, ...] = state.window(0, len(state.items))
    assert items(imported) == [timeless(item.model_dump(mode="json")) for item in live]
    assert imported.facts.cwd == state.session.cwd
    assert imported.text() == recorded.text() != ""


EXPECTED = {
    "claude-write_file": [("edit", "completed", 1)],
    "codex-edit_file": [("read", "completed", 0), ("edit", "completed", 1)],
    "gemini-fail_command": [("execute", "completed", 0)],
    "opencode-kill": [("execute", "in_progress", 0)],
    "opencode-write_file": [("edit", "completed", 1)],
    "gemini-edit_file": [("read", "completed", 0), ("edit", "completed", 1)],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_tool_calls_have_their_status_and_diffs(name: str) -> None:
    imported = import_lines((TRAFFIC / f"{name}.jsonl").read_bytes().splitlines())
    found = [(call.tool_kind, call.status, len(call.diffs)) for call in imported.calls()]
    assert found == EXPECTED[name]


@pytest.mark.parametrize("path", sorted(LOGS.iterdir()), ids=lambda path: path.stem)
def test_every_form_of_a_log_gives_the_same_transcript(path: Path) -> None:
    own = import_lines((LOGS / "own.ndjson").read_bytes().splitlines())
    imported = import_lines(path.read_bytes().splitlines(keepends=True))
    assert items(imported) == items(own)
    assert imported.facts.agent_name == "painter"
    assert imported.turns()[0][0] == "Paint the door green."
    (call,) = imported.calls()
    assert call.permission is not None
    assert call.permission.state != "pending"


def test_the_old_name_of_updates_is_read_too() -> None:
    """``acp/notification/session_update`` in files."""
    log = Log()
    log.prompt(1, "Hi")
    log.says("Hello")
    log.end(1)
    old = json.loads(
        json.dumps(log.lines).replace("session/update", "acp/notification/session_update")
    )
    assert import_lines(old).text() == import_lines(log.lines).text() == "Hello"


def test_of_several_sessions_the_longest_is_imported_or_the_named_one() -> None:
    log = Log()
    log.ask(0, "initialize", protocolVersion=1)
    log.answer(0, protocolVersion=1, agentInfo={"name": "ada", "title": "Ada"})
    log.new(1, "one", "/first")
    log.new(2, "two", "/second")
    log.prompt(3, "To one", "one")
    log.prompt(4, "To two", "two")
    log.says("One.", session="one")
    log.says("Two.", session="two")
    log.says(" More.", session="two")
    log.end(3)
    log.end(4)
    longest, named = import_lines(log.lines), import_lines(log.lines, session="one")
    assert (longest.text(), longest.turns()) == ("Two. More.", [("To two", "end_turn")])
    assert (longest.facts.session, longest.facts.others) == ("two", ("one",))
    assert longest.facts.cwd == "/second"
    assert (named.text(), named.turns()) == ("One.", [("To one", "end_turn")])
    assert (named.facts.cwd, named.facts.agent_name) == ("/first", "Ada")


def test_a_log_of_the_agents_side_alone_has_turns_too() -> None:
    log = Log()
    log.says("One")
    log.answer(3, stopReason="max_tokens")
    log.says("Go on", "user_message_chunk")
    log.says("Two")
    log.update("tool_call", toolCallId="c", title="bash", status="completed")
    log.answer(4, stopReason="end_turn")
    imported = import_lines(log.lines)
    assert imported.turns() == [("", "max_tokens"), ("Go on", "end_turn")]
    assert [call.status for call in imported.calls()] == ["completed"]


def test_a_history_that_was_replayed_has_its_turns() -> None:
    """The request session/load, updates, its answer."""
    log = Log()
    log.ask(1, "session/load", sessionId="s", cwd="/ws", mcpServers=[])
    for words in ("first", "second"):
        log.says(words, "user_message_chunk")
        log.says(f"{words} answer")
    log.answer(1)
    log.prompt(2, "third")
    log.says("third answer")
    log.end(2)
    log.says(" late")
    imported = import_lines(log.lines)
    assert imported.turns() == [(word, "end_turn") for word in ("first", "second", "third")]
    assert imported.kinds().count("agent_message") == 3
    assert imported.text().endswith("third answer late")


def test_a_prompt_waits_while_another_runs() -> None:
    log = Log()
    log.prompt(1, "one")
    log.prompt(2, "two")
    log.says("One.")
    log.end(1)
    log.says("Two.")
    log.end(2)
    imported = import_lines(log.lines)
    assert imported.turns() == [("one", "end_turn"), ("two", "end_turn")]
    assert [i.turn_id for i in imported.items() if i.kind == "agent_message"] == list(
        imported.transcript.turn_order
    )


@pytest.mark.parametrize("ended", ["answer", "process"])
def test_a_turn_without_an_end_is_told(ended: str) -> None:
    log = Log()
    log.prompt(1, "one")
    log.says("One.")
    if ended == "process":
        log.ask(9, "initialize", protocolVersion=1)
    log.prompt(2, "two")
    log.says("Two.")
    log.end(2)
    imported = import_lines(log.lines)
    assert imported.turns() == [("one", "error"), ("two", "end_turn")]
    (error,) = [item for item in imported.items() if item.kind == "error"]
    assert error.message == "The log ends before this turn does."


def test_lines_of_another_kind_are_told_and_the_rest_is_imported() -> None:
    log = Log()
    log.prompt(1, "Hi")
    claude = {"type": "assistant", "message": {"role": "assistant", "content": []}}
    log.lines.append(claude)
    log.says("Hello")
    log.end(1)
    imported = import_lines(log.lines)
    assert (imported.text(), imported.turns()) == ("Hello", [("Hi", "end_turn")])
    assert [problem.line for problem in imported.problems] == [2]


def test_numbers_are_without_gaps() -> None:
    imported = import_lines((TRAFFIC / "gemini-error.jsonl").read_bytes().splitlines())
    numbers = [entry.seq for entry in imported.entries]
    assert numbers == list(range(2, len(numbers) + 2))
    assert all(entry.re is None or entry.re < entry.seq for entry in imported.entries)
