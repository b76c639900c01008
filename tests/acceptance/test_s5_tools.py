"""The functions of seed 004: names, kinds, titles, descriptions, commands."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import (
    ToolInput,
    get_tool_command,
    get_tool_description,
    get_tool_display_title,
    normalize_tool_name,
    parse_packet,
    tool_name_to_kind,
)
from acp_jupyter.protocol.packets import ToolCallStart
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
    UnknownInput,
    WebFetchInput,
    WebSearchInput,
    WriteInput,
)
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only
from tests.acceptance.turns_of_tools import play
from tests.support.transcript.traffic import Script

Json = dict[str, Any]

TITLES = {
    "glob": "Searching files",
    "grep": "Searching content",
    "read": "Reading file",
    "bash": "Running command",
    "task": "Running task",
    "todowrite": "Updating todos",
    "webfetch": "Fetching web content",
    "websearch": "Searching web",
    "unknown": "Running tool",
}
FILE = "/workspace/sandboxes/7f3c/outputs/web/a.ts"
TODOS = TodoWriteInput(todos=(TodoItem(content="a"), TodoItem(content="b")))


@pytest.mark.parametrize(
    ("packet", "name"),
    [
        ({"tool_name": "Read", "toolName": "edit", "title": "bash"}, "read"),
        ({"tool_name": None, "toolName": "Edit", "title": "bash"}, "edit"),
        ({"title": "BASH"}, "bash"),
        ({"tool_name": "", "toolName": "edit", "title": "bash"}, "unknown"),
        ({"toolName": "", "title": "bash"}, "unknown"),
        ({"title": "todo_write"}, "todowrite"),
        ({"title": "TodoWrite"}, "todowrite"),
        ({"title": "6 todos"}, "unknown"),
        ({"tool_name": 5, "title": "bash"}, "unknown"),
        ({"title": None}, "unknown"),
        ({}, "unknown"),
        ({"tool_name": None, "toolName": None, "title": "Grep"}, "grep"),
        ({"tool_name": "", "title": "bash"}, "unknown"),
        ({"tool_name": "TODO_WRITE", "title": "bash"}, "todowrite"),
        ({"toolName": "Todo_Write"}, "todowrite"),
        ({"tool_name": "frobnicate", "toolName": "edit", "title": "bash"}, "unknown"),
        *(({"title": name}, name) for name in TITLES),
        ({"title": "write"}, "write"),
    ],
    ids=str,
)
def test_normalize_tool_name(packet: Json, name: str) -> None:
    """S5.17: the first that is not null counts, an empty one too."""
    assert normalize_tool_name(packet) == name


@pytest.mark.parametrize(
    ("named", "kind"),
    [
        ({"tool_name": "GREP", "title": "bash"}, "search"),
        ({"toolName": "Todo_Write", "title": "bash"}, "other"),
        ({"title": "TASK"}, "task"),
        ({"tool_name": None, "toolName": None, "title": "Glob"}, "search"),
        ({"tool_name": "Read", "toolName": "grep", "title": "bash"}, "read"),
    ],
    ids=str,
)
def test_a_card_is_of_the_tool_that_is_named(named: Json, kind: str) -> None:
    """S5.17: the card has the kind of that tool."""
    script = Script(cwd="/ws")
    script.turn()
    script.imported({"type": "tool_call_start", "toolCallId": "c1", **named})
    assert only(script, ToolCall).ui_kind == kind


@pytest.mark.parametrize(
    ("name", "raw_kind", "kind"),
    [
        ("task", "read", "task"),
        ("glob", "edit", "search"),
        ("grep", None, "search"),
        ("read", "edit", "read"),
        ("write", "read", "edit"),
        ("edit", "read", "edit"),
        ("bash", "read", "execute"),
        ("todowrite", None, "other"),
        ("webfetch", "read", "read"),
        ("unknown", "search", "search"),
        ("unknown", "read", "read"),
        ("unknown", "execute", "execute"),
        ("unknown", "edit", "edit"),
        ("unknown", "fetch", "other"),
        ("unknown", "task", "other"),
        ("unknown", "moon", "other"),
        ("unknown", None, "other"),
        ("unknown", 5, "other"),
        ("nobody", "read", "read"),
    ],
)
def test_tool_name_to_kind(name: str, raw_kind: Any, kind: str) -> None:
    """S5.18: by name, else as the packet says, else other."""
    assert tool_name_to_kind(name, raw_kind) == kind


@pytest.mark.parametrize("tool", ["write", "edit"])
@pytest.mark.parametrize(
    ("is_new_file", "title"),
    [(False, "Editing file"), (True, "Writing file"), (None, "Writing file")],
)
def test_titles_of_writes(tool: str, is_new_file: bool | None, title: str) -> None:
    """S5.19, C7: what nothing says counts as new."""
    assert get_tool_display_title(tool, is_new_file) == title


@pytest.mark.parametrize(("tool", "title"), TITLES.items())
def test_titles(tool: str, title: str) -> None:
    """S5.20, S5.21, S5.22, S5.23: the seed's words, new file or not."""
    assert get_tool_display_title(tool) == title
    assert get_tool_display_title(tool, is_new_file=False) == title
    assert get_tool_display_title("nobody") == TITLES["unknown"]
    if tool != "unknown":
        call = only(play(f"s1-tool_call_start-{tool}", end=""), ToolCall)
        assert call.title == title


@pytest.mark.parametrize(
    ("tool_input", "description"),
    [
        (GlobInput(pattern="a/**/*.py", path="src"), "a/**/*.py"),
        (GrepInput(pattern="x+/y", path="src"), "x+/y"),
        (ReadInput(file_path=FILE), "web/a.ts"),
        (WriteInput(file_path=FILE, content="c"), "web/a.ts"),
        (EditInput(file_path=FILE, old_string="a", new_string="b"), "web/a.ts"),
        (ReadInput(), ""),
    ],
    ids=str,
)
def test_descriptions_of_files(tool_input: ToolInput, description: str) -> None:
    """S5.24: the pattern, or the clean path."""
    assert get_tool_description(tool_input) == description


@pytest.mark.parametrize(
    ("tool_input", "description"),
    [
        (BashInput(command="ls", description="List"), "List"),
        (BashInput(command="ls"), "Running command"),
        (OtherInput(tool_name="bash"), "Running command"),
        (TaskInput(prompt="p", description="Find", subagent_type="Plan"), "Find"),
        (TaskInput(prompt="p"), "Running subagent"),
    ],
    ids=str,
)
def test_descriptions_of_work(tool_input: ToolInput, description: str) -> None:
    """S5.25: words where the agent gives none."""
    assert get_tool_description(tool_input) == description


@pytest.mark.parametrize(
    ("tool_input", "description"),
    [
        (TODOS, "2 todos"),
        (TodoWriteInput(), "0 todos"),
        (WebFetchInput(url="https://e.org", prompt="What?"), "What?"),
        (WebSearchInput(query="pandas"), "pandas"),
        (UnknownInput(raw={"a": 1}), ""),
        (OtherInput(tool_name="askuserquestion", subject="Which?"), "Which?"),
        (OtherInput(tool_name="view_image", subject=FILE), "web/a.ts"),
    ],
    ids=str,
)
def test_descriptions_of_others(tool_input: ToolInput, description: str) -> None:
    """S5.26."""
    assert get_tool_description(tool_input) == description


@pytest.mark.parametrize(
    ("tool_input", "command"),
    [
        (GlobInput(pattern="a/*.py", path="src"), "a/*.py"),
        (GrepInput(pattern="x+/y"), "x+/y"),
        (ReadInput(file_path=FILE), "web/a.ts"),
        (WriteInput(file_path=FILE), "web/a.ts"),
        (EditInput(file_path=FILE), "web/a.ts"),
        (BashInput(command="ls", description="List"), "ls"),
        (TaskInput(prompt="Look.", description="Find"), "Look."),
        (TODOS, ""),
        (WebFetchInput(url="u", prompt="p"), ""),
        (WebSearchInput(query="q"), ""),
        (UnknownInput(raw={"command": "ls"}), ""),
        (OtherInput(tool_name="view_image", subject=FILE), "web/a.ts"),
        (OtherInput(tool_name="askuserquestion", subject="Which?"), ""),
    ],
    ids=str,
)
def test_commands(tool_input: ToolInput, command: str) -> None:
    """S5.27."""
    assert get_tool_command(tool_input) == command


@pytest.mark.parametrize(
    ("name", "raw", "fields"),
    [
        ("webfetch", {"url": "u", "prompt": "p"}, {"url": "u", "prompt": "p"}),
        ("websearch", {"query": "q"}, {"query": "q"}),
        ("unknown", {"a": [1]}, {"raw": {"a": [1]}}),
    ],
)
def test_inputs_of_the_web_and_of_unknown_tools(name: str, raw: Json, fields: Json) -> None:
    """S5.14."""
    packet = {"type": "tool_call_start", "toolCallId": "c", "title": name, "rawInput": raw}
    start = parse_packet(packet)
    assert isinstance(start, ToolCallStart)
    assert start.input.model_dump() == {"tool_name": name, **fields}
