"""Inputs of seed 000's tools, in every spelling that agents use."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import ToolInput, parse_packet
from acp_jupyter.protocol.packets import ToolCallProgress, ToolCallStart
from acp_jupyter.protocol.tools.inputs import (
    BashInput,
    EditInput,
    GlobInput,
    GrepInput,
    OtherInput,
    ReadInput,
    TaskInput,
    TodoItem,
    TodoWriteInput,
    WriteInput,
)
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance import golden
from tests.acceptance.shown import only
from tests.acceptance.turns_of_tools import TOOL_TURNS, play

PATHS = ["file_path", "filePath", "path", "filepath", "abs_path"]


def read_as(tool: str, raw_input: Any) -> ToolInput:
    """Read an input as that of a tool."""
    packet = {"type": "tool_call_start", "toolCallId": "c", "title": tool, "rawInput": raw_input}
    start = parse_packet(packet)
    assert isinstance(start, ToolCallStart)
    assert start.tool_name == tool
    return start.input


def of_golden(name: str) -> ToolInput:
    progress = golden.packet(f"s1-tool_call_progress-{name}")
    assert isinstance(progress, ToolCallProgress)
    return progress.input


def test_glob() -> None:
    """S1.12."""
    assert of_golden("glob") == GlobInput(pattern="files/linear/**/*.json")
    assert read_as("glob", {"pattern": "*", "path": "src"}) == GlobInput(pattern="*", path="src")


def test_grep() -> None:
    """S1.13: the path is optional."""
    assert of_golden("grep") == GrepInput(pattern="data", path="src/app")
    assert read_as("grep", {"pattern": "x"}) == GrepInput(pattern="x")
    assert read_as("grep", {"query": "x"}) == GrepInput(pattern="x")
    assert read_as("grep", {"queries": ["x", "", 5, "y"]}) == GrepInput(pattern="x, y")


def test_the_path_of_a_grep_is_shown() -> None:
    """S1.13: beside the pattern."""
    call = only(TOOL_TURNS["grep_found"](), ToolCall)
    assert (call.title, call.path) == ("data", "src/app")
    assert only(play("s1-tool_call_start-grep"), ToolCall).path == ""


@pytest.mark.parametrize("spelling", PATHS)
def test_read(spelling: str) -> None:
    """S1.14, S1.52: a path in any spelling."""
    path = "/workspace/sandboxes/7f3c/outputs/prepare.py"
    assert of_golden("read") == ReadInput(file_path=path)
    assert read_as("read", {spelling: "/a.py"}) == ReadInput(file_path="/a.py")
    assert read_as("view_image", {spelling: "/a.png"}) == OtherInput(
        tool_name="view_image", subject="/a.png"
    )


def test_the_first_path_that_says_something_counts() -> None:
    """S1.52: file_path, filePath, path, in this order."""
    for i, spelling in enumerate(PATHS):
        paths = {name: f"/{name}" for name in PATHS[i:]}
        empty: dict[str, Any] = dict.fromkeys(PATHS[:i], "") | {"file_path": None} if i else {}
        assert read_as("read", {**paths, **empty}) == ReadInput(file_path=f"/{spelling}")


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ({"files": [{"path": "/a"}]}, "/a"),
        ({"files": [{"path": "/a"}], "path": "/b"}, "/b"),
        ({"files": [{"path": "/a"}, {"path": "/b"}]}, ""),
        ({"files": [{"path": 5}]}, ""),
    ],
    ids=str,
)
def test_the_only_file_of_a_list_is_the_path(raw: dict[str, Any], path: str) -> None:
    """S1.52: a path that stands alone counts before it."""
    assert read_as("read", raw) == ReadInput(file_path=path)


def test_write() -> None:
    """S1.15."""
    expected = WriteInput(file_path="/path/to/file.ts", content="// new file content...")
    assert of_golden("write-new") == expected


@pytest.mark.parametrize(("old", "new"), [("old_string", "new_string"), ("oldString", "newString")])
def test_edit(old: str, new: str) -> None:
    """S1.16, S5.13: camel and snake case in one object."""
    expected = EditInput(
        file_path="/path/to/file.ts",
        old_string="const x = 1;",
        new_string="const x = 2;\nconst y = 3;",
    )
    assert of_golden("edit") == expected
    raw = {"filePath": "/a", old: "one", new: "two"}
    assert read_as("edit", raw) == EditInput(file_path="/a", old_string="one", new_string="two")


def test_bash() -> None:
    """S1.17."""
    assert of_golden("bash") == BashInput(command="pytest -q", description="Run the tests")


@pytest.mark.parametrize(
    ("raw", "command"),
    [
        ({"command": "ls"}, "ls"),
        ({"cmd": "ls"}, "ls"),
        ({"command": ["bash", "-lc", "ls *.py"]}, "ls *.py"),
        ({"command": ["sh", "-c", "ls"]}, "ls"),
        ({"command": ["rm", "-r", "a b"]}, "rm -r 'a b'"),
        ({"command": ["ls", 5, None]}, "ls"),
        ({"command": {"a": 1}}, ""),
        ({"commands": ["ls", {"command": "pwd"}, {"a": 1}, 5]}, "ls\npwd"),
        ({"commands": [{"command": "rm", "args": ["a b", 5]}]}, "rm 'a b'"),
    ],
    ids=str,
)
def test_commands_in_other_shapes(raw: dict[str, Any], command: str) -> None:
    """S1.17: a list of words is the line that one would type."""
    assert read_as("bash", raw) == BashInput(command=command)


@pytest.mark.parametrize("spelling", ["subagent_type", "subagentType"])
@pytest.mark.parametrize("subagent", ["Explore", "Plan", "Bash"])
def test_task(subagent: str, spelling: str) -> None:
    """S1.18, S5.13."""
    raw = {"prompt": "p", "description": "d", spelling: subagent}
    expected = TaskInput(prompt="p", description="d", subagent_type=subagent)
    assert read_as("task", raw) == expected


def test_a_task_shows_its_subagent() -> None:
    """S1.18: ready for a badge."""
    call = only(TOOL_TURNS["task_subagent"](), ToolCall)
    assert (call.subagent_type, call.ui_kind) == ("Explore", "task")
    assert call.title == "Find the data loaders"
    assert only(TOOL_TURNS["bash_done"](), ToolCall).subagent_type == ""


def test_todowrite() -> None:
    """S1.19: content, status and the form while in progress."""
    todos = of_golden("todowrite")
    assert isinstance(todos, TodoWriteInput)
    assert todos.todos[:3] == (
        TodoItem(
            content="Create prepare.sh script",
            status="completed",
            active_form="Creating prepare.sh script",
        ),
        TodoItem(
            content="Build dashboard page",
            status="in_progress",
            active_form="Building dashboard page",
        ),
        TodoItem(content="Add filters", status="pending", active_form="Adding filters"),
    )
    assert len(todos.todos) == 6


@pytest.mark.parametrize(
    ("raw", "todo"),
    [
        ({"content": "a", "active_form": "b"}, TodoItem(content="a", active_form="b")),
        ({"title": "a"}, TodoItem(content="a")),
        ({"text": "a", "status": "hm"}, TodoItem(content="a")),
        ({"content": "a", "activeForm": 5}, TodoItem(content="a")),
    ],
    ids=str,
)
def test_todos_in_other_spellings(raw: dict[str, Any], todo: TodoItem) -> None:
    """S1.19: what is no todo is left out."""
    listed = [raw, None, "x", {}]
    assert read_as("todowrite", {"todos": listed}) == TodoWriteInput(todos=(todo,))


@pytest.mark.parametrize("raw", [None, [], "x", 5, {"filePath": 5, "todos": {}, "command": 1.5}])
@pytest.mark.parametrize(
    "empty",
    [
        GlobInput(),
        GrepInput(),
        ReadInput(),
        WriteInput(),
        EditInput(),
        BashInput(),
        TaskInput(),
        TodoWriteInput(),
    ],
    ids=lambda empty: empty.tool_name,
)
def test_wrong_types_are_nothing(raw: Any, empty: Any) -> None:
    """S1.12, S1.13, S1.14, S1.15, S1.16, S1.17, S1.18, S1.19: no field of a wrong type is taken."""
    assert read_as(empty.tool_name, raw) == empty


def test_questions() -> None:
    """C27: a tool beyond the seeds has its row."""
    questions = {"questions": [{"question": "Which?"}, {"question": ""}, {"question": "How?"}]}
    expected = OtherInput(tool_name="askuserquestion", subject="Which? How?")
    assert read_as("askuserquestion", questions) == expected
