"""The table of tools: one row for each known tool.

To add a tool, add a row here, and its tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import JsonValue

from acp_jupyter.protocol.objects import Obj, text
from acp_jupyter.protocol.tools import inputs
from acp_jupyter.protocol.tools import read_outputs as outputs
from acp_jupyter.protocol.tools.inputs import ToolInput, UnknownInput
from acp_jupyter.protocol.tools.outputs import ToolOutput
from acp_jupyter.protocol.tools.read_outputs import CallResult
from acp_jupyter.protocol.vocabulary import AcpKind, UiKind

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
"""For an unknown tool of a known kind."""

KIND_TOOLS: dict[AcpKind, str] = {"read": "read", "edit": "edit", "execute": "bash"}
"""The fallback for a tool's name: kinds that name one tool each."""


@dataclass(frozen=True, slots=True)
class InputField:
    """Which value of a tool's input is shown."""

    name: str
    """Name of the input's field."""
    is_path: bool = False
    counted: str = ""
    """For a list: the noun after its length."""
    otherwise: str = ""
    """The text if the field is empty."""


def _no_input(raw: Obj) -> ToolInput:
    return UnknownInput(raw=raw)


@dataclass(frozen=True, slots=True)
class ToolRow:
    """What is known about a tool by its name."""

    name: str
    acp_kind: AcpKind
    ui_kind: UiKind
    title: str
    """The title while it runs."""
    read_input: Callable[[Obj], ToolInput] = _no_input
    read_output: Callable[[CallResult], ToolOutput] = outputs.read_other_output
    description: InputField | None = None
    command: InputField | None = None
    edit_title: str = ""
    """The title for a change of an existing file."""
    aliases: tuple[str, ...] = ()


_PATTERN = InputField("pattern")
_FILE = InputField("file_path", is_path=True)
_edit_output: Callable[[CallResult], Any] = partial(outputs.read_write_output, name="edit")
_write_output: Callable[[CallResult], Any] = partial(outputs.read_write_output, name="write")

_ROWS = (
    ToolRow(
        "glob", "search", "search", "Searching files",
        inputs.read_glob, outputs.read_glob_output, _PATTERN, _PATTERN,
    ),
    ToolRow(
        "grep", "search", "search", "Searching content",
        inputs.read_grep, outputs.read_grep_output, _PATTERN, _PATTERN,
        aliases=("search_codebase",),
    ),
    ToolRow(
        "read", "read", "read", "Reading file",
        inputs.read_read, outputs.read_read_output, _FILE, _FILE,
        aliases=("read_files",),
    ),
    ToolRow(
        "write", "edit", "edit", "Writing file",
        inputs.read_write, _write_output, _FILE, _FILE, edit_title="Editing file",
    ),
    ToolRow(
        "edit", "edit", "edit", "Writing file",
        inputs.read_edit, _edit_output, _FILE, _FILE, edit_title="Editing file",
        aliases=("apply_patch",),
    ),
    ToolRow(
        "bash", "execute", "execute", "Running command",
        inputs.read_bash, outputs.read_bash_output,
        InputField("description", otherwise="Running command"), InputField("command"),
        aliases=("run_commands",),
    ),
    ToolRow(
        "task", "think", "task", "Running task",
        inputs.read_task, outputs.read_task_output,
        InputField("description", otherwise="Running subagent"), InputField("prompt"),
        aliases=("agent",),
    ),
    ToolRow(
        "todowrite", "other", "other", "Updating todos",
        inputs.read_todowrite, outputs.read_todo_output, InputField("todos", counted="todos"),
        aliases=("todo_write",),
    ),
    ToolRow(
        "webfetch", "fetch", "other", "Fetching web content",
        inputs.read_webfetch, description=InputField("prompt"),
    ),
    ToolRow(
        "websearch", "search", "other", "Searching web",
        inputs.read_websearch, description=InputField("query"),
    ),
    # Not among Onyx's ten: Claude's questions, and Codex's view of an image.
    ToolRow(
        "askuserquestion", "other", "other", "Asking a question",
        inputs.read_question, description=InputField("subject"),
    ),
    ToolRow(
        "view_image", "read", "read", "Viewing image",
        inputs.read_view_image, description=InputField("subject", is_path=True),
        command=InputField("subject", is_path=True),
    ),
)  # fmt: skip

TOOLS: dict[str, ToolRow] = {row.name: row for row in _ROWS}

UNKNOWN_TOOL = ToolRow("unknown", "other", "other", "Running tool")

_BY_SPELLING = {name: row for row in _ROWS for name in (row.name, *row.aliases)}


_MAX_NAME_CHARS = 200
"""Matches what may be a tool's name, with spaces."""


def find_tool(name: str | None) -> ToolRow | None:
    """Return a tool's row by any spelling of its name."""
    if not name or len(name) > _MAX_NAME_CHARS:
        return None
    return _BY_SPELLING.get(name.strip().lower())


_NAME_IN_TITLE = re.compile(r"([a-z]{1,30}(?:_[a-z]{1,30}){1,4}): ?\S")


def name_in_title(title: str) -> str | None:
    """Return the tool name at the beginning of a title, as in ``run_commands: ls`` (Cline).

    Only a name with an underscore counts: a word before a colon may be anything.
    """
    found = _NAME_IN_TITLE.match(title)
    return None if found is None else found[1]


_RAW_KINDS: dict[str, UiKind] = {
    "search": "search",
    "read": "read",
    "execute": "execute",
    "edit": "edit",
}


def tool_name_to_kind(tool_name: str, raw_kind: JsonValue = None) -> UiKind:
    """Return the kind for views: by name, else as in the packet."""
    row = TOOLS.get(tool_name)
    if row is not None and row.ui_kind != "other":
        return row.ui_kind
    return _RAW_KINDS.get(text(raw_kind), "other")
