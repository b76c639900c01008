"""One row per tool that agents are known to have (S5.5, S5.18 to S5.27, S5.47).

Adding a tool is adding a row here, and its tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from acp_jupyter.packets import read_inputs as inputs
from acp_jupyter.packets import read_outputs as outputs
from acp_jupyter.packets.json_fields import Obj
from acp_jupyter.packets.read_outputs import Given
from acp_jupyter.packets.tool_inputs import ToolInput, UnknownInput
from acp_jupyter.packets.tool_outputs import ToolOutput
from acp_jupyter.packets.vocabulary import AcpKind, UiKind

__all__ = ["KIND_TITLES", "KIND_TOOLS", "TOOLS", "UNKNOWN_TOOL", "Field", "ToolRow", "find_tool"]

KIND_TITLES: dict[AcpKind, str] = {
    "read": "Reading file",
    "edit": "Editing file",
    "delete": "Deleting file",
    "move": "Moving file",
    "search": "Searching files",
    "execute": "Running command",
    "think": "Thinking",
    "fetch": "Fetching web content",
    "switch_mode": "Switching mode",
    "other": "Running tool",
}
"""For a tool of which only the kind is known."""

KIND_TOOLS: dict[AcpKind, str] = {"read": "read", "edit": "edit", "execute": "bash"}
"""The last resort for a tool's name (C18): kinds whose tools all read alike."""


@dataclass(frozen=True, slots=True)
class Field:
    """Which words of a tool's input are shown."""

    name: str
    """Of the input's field."""
    is_path: bool = False
    counted: str = ""
    """For a list: its length, then this word."""
    otherwise: str = ""
    """Where the field says nothing."""


def _no_input(raw: Obj) -> ToolInput:
    return UnknownInput(raw=raw)


@dataclass(frozen=True, slots=True)
class ToolRow:
    """What is known of a tool by its name."""

    name: str
    acp_kind: AcpKind
    ui_kind: UiKind
    title: str
    """While it runs: what it does, in words."""
    read_input: Callable[[Obj], ToolInput] = _no_input
    read_output: Callable[[Given], ToolOutput] = outputs.read_other_output
    description: Field | None = None
    command: Field | None = None
    edit_title: str = ""
    """The title where an existing file is changed."""
    aliases: tuple[str, ...] = ()


_PATTERN = Field("pattern")
_FILE = Field("file_path", is_path=True)
_edit_output: Callable[[Given], Any] = partial(outputs.read_write_output, name="edit")
_write_output: Callable[[Given], Any] = partial(outputs.read_write_output, name="write")

_ROWS = (
    ToolRow(
        "glob", "search", "search", "Searching files",
        inputs.read_glob, outputs.read_glob_output, _PATTERN, _PATTERN,
    ),
    ToolRow(
        "grep", "search", "search", "Searching content",
        inputs.read_grep, outputs.read_grep_output, _PATTERN, _PATTERN,
    ),
    ToolRow(
        "read", "read", "read", "Reading file",
        inputs.read_read, outputs.read_read_output, _FILE, _FILE,
    ),
    ToolRow(
        "write", "edit", "edit", "Writing file",
        inputs.read_write, _write_output, _FILE, _FILE, edit_title="Editing file",
    ),
    ToolRow(
        "edit", "edit", "edit", "Writing file",
        inputs.read_edit, _edit_output, _FILE, _FILE, edit_title="Editing file",
    ),
    ToolRow(
        "bash", "execute", "execute", "Running command",
        inputs.read_bash, outputs.read_bash_output,
        Field("description", otherwise="Running command"), Field("command"),
    ),
    ToolRow(
        "task", "think", "task", "Running task",
        inputs.read_task, outputs.read_task_output,
        Field("description", otherwise="Running subagent"), Field("prompt"),
        aliases=("agent",),
    ),
    ToolRow(
        "todowrite", "other", "other", "Updating todos",
        inputs.read_todowrite, outputs.read_todo_output, Field("todos", counted="todos"),
        aliases=("todo_write",),
    ),
    ToolRow(
        "webfetch", "fetch", "other", "Fetching web content",
        inputs.read_webfetch, description=Field("prompt"),
    ),
    ToolRow(
        "websearch", "search", "other", "Searching web",
        inputs.read_websearch, description=Field("query"),
    ),
    # Beyond the seeds (C27): claude's questions, codex's look at an image.
    ToolRow(
        "askuserquestion", "other", "other", "Asking a question",
        inputs.read_question, description=Field("subject"),
    ),
    ToolRow(
        "view_image", "read", "read", "Viewing image",
        inputs.read_view_image, description=Field("subject", is_path=True),
        command=Field("subject", is_path=True),
    ),
)  # fmt: skip

TOOLS: dict[str, ToolRow] = {row.name: row for row in _ROWS}

UNKNOWN_TOOL = ToolRow("unknown", "other", "other", "Running tool")

_BY_SPELLING = {name: row for row in _ROWS for name in (row.name, *row.aliases)}


def find_tool(name: str | None) -> ToolRow | None:
    """Find a tool's row by any spelling of its name."""
    return None if not name else _BY_SPELLING.get(name.strip().lower())
