"""What users see of seed 002's packets: whole turns."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import parse_packet
from acp_jupyter.protocol.packets import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    ToolCallProgress,
    stop_reason_text,
)
from acp_jupyter.transcript.model.items import AgentMessage, Notice, Plan, Thought, TurnEnd
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only, shown
from tests.acceptance.turns_and_ends import ENDED_TURNS
from tests.acceptance.turns_of_seeds import SEED_TURNS
from tests.acceptance.turns_of_tools import imported
from tests.support.transcript.traffic import Script

Json = dict[str, Any]


def test_steps_are_named_thoughts() -> None:
    """S3.4, S3.5, S3.6: opened by name, filled by id, closed; one within the other."""
    planning, data, thought = shown(SEED_TURNS["steps"](), Thought)
    assert (planning.title, planning.text) == (
        "Planning Implementation",
        "First the data, then the page.",
    )
    assert (data.title, data.text) == ("Looking at the data", "Three files.")
    assert not planning.open
    assert not data.open
    assert (thought.title, thought.open) == ("", False)
    assert thought.text == "I need to first understand the codebase structure..."


def test_a_step_that_nobody_opened() -> None:
    """S3.5, S3.6: opens with its first piece; one that nobody closed ends with the turn."""
    delta = {"type": "step_delta", "step_id": "s", "content": "a"}
    script = imported(delta, delta, end="")
    assert (only(script, Thought).text, only(script, Thought).open) == ("aa", True)
    script.imported({"type": "done", "stop_reason": "end_turn"})
    assert not only(script, Thought).open
    nameless = parse_packet({"type": "step_delta", "content": "a"})
    assert isinstance(nameless, AgentThoughtChunk)
    assert nameless.step_id == "thinking"


def test_a_tool_start_is_a_card() -> None:
    """S3.8: with the tool's name, its input and the agent's title."""
    start = {"type": "tool_start", "tool_call_id": "tc_123", "tool_name": "Read"}
    told = {"tool_input": {"file_path": "/path/to/file.py"}, "title": "Reading file.py"}
    call = only(imported({**start, **told}, end=""), ToolCall)
    assert (call.tool_name, call.title, call.status) == ("Read", "Reading file.py", "pending")
    assert (call.path, call.raw_input) == ("/path/to/file.py", told["tool_input"])


def test_progress_is_a_share_and_a_message() -> None:
    """S3.10: half done, and what is done right now."""
    call = only(SEED_TURNS["progress"](), ToolCall)
    assert (call.status, call.progress, call.message) == ("in_progress", 0.5, "Running tests...")


@pytest.mark.parametrize(
    ("written", "share"),
    [(0, 0.0), (1, 1.0), (7, 1.0), (-1, 0.0), (0.25, 0.25), (True, None), ("half", None)],
)
def test_a_share_lies_between_nothing_and_all(written: Any, share: float | None) -> None:
    """S3.10."""
    packet = {"type": "tool_progress", "tool_call_id": "c", "progress": written}
    progress = parse_packet(packet)
    assert isinstance(progress, ToolCallProgress)
    assert progress.progress == share


def test_a_tool_end_completes_its_card() -> None:
    """S3.11: the result is the output; an output of its own wins."""
    call = only(SEED_TURNS["progress_done"](), ToolCall)
    assert (call.status, call.output) == ("completed", "4 passed")
    end: Json = {"type": "tool_end", "tool_call_id": "c", "result": "r"}
    plain = parse_packet(end)
    assert isinstance(plain, ToolCallProgress)
    assert (plain.status, plain.raw_output) == ("completed", "r")
    for own in ("raw_output", "rawOutput"):
        failed = parse_packet({**end, "status": "error", own: "own"})
        assert isinstance(failed, ToolCallProgress)
        assert (failed.status, failed.raw_output) == ("failed", "own")
    camel = parse_packet({**end, "rawOutput": None})
    assert isinstance(camel, ToolCallProgress)
    assert camel.raw_output == "r"


@pytest.mark.parametrize("status", [None, "", "ok", 5, {}])
def test_a_tool_end_without_a_known_status_ends_too(status: Any) -> None:
    """S3.11: the tool's execution is finished."""
    start: Json = {"type": "tool_start", "tool_call_id": "c", "tool_name": "Read"}
    end: Json = {"type": "tool_end", "tool_call_id": "c", "result": "r", "status": status}
    call = only(imported(start, end, end=""), ToolCall)
    assert (call.status, call.output) == ("completed", "r")


def test_an_output_is_a_message_of_its_own() -> None:
    """S3.13, S3.14: opened and closed; pieces are joined."""
    start, end = {"type": "output_start"}, {"type": "output_end"}
    first, more = ({"type": "output_delta", "content": text} for text in ("one ", "two"))
    script = imported(start, first, more, end, start, more, end, end="")
    assert [message.text for message in shown(script, AgentMessage)] == ["one two", "two"]
    assert not any(message.open for message in shown(script, AgentMessage))


@pytest.mark.parametrize("kind", ["output_delta", "step_delta"])
def test_a_delta_may_carry_a_block(kind: str) -> None:
    """S3.5, S3.14, S3.28, S3.29: in place of its text; without either it says nothing."""
    block = {"type": "image", "data": "x", "mimeType": "image/png"}
    file = {"type": "resource", "resource": {"uri": "file:///a", "text": "its own"}}
    blocks: list[tuple[Json, str]] = [
        ({"content_block": block, "content": "t"}, "image"),
        ({"content_block": file}, "resource"),
        ({}, "text"),
    ]
    for fields, told in blocks:
        packet = parse_packet({"type": kind, **fields})
        assert isinstance(packet, AgentMessageChunk | AgentThoughtChunk)
        assert (packet.block.type, packet.text) == (told, "")


def test_entries_of_a_plan_come_first() -> None:
    """S3.15, C10: descriptions and numbers; the text is all where nothing is listed."""
    listed, plain = shown(SEED_TURNS["plan_text"](), Plan)
    (entry,) = listed.entries
    assert (entry.content, entry.priority, entry.status) == ("Read the file", "high", "pending")
    words = "1. Read the file\n2. Make changes\n3. Run tests"
    assert (listed.text, plain.text, plain.entries) == (words, words, ())


def test_a_mode_leaves_a_line() -> None:
    """S3.17."""
    script = SEED_TURNS["mode_line"]()
    assert script.transcript.session.current_mode_id == "implement"
    line = only(script, Notice)
    assert (line.title, line.text) == ("Mode: implement", "Starting implementation")
    assert [mode.id for mode in script.transcript.session.modes] == ["implement"]


def test_a_mode_of_the_protocol_leaves_the_same_line() -> None:
    """S3.17: from current_mode_update; the line has the mode's name, and comes with a change."""
    script = Script()
    modes = [{"id": "plan", "name": "Plan first"}, {"id": "code", "name": "Write code"}]
    opened = {"sessionId": "a1", "modes": {"availableModes": modes, "currentModeId": "plan"}}
    asked = script.line(">", {"id": 7, "method": "session/new", "params": {"cwd": "/ws"}})
    script.line("<", {"id": 7, "result": opened}, asked)
    assert script.transcript.session.current_mode_id == "plan"
    script.turn()
    for _ in range(2):
        script.update("current_mode_update", currentModeId="code")
    session = script.transcript.session
    assert session.current_mode_id == "code"
    assert [(mode.id, mode.name) for mode in session.modes] == [
        ("plan", "Plan first"),
        ("code", "Write code"),
    ]
    assert only(script, Notice).title == "Mode: Write code"


def test_done_ends_with_summary_and_usage() -> None:
    """S3.18."""
    end = only(ENDED_TURNS["done_usage"](), TurnEnd)
    assert (end.summary, end.stop_reason) == ("Task completed successfully", "end_turn")
    assert (end.input_tokens, end.output_tokens) == (1000, 500)


REASONS = {
    "end_turn": "",
    "stop_sequence": "",
    "max_tokens": "The answer was cut: the model reached its token limit.",
    "max_turn_requests": "The agent stopped: it reached its limit of requests for one turn.",
    "refusal": "The agent refused to continue.",
    "cancelled": "Stopped by you.",
    "moon": "Ended: moon.",
}


@pytest.mark.parametrize(("reason", "words"), REASONS.items())
def test_each_stop_reason_has_its_words(reason: str, words: str) -> None:
    """S3.19, C3: an unknown one is shown as it is."""
    assert stop_reason_text(reason) == words
    assert stop_reason_text(reason, "nobody knows") == words
    assert only(ENDED_TURNS[f"stop_{reason}"](), TurnEnd).words == words


def test_a_budget_has_words_of_its_own() -> None:
    """S4.17: the reason is one of the protocol's, the words are the agent's finer ones."""
    end = only(ENDED_TURNS["stop_budget"](), TurnEnd)
    assert (end.stop_reason, end.duration_seconds) == ("max_turn_requests", 1.234)
    assert end.words == "The agent stopped: its budget is used up."
    assert stop_reason_text("max_turn_requests", "error_max_budget_usd") == end.words


def test_a_plan_has_either_spelling() -> None:
    """S3.15: entries or items, text or Markdown."""
    item = {"planId": "p", "items": [{"content": "a"}]}
    plan = parse_packet({"type": "plan_update", "plan": item})
    assert isinstance(plan, AgentPlanUpdate)
    assert (plan.plan_id, plan.entries[0].content) == ("p", "a")
