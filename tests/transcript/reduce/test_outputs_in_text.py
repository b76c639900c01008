"""What agents say of a call in its text only: exit codes, arguments, todos, ends."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.transcript.escaping import one_line
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.output.markdown import turn_markdown
from tests.acceptance.shown import only, shown
from tests.support.transcript.traffic import Script

Json = dict[str, Any]


def text_content(text: str) -> list[Json]:
    return [{"type": "content", "content": {"type": "text", "text": text}}]


def turn_with_call(*updates: Json, stop_reason: str = "end_turn", **call: Any) -> Script:
    script = Script()
    prompt = script.turn()
    script.update(
        "tool_call", **{"toolCallId": "c1", "title": "List it", "status": "pending", **call}
    )
    for update in updates:
        script.update("tool_call_update", **{"toolCallId": "c1", **update})
    script.end(prompt, stop_reason)
    return script


@pytest.mark.parametrize(
    ("output", "exit_code"),
    [
        ("Exit code 2\nno such file", 2),
        ("[Command exited with code 3]\nbefore\n", 3),
        ("Command: ls\nOutput: a\nError: (none)\nExit Code: 0\nSignal: 0\nPGID: 7", 0),
        ("a\n\n<command with id: 1 completed with exit code 1>", 1),
        ("The tests print Exit Code: 1 here\nand go on", None),
        ("Exit Code: 1\n" + "line\n" * 10, None),
        ("", None),
    ],
)
def test_an_exit_code_in_the_text_is_a_fact(output: str, exit_code: int | None) -> None:
    end = {"status": "completed", "content": text_content(output)}
    call = only(turn_with_call(end, kind="execute", rawInput={"command": "ls"}), ToolCall)
    assert call.exit_code == exit_code


def test_words_about_a_command_are_its_output_only_when_it_has_run() -> None:
    about: Json = {"kind": "execute", "rawInput": {"command": "ls", "description": "List files"}}
    said: Json = {"content": text_content("List files")}
    before = only(turn_with_call({**said, "status": "in_progress"}, **about), ToolCall)
    after = only(turn_with_call({**said, "status": "completed"}, **about), ToolCall)
    assert (before.description, before.output) == ("List files", "")
    assert (after.description, after.output) == ("List files", "List files")


@pytest.mark.parametrize(
    ("output", "shown_output"),
    [
        ('{"command": "ls"}a\nb', "a\nb"),
        ('{"command": "ls"}\na', "a"),
        ('{"command": "other"}a', '{"command": "other"}a'),
        ("{not json", "{not json"),
        ("{" * 100_000, "{" * 100_000),
    ],
    ids=lambda text: text[:20],
)
def test_arguments_before_an_output_are_left_out(output: str, shown_output: str) -> None:
    end = {"status": "completed", "content": text_content(output)}
    call = only(turn_with_call(end, kind="execute", rawInput={"command": "ls"}), ToolCall)
    assert call.output == shown_output


def test_todos_are_a_checklist_in_markdown() -> None:
    todos = [
        {"content": "Read", "status": "completed"},
        {"content": "Write *it*", "status": "in_progress"},
        {"content": "Test", "status": "pending"},
    ]
    end = {"status": "completed", "rawOutput": {"output": "[…]"}}
    script = turn_with_call(end, title="todowrite", rawInput={"todos": todos})
    turn = script.transcript.turns["t1"]
    markdown = turn_markdown(turn, script.transcript.window(0, 100))
    lines = "- [x] Read\n- [ ] Write \\*it\\* *(in progress)*\n- [ ] Test"
    assert lines in markdown
    assert "[…]" not in markdown


@pytest.mark.parametrize(
    ("updates", "stop_reason", "status"),
    [
        ([{"status": "in_progress", "content": text_content("done")}], "end_turn", "completed"),
        ([{"rawOutput": {"output": "a", "exitCode": 0}}], "end_turn", "completed"),
        ([{"rawOutput": {"output": "a", "exitCode": 2}}], "end_turn", "failed"),
        ([{"status": "in_progress", "content": text_content("half")}], "cancelled", "cancelled"),
        ([{"status": "in_progress"}], "end_turn", "cancelled"),
        ([], "end_turn", "cancelled"),
    ],
)
def test_a_call_that_is_never_closed(updates: list[Json], stop_reason: str, status: str) -> None:
    script = turn_with_call(
        *updates, stop_reason=stop_reason, kind="execute", rawInput={"command": "ls"}
    )
    assert [call.status for call in shown(script, ToolCall)] == [status]


def test_a_line_that_is_too_long_ends_at_a_word() -> None:
    assert one_line("some words that go on", 18) == "some words that…"
    assert one_line("unbroken" * 10, 10) == "unbrokenu…"
    assert one_line("short", 10) == "short"
