"""Logs of ACP traffic as sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.transcript.items import Item
from tests.support.imported import Imported, import_lines, timeless
from tests.support.recorded import TRAFFIC, Recording

LOGS = Path(__file__).parents[1] / "fixtures" / "logs"


def items(imported: Imported) -> list[Any]:
    return [timeless(item.model_dump(mode="json")) for item in imported.items()]


class Log:
    """Writes bare lines of a conversation."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def ask(self, number: int, method: str, **params: Any) -> None:
        self.lines.append({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    def answer(self, number: int, **result: Any) -> None:
        self.lines.append({"jsonrpc": "2.0", "id": number, "result": result})

    def new(self, number: int, session: str, cwd: str = "/ws") -> None:
        self.ask(number, "session/new", cwd=cwd, mcpServers=[])
        self.answer(number, sessionId=session)

    def prompt(self, number: int, text: str, session: str = "s") -> None:
        blocks = [{"type": "text", "text": text}]
        self.ask(number, "session/prompt", sessionId=session, prompt=blocks)

    def end(self, number: int) -> None:
        self.answer(number, stopReason="end_turn")

    def update(self, kind: str, session: str = "s", **fields: Any) -> None:
        params = {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
        self.lines.append({"jsonrpc": "2.0", "method": "session/update", "params": params})

    def says(self, text: str, kind: str = "agent_message_chunk", session: str = "s") -> None:
        self.update(kind, session, content={"type": "text", "text": text})

    def note(self, **fields: Any) -> None:
        self.lines.append({"seq": len(self.lines) + 1, "t": 1e9, "d": "!", "m": fields})


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
    """C1: ``acp/notification/session_update`` in files."""
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
    """S2.4, seen in a log: session/load, updates, its answer."""
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
    assert error.message == "The log has no end of this turn."


def test_notes_of_a_host_are_kept_with_ids_of_this_import() -> None:
    log = Log()
    log.note(
        note="session_opened",
        session_id="old",
        agent_id="x",
        agent_name="Xavier",
        cwd="/w",
        folder="~",
    )
    origin = {"notebook_path": "mine.ipynb", "cell_id": "c1", "source": "%%acp"}
    prompt = [{"type": "text", "text": "Go"}]
    log.note(note="turn_queued", turn_id="t-old", prompt=prompt, origin=origin)
    log.note(note="turn_started", turn_id="t-old")
    log.prompt(1, "Go")
    log.ask(
        7, "session/request_permission", sessionId="s", toolCall={"toolCallId": "c"}, options=[]
    )
    number = len(log.lines)
    log.note(note="permission_settled", request_id=f"p{number}", by="turn_cancelled")
    log.answer(7, outcome={"outcome": "cancelled"})
    log.note(note="turn_stopped", turn_id="t-old")
    log.note(note="log_full", bytes=9)
    lines = [
        line if "d" in line else {"seq": place, "t": 1e9, "d": side, "m": line} | answer
        for place, line in enumerate(log.lines, 1)
        for side, answer in [
            (">", {"re": number}) if "result" in line else ("<" if line.get("id") == 7 else ">", {})
        ]
    ]
    imported = import_lines(lines)
    assert imported.problems == []
    assert (imported.facts.own, imported.facts.agent_name, imported.facts.cwd) == (
        True,
        "Xavier",
        "/w",
    )
    (turn_id,) = imported.transcript.turn_order
    turn = imported.transcript.turns[turn_id]
    assert turn_id != "t-old"
    assert (turn.origin, turn.prompt, turn.stop_reason) == (None, "Go", "cancelled")
    (call,) = imported.calls()
    assert call.permission is not None
    assert call.permission.outcome == "Not answered: turn stopped"
    notice = next(item for item in imported.items() if item.kind == "notice")
    assert "The log was full" in notice.text
    assert [entry.message["note"] for entry in imported.entries if entry.direction == "!"].count(
        "session_opened"
    ) == 0


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
