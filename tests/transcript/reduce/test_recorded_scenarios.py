"""What each of four published agents really sent, scenario by scenario, as its user reads it."""

from __future__ import annotations

import pytest

from acp_jupyter.transcript.model.items import Item, Plan
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.log.recorded import recording
from tests.support.transcript.traffic import Script

AGENTS = ("claude", "codex", "gemini", "opencode")


def items(name: str) -> list[Item]:
    state = recording(name).script.transcript
    return list(state.window(0, len(state.items)))


def calls(name: str) -> list[ToolCall]:
    return [item for item in items(name) if isinstance(item, ToolCall)]


def turns(name: str) -> list[TurnState]:
    found = recording(name).script.transcript.turns.values()
    return sorted(found, key=lambda turn: turn.turn_id)


@pytest.mark.parametrize("agent", ["claude", "codex", "opencode"])
def test_a_new_file_is_a_diff_with_the_request_on_its_card(agent: str) -> None:
    (call,) = calls(f"{agent}-write_file")
    (diff,) = call.diffs
    assert (diff.path, diff.is_new_file, diff.added) == ("hello.py", True, 6)
    assert (call.tool_kind, call.status, call.path) == ("edit", "completed", "hello.py")
    assert call.permission is not None
    assert call.permission.title.endswith("wants to create a file")


@pytest.mark.parametrize("agent", AGENTS)
def test_an_edit_is_a_diff_of_one_line(agent: str) -> None:
    read, edit = calls(f"{agent}-edit_file")
    assert (read.tool_kind, read.status, read.path) == ("read", "completed", "hello.py")
    (diff,) = edit.diffs
    assert (diff.path, diff.is_new_file, diff.added, diff.removed) == ("hello.py", False, 1, 1)
    assert edit.permission is not None
    assert edit.permission.outcome == "Allowed once"


@pytest.mark.parametrize(
    ("agent", "status", "output", "exit_code"),
    [
        ("claude", "failed", "Exit code 3\nbefore\n", 3),
        ("codex", "failed", "before\n", 3),
        ("gemini", "completed", "", None),  # it never tells what an allowed command printed
        ("opencode", "completed", "before\n", 3),
    ],
)
def test_a_command_that_fails(agent: str, status: str, output: str, exit_code: int | None) -> None:
    (call,) = calls(f"{agent}-fail_command")
    assert (call.status, call.output, call.exit_code) == (status, output, exit_code)


@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_rejected_has_failed_and_printed_nothing_of_its_own(agent: str) -> None:
    (call,) = calls(f"{agent}-reject")
    assert call.permission is not None
    assert (call.status, call.permission.outcome) == ("failed", "Rejected")
    assert "approved" not in call.output


def test_the_words_of_a_request_about_a_command_are_no_output() -> None:
    """Two agents write there why they ask, before anything ran."""
    (call,) = calls("gemini-reject")
    assert call.permission is not None
    assert call.permission.reason.endswith("[current working directory /workspace]")
    assert call.output == ""
    (call,) = calls("codex-reject")
    assert call.permission is not None
    assert "Do you want to allow this?" in call.permission.reason
    assert call.output == ""


@pytest.mark.parametrize(
    ("name", "entries"),
    [
        ("claude-todo_plan", 4),
        ("codex-todo_plan", 3),
    ],
)
def test_a_plan_is_one_item_in_its_last_state(name: str, entries: int) -> None:
    (plan,) = (item for item in items(name) if isinstance(item, Plan))
    assert len(plan.entries) == entries
    if name.startswith("codex"):
        assert {entry.status for entry in plan.entries} == {"completed"}


def test_a_list_of_todos_comes_as_a_tool_call() -> None:
    found = calls("opencode-todo_plan")
    lists = [[todo.status for todo in call.todos or ()] for call in found]
    assert lists[0] == ["in_progress", "pending", "pending"]
    assert lists[-1] == ["completed", "completed", "completed"]


@pytest.mark.parametrize("agent", AGENTS)
def test_stopped_turns_are_cancelled_and_leave_no_call_open(agent: str) -> None:
    assert [turn.stop_reason for turn in turns(f"{agent}-cancel")] == [
        "cancelled",
        "end_turn",
        "cancelled",
        "end_turn",
    ]
    (call,) = calls(f"{agent}-cancel")
    # Two of them call the aborted command completed.
    assert call.status == "cancelled"
    assert call.ended_at is not None


@pytest.mark.parametrize("agent", ["claude", "codex", "opencode"])
def test_a_call_that_was_asked_about_at_the_stop_is_closed(agent: str) -> None:
    assert [turn.stop_reason for turn in turns(f"{agent}-permcancel")] == ["cancelled", "end_turn"]
    (call,) = calls(f"{agent}-permcancel")
    assert call.status in {"failed", "cancelled"}
    assert call.ended_at is not None


@pytest.mark.parametrize("agent", AGENTS)
def test_an_error_of_the_provider_is_told_in_its_own_words(agent: str) -> None:
    first, second, *_ = turns(f"{agent}-error")
    assert first.failure is not None
    assert "mock error" in first.failure.message
    assert "{" not in first.failure.message
    assert second.stop_reason == "end_turn"


def test_an_error_that_says_nothing_is_told_by_its_details() -> None:
    first, *_ = turns("codex-error")
    assert first.failure is not None
    assert "Internal error: mock error. " in first.failure.message


@pytest.mark.parametrize(
    ("name", "asking"), [("opencode-parallelperm", 2), ("claude-parallelperm", 1)]
)
def test_requests_at_once_stand_on_their_own_cards(name: str, asking: int) -> None:
    asked = [call.permission for call in calls(name) if call.permission is not None]
    assert len({permission.request_id for permission in asked}) == asking
    assert {permission.outcome for permission in asked} == {"Dismissed"}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_long_stream_is_one_message(agent: str) -> None:
    found = [item for item in items(f"{agent}-long_stream") if item.kind == "agent_message"]
    assert len(found) == 1
    assert found[0].text == recording(f"{agent}-long_stream").text()


@pytest.mark.parametrize("agent", AGENTS)
def test_models_and_modes_can_be_chosen(agent: str) -> None:
    session = recording(f"{agent}-config").script.transcript.session
    options = {option.category: option for option in session.config_options}
    assert len(options["model"].choices) > 1
    assert session.modes or "mode" in options


def test_the_true_exit_code_counts_where_a_terminal_tells_another() -> None:
    """Lines of claude-agent-acp 0.49.0 for ``echo out; exit 3``."""
    script = Script()
    prompt = script.turn()
    shown = [{"type": "terminal", "terminalId": "toolu_1"}]
    raw = {"command": "echo out; exit 3", "description": "Does what the test wants"}
    call = {"toolCallId": "toolu_1", "kind": "execute", "content": shown}
    meta = {"claudeCode": {"toolName": "Bash"}, "terminal_info": {"terminal_id": "toolu_1"}}
    script.update("tool_call", **call, _meta=meta, rawInput={}, status="pending", title="Terminal")
    script.update("tool_call_update", **call, rawInput=raw, title="echo out; exit 3")
    output = {"terminal_id": "toolu_1", "data": "Exit code 3\nout"}
    script.update("tool_call_update", toolCallId="toolu_1", _meta={"terminal_output": output})
    ended = {"terminal_id": "toolu_1", "exit_code": 1, "signal": None}
    script.update(
        "tool_call_update",
        toolCallId="toolu_1",
        _meta={"claudeCode": {"toolName": "Bash"}, "terminal_exit": ended},
        status="failed",
        rawOutput="Exit code 3\nout",
        content=shown,
    )
    script.end(prompt)
    (found,) = (i for i in script.transcript.window(0, 9) if isinstance(i, ToolCall))
    assert (found.status, found.exit_code) == ("failed", 3)
    assert found.terminal is not None
    assert found.terminal.exit_code == 3
    assert found.output == "Exit code 3\nout"


def test_what_a_command_is_for_is_no_output_of_it() -> None:
    """claude-agent-acp sends the description as content until there is a result."""
    script = Script()
    script.turn()
    words = "Does what the test wants"
    script.update(
        "tool_call",
        toolCallId="toolu_1",
        kind="execute",
        title="touch x",
        rawInput={"command": "touch x", "description": words},
        content=[{"type": "content", "content": {"type": "text", "text": words}}],
        _meta={"claudeCode": {"toolName": "Bash"}},
    )
    (found,) = (i for i in script.transcript.window(0, 9) if isinstance(i, ToolCall))
    assert (found.description, found.output) == (words, "")
