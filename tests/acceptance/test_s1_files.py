"""Which file a packet is about, and tools whose titles change."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import (
    ParseState,
    get_file_path,
    get_relative_path,
    is_new_file_operation,
    is_task_tool,
    is_todo_write_tool,
    normalize_tool_name,
    parse_packet,
)
from acp_jupyter.transcript.model.items import Plan
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance import golden
from tests.acceptance.shown import only
from tests.acceptance.turns_of_tools import TOOL_TURNS

Json = dict[str, Any]

WRONG: list[Any] = [None, 5, 1.5, True, [], ["a"], {}, {"a": 1}]
"""What no title, kind, path or input is."""

BOX = "/workspace/sandboxes/7f3c/"


def test_raw_input_is_read_first() -> None:
    """S1.51: in every detector."""
    todos: Json = {"todos": []}
    task: Json = {"subagent_type": "Plan"}
    other: Json = {"path": "/x/b", "a": 1}
    assert is_todo_write_tool({"raw_input": todos, "rawInput": other})
    assert not is_todo_write_tool({"raw_input": other, "rawInput": todos})
    assert is_task_tool({"raw_input": task, "rawInput": other})
    assert not is_task_tool({"raw_input": other, "rawInput": task})
    assert get_file_path({"raw_input": other, "rawInput": {"path": "/x/a"}}) == "b"
    assert get_file_path({"raw_input": None, "rawInput": {"path": "/x/a"}}) == "a"


def _diff(path: Any) -> Json:
    return {"type": "diff", "path": path, "oldText": "", "newText": ""}


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        ({"rawInput": {"file_path": "/x/a", "filePath": "/x/b", "path": "/x/c"}}, "a"),
        ({"rawInput": {"filePath": "/x/b", "path": "/x/c"}}, "b"),
        ({"rawInput": {"path": "/x/c"}}, "c"),
        ({"rawInput": {"file_path": "", "filePath": None, "path": "/x/c"}}, "c"),
        ({"rawInput": {"path": "/x/c"}, "content": [_diff("/x/d")], "title": "/x/t"}, "c"),
        ({"content": [_diff("/x/d")], "title": "/x/t"}, "d"),
        ({"content": [{"type": "content", "path": "/x/n"}, _diff("/x/d")]}, "d"),
        ({"content": [_diff(""), _diff(None), _diff("/x/e")], "title": "/x/t"}, "e"),
        ({"content": [_diff("")], "title": "/x/t"}, "t"),
        ({"content": {"type": "diff", "path": "/x/d"}, "title": "/x/t"}, "t"),
        ({"title": "src/t.py"}, "t.py"),
        ({"title": "t.py"}, ""),
        ({}, ""),
    ],
    ids=str,
)
def test_the_order_of_places(packet: Json, expected: str) -> None:
    """S1.52: input, first diff with a path, title with a slash, nothing."""
    assert get_file_path(packet) == expected


@pytest.mark.parametrize("path", [f"{BOX}outputs/web/a.ts", f"{BOX}notes/b.md", "/etc/c", "d"])
def test_every_path_is_cleaned(path: str) -> None:
    """S1.53: from wherever it comes."""
    clean = get_relative_path(path)
    assert get_file_path({"rawInput": {"filePath": path}}) == clean
    assert get_file_path({"content": [_diff(path)]}) == clean
    if "/" in path:
        assert get_file_path({"title": path}) == clean
    assert clean in {"web/a.ts", "notes/b.md", "c", "d"}


@pytest.mark.parametrize("title", [*WRONG, "absent"])
@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_wrong_types_never_raise(title: Any, wrong: Any) -> None:
    """S1.54: an absent title, and wrong types in every field."""
    keys = ("kind", "content", "rawInput", "raw_input", "tool_name", "type", "sessionUpdate")
    packet: Json = dict.fromkeys(keys, wrong)
    if title != "absent":
        packet["title"] = title
    assert is_todo_write_tool(packet) is False
    assert is_task_tool(packet) is False
    assert is_new_file_operation(packet) is None
    assert get_file_path(packet) == ""
    assert normalize_tool_name(packet) == "unknown"


def test_todos_stay_todos() -> None:
    """S1.47: the title goes from "todowrite" to "6 todos"."""
    script = TOOL_TURNS["todo_titles"]()
    call = only(script, ToolCall)
    assert (call.tool_name, call.title, call.description) == (
        "todowrite",
        "Updating todos",
        "6 todos",
    )
    assert [todo.content for todo in call.todos or ()][:2] == [
        "Create prepare.sh script",
        "Build dashboard page",
    ]
    assert len(call.todos or ()) == 6
    late = golden.read("s1-tool_call_progress-todowrite")
    assert late["title"] == "6 todos"
    alone = parse_packet(late)
    assert alone.type == "tool_call_progress"
    assert alone.tool_name == "todowrite"


def test_todos_stay_todos_without_their_input() -> None:
    """S1.47, C18: the name is remembered by the call's id."""
    state = ParseState()
    parse_packet(golden.read("s1-tool_call_start-todowrite"), state)
    late = {**golden.read("s1-tool_call_progress-todowrite"), "rawInput": None}
    known, unknown = parse_packet(late, state), parse_packet(late)
    assert known.type == unknown.type == "tool_call_progress"
    assert (known.tool_name, unknown.tool_name) == ("todowrite", "unknown")


@pytest.mark.parametrize(("tool", "turn"), [("write", "write_new"), ("edit", "edit_existing")])
def test_an_edit_stays_an_edit(tool: str, turn: str) -> None:
    """S1.48: the title goes from the tool's name to a path."""
    call = only(TOOL_TURNS[turn](), ToolCall)
    assert (call.tool_name, call.ui_kind, call.tool_kind) == (tool, "edit", "edit")
    assert (call.path, call.description) == ("/path/to/file.ts", "/path/to/file.ts")
    assert call.title in {"Writing file", "Editing file"}


def test_a_plan_and_todos_stand_side_by_side() -> None:
    """S1.38: neither overwrites the other."""
    script = TOOL_TURNS["plan_beside_todos"]()
    assert [entry.content for entry in only(script, Plan).entries] == [
        "Create prepare.sh script",
        "Build dashboard page",
    ]
    assert len(only(script, ToolCall).todos or ()) == 6
