"""The functions of seed 000: which tool, which file, new or not."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import (
    is_new_file_operation,
    is_task_tool,
    is_todo_write_tool,
    normalize_tool_name,
    tool_name_to_kind,
)
from acp_jupyter.protocol.parse.packet import parse_packet
from acp_jupyter.protocol.tools.titles import get_tool_display_title
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance import golden
from tests.acceptance.shown import calls, only
from tests.acceptance.turns_of_tools import TOOL_TURNS

Json = dict[str, Any]


def diff(**fields: Any) -> Json:
    return {"type": "diff", "newText": "n", **fields}


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        ({"kind": "edit", "content": [diff(oldText="")]}, True),
        ({"kind": "edit", "content": [diff(oldText="x")]}, False),
        ({"kind": "edit", "content": [{"type": "content"}, diff(oldText="")]}, True),
        ({"kind": "edit", "content": [diff(oldText="x"), diff(oldText="")]}, False),
        ({"kind": "edit", "content": [diff(oldText=""), diff(oldText="x")]}, True),
        ({"kind": "edit", "content": [diff(oldText=None)]}, False),
        ({"kind": "edit", "content": [diff()]}, False),
        ({"kind": "edit", "content": [{"type": "content"}, None, 5]}, None),
        ({"kind": "edit", "content": []}, None),
        ({"kind": "edit", "content": None}, None),
        ({"kind": "edit", "content": {"type": "diff", "oldText": ""}}, None),
        ({"kind": "edit"}, None),
        ({"kind": "read", "content": [diff(oldText="")]}, None),
        ({"content": [diff(oldText="")]}, None),
    ],
    ids=str,
)
def test_is_new_file_operation(packet: Json, expected: bool | None) -> None:
    """S1.33, S1.35, C7: the first diff of an edit decides, and nothing else."""
    assert is_new_file_operation(packet) is expected


def test_an_empty_old_text_is_a_new_file() -> None:
    """S1.31: "Writing file"."""
    packet = golden.read("s1-tool_call_progress-write-new")
    assert packet["content"][1]["oldText"] == ""
    assert get_tool_display_title("write", is_new_file_operation(packet)) == "Writing file"
    assert only(TOOL_TURNS["write_new"](), ToolCall).title == "Writing file"


def test_another_old_text_is_an_edit() -> None:
    """S1.32: "Editing file"."""
    packet = golden.read("s1-tool_call_progress-edit")
    assert packet["content"][1]["oldText"] == "const x = 1;"
    assert get_tool_display_title("edit", is_new_file_operation(packet)) == "Editing file"
    assert only(TOOL_TURNS["edit_existing"](), ToolCall).title == "Editing file"


def test_a_file_that_was_there_but_empty_is_no_new_one() -> None:
    """S1.32, C6: its tool says that it exists."""
    call = only(TOOL_TURNS["write_existing_empty"](), ToolCall)
    assert (call.title, call.is_new_file) == ("Editing file", False)
    assert call.diffs[0].is_new_file is False


def test_the_title_of_an_edit_is_a_path() -> None:
    """S1.34: and no name of a tool, not even of one in a folder of that name."""
    for title in ("/work/read", "read/bash", "/path/to/file.ts"):
        packet = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "kind": "edit"}
        progress = parse_packet({**packet, "title": title})
        assert progress.type == "tool_call_progress"
        assert (progress.tool_name, progress.kind) == ("edit", "edit")
        assert normalize_tool_name({"title": title}) == "unknown"


@pytest.mark.parametrize(
    ("title", "tool"),
    [
        ("run_commands: ls", "bash"),
        ("read_files:a.py", "read"),
        ("todo_write: 3", "todowrite"),
        ("run_commands:", "unknown"),
        ("run_commands", "bash"),
        ("bash: ls", "unknown"),
        ("moon_shot: ls", "unknown"),
    ],
)
def test_a_title_may_begin_with_the_name_of_its_tool(title: str, tool: str) -> None:
    """S1.42: but a word before a colon may be anything."""
    start = parse_packet({"sessionUpdate": "tool_call", "toolCallId": "c", "title": title})
    assert start.type == "tool_call_start"
    assert start.tool_name == tool


@pytest.mark.parametrize(("tool", "title"), [("write", "Editing file"), ("edit", "Writing file")])
def test_neither_name_nor_kind_decides(tool: str, title: str) -> None:
    """S1.35: the backend says "edit" for both; the diff's old text tells."""
    old = "x" if title == "Editing file" else ""
    packet: Json = {"toolCallId": "c", "title": tool, "kind": "edit"}
    packet["content"] = [diff(oldText=old)]
    progress = parse_packet({"type": "tool_call_progress", **packet})
    assert progress.type == "tool_call_progress"
    assert progress.kind == "edit"
    assert progress.output is not None
    assert progress.output.model_dump()["data"]["is_new_file"] is (title == "Writing file")
    assert get_tool_display_title(tool, is_new_file_operation(packet)) == title


KINDS = [
    pytest.param("glob", "other", "search", id="S1.42 glob"),
    pytest.param("grep", "other", "search", id="S1.42 grep"),
    pytest.param("read", "other", "read", id="S1.43 read"),
    pytest.param("bash", "other", "execute", id="S1.43 bash"),
    pytest.param("write", "other", "edit", id="S1.44 write"),
    pytest.param("edit", "other", "edit", id="S1.44 edit"),
    pytest.param("task", "read", "task", id="S1.45 task"),
    pytest.param("todowrite", "other", "other", id="S1.46 todowrite"),
    pytest.param("webfetch", "other", "other", id="S1.46 webfetch"),
    pytest.param("websearch", "other", "other", id="S1.46 websearch"),
]


@pytest.mark.parametrize(("tool", "raw_kind", "kind"), KINDS)
def test_the_kind_follows_from_the_name(tool: str, raw_kind: str, kind: str) -> None:
    """S1.42, S1.43, S1.44, S1.45, S1.46: the table of names and kinds."""
    assert tool_name_to_kind(tool, raw_kind) == kind
    start = parse_packet(
        {"sessionUpdate": "tool_call", "toolCallId": "c", "title": tool, "kind": raw_kind}
    )
    assert start.type == "tool_call_start"
    assert (start.tool_name, start.kind) == (tool, kind)


@pytest.mark.parametrize("kind", ["read", "edit", "search", "execute", "other", "think", None])
def test_a_task_is_a_task_whatever_kind_says(kind: str | None) -> None:
    """S1.45."""
    assert tool_name_to_kind("task", kind) == "task"


def test_the_card_of_a_web_search_is_other() -> None:
    """S1.46, C19: the icon may be more specific."""
    found = calls(TOOL_TURNS["tools_started"]())
    assert (found["websearch"].ui_kind, found["websearch"].tool_kind) == ("other", "search")
    assert (found["webfetch"].ui_kind, found["webfetch"].tool_kind) == ("other", "fetch")


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        ({"title": "todowrite"}, True),
        ({"title": "TodoWrite"}, True),
        ({"title": "todo_write"}, True),
        ({"title": "TODO_WRITE"}, True),
        ({"title": "6 todos", "rawInput": {"todos": []}}, True),
        ({"title": "6 todos", "raw_input": {"todos": [{}]}}, True),
        ({"rawInput": {"todos": [1]}}, True),
        ({"title": "6 todos", "rawInput": {"todos": {}}}, False),
        ({"title": "6 todos", "rawInput": {"todos": "a"}}, False),
        ({"title": "6 todos", "rawInput": {}}, False),
        ({"title": "6 todos", "rawInput": "todos"}, False),
        ({"title": "todo"}, False),
        ({}, False),
    ],
    ids=str,
)
def test_is_todo_write_tool(packet: Json, expected: bool) -> None:
    """S1.49."""
    assert is_todo_write_tool(packet) is expected


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        ({"title": "task"}, True),
        ({"title": "Task"}, True),
        ({"title": "Find it", "rawInput": {"subagent_type": "Explore"}}, True),
        ({"title": "Find it", "rawInput": {"subagentType": "Explore"}}, True),
        ({"title": "Find it", "raw_input": {"subagent_type": "Explore"}}, True),
        ({"title": "Find it", "rawInput": {"subagent_type": ""}}, False),
        ({"title": "Find it", "rawInput": {"subagent_type": None, "subagentType": 0}}, False),
        ({"title": "tasks"}, False),
        ({"rawInput": []}, False),
        ({}, False),
    ],
    ids=str,
)
def test_is_task_tool(packet: Json, expected: bool) -> None:
    """S1.50."""
    assert is_task_tool(packet) is expected
