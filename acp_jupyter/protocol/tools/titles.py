"""Texts shown for a tool call: title, description, command, output, end, files, sizes.

`describe_tool` decides between the agent's own title and the table's.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from pydantic import BaseModel, JsonValue

from acp_jupyter.protocol.content import ToolContent, first_diff
from acp_jupyter.protocol.files import get_relative_path, relative_path, with_relative_paths
from acp_jupyter.protocol.objects import Obj, obj, text
from acp_jupyter.protocol.tools.inputs import (
    BashInput,
    TodoWriteInput,
    ToolInput,
    command_line,
    named_path,
)
from acp_jupyter.protocol.tools.outputs import (
    BashToolOutput,
    ReadToolOutput,
    SearchToolOutput,
    TaskToolOutput,
    TodoToolOutput,
    ToolOutput,
    UnknownToolOutput,
    WriteToolOutput,
)
from acp_jupyter.protocol.tools.table import (
    KIND_TITLES,
    TOOLS,
    UNKNOWN_TOOL,
    InputField,
    find_tool,
    name_in_title,
    tool_name_to_kind,
)
from acp_jupyter.protocol.vocabulary import AcpKind, UiKind


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """Everything known about a tool call so far."""

    title: str
    """The agent's title."""
    tool_name: str
    """A name of the tool table, or ``unknown``."""
    acp_kind: AcpKind | None
    raw_input: JsonValue
    content: tuple[ToolContent, ...]
    paths: tuple[str, ...]
    """Paths of the locations."""
    exists: bool
    """Whether the tool says that the file existed before."""
    cwd: str


@dataclass(frozen=True, slots=True)
class ToolWords:
    """The texts for display."""

    acp_kind: AcpKind
    ui_kind: UiKind
    title: str
    description: str
    command: str
    path: str
    is_new_file: bool | None
    """None if unknown."""
    input: ToolInput


def describe_tool(facts: ToolFacts) -> ToolWords:
    """Return the texts of a card.

    The agent's own title is shown, unless it is a bare tool name, a path or the command itself:
    then Onyx's title for that tool.
    """
    row = TOOLS.get(facts.tool_name, UNKNOWN_TOOL)
    # The protocol's kind is more specific, unless it is unknown.
    acp_kind = facts.acp_kind
    kind = row.acp_kind if acp_kind is None or acp_kind == "other" else acp_kind
    source = obj(facts.raw_input)
    tool_input = row.read_input(source)
    whole_path = named_path(source, facts.content) or next(iter(facts.paths), "")
    path = relative_path(whole_path, facts.cwd)
    # Permission rules match on it, so it is a shell command and nothing else.
    is_shell = isinstance(tool_input, BashInput)
    command = get_tool_command(tool_input) if is_shell else command_line(source)
    diff = first_diff(facts.content)
    is_new = None if diff is None else diff.is_new_file(exists=facts.exists)
    own = facts.title.strip()
    names_path = own.startswith("/") or whole_path.endswith(f"/{own}")
    names_tool = find_tool(own) is not None or find_tool(name_in_title(own)) is not None
    bare = names_path or names_tool or own in {command, path, kind, *facts.paths}
    replaced = isinstance(tool_input, TodoWriteInput)  # its title counts, as in the list
    has_words = any(char.isalnum() for char in own)
    shows_own = has_words and not bare and not replaced
    title = with_relative_paths(own, facts.cwd) if shows_own else _onyx_title(facts, kind, is_new)
    words = _description(tool_input, facts.cwd, path, command, source)
    return ToolWords(
        acp_kind=kind,
        ui_kind=tool_name_to_kind(facts.tool_name, acp_kind),
        title=title,
        description="" if shows_own and words in title else words,
        command=command,
        path=path,
        is_new_file=is_new,
        input=tool_input,
    )


def _onyx_title(facts: ToolFacts, kind: AcpKind, is_new: bool | None) -> str:
    if facts.tool_name in TOOLS:
        return get_tool_display_title(facts.tool_name, is_new)
    return KIND_TITLES[kind]


def _description(tool_input: ToolInput, cwd: str, path: str, command: str, source: Obj) -> str:
    if isinstance(tool_input, BashInput):
        # The command itself says more than Onyx's text for a missing description.
        return tool_input.description or command
    if isinstance(tool_input, TodoWriteInput) and not tool_input.todos:
        return ""
    named = get_tool_description(tool_input, partial(relative_path, cwd=cwd))
    others = ("pattern", "query", "url", "description")
    return named or path or next(filter(None, (text(source.get(key)) for key in others)), "")


def get_tool_display_title(tool_name: str, is_new_file: bool | None = None) -> str:
    """Return what a tool does, as text.

    Parameters
    ----------
    tool_name
        A name of the tool table; any other has the title of an unknown tool.
    is_new_file
        For a write or edit: whether the file is new. None counts as new.
    """
    row = TOOLS.get(tool_name, UNKNOWN_TOOL)
    return row.edit_title if row.edit_title and is_new_file is False else row.title


def get_tool_description(
    tool_input: ToolInput, relative: Callable[[str], str] = get_relative_path
) -> str:
    """Return the subject of a tool call."""
    row = TOOLS.get(tool_input.tool_name, UNKNOWN_TOOL)
    return _field(tool_input, row.description, relative)


def get_tool_command(
    tool_input: ToolInput, relative: Callable[[str], str] = get_relative_path
) -> str:
    """Return the details of a tool call, for its expanded view."""
    row = TOOLS.get(tool_input.tool_name, UNKNOWN_TOOL)
    return _field(tool_input, row.command, relative)


def _field(tool_input: BaseModel, field: InputField | None, relative: Callable[[str], str]) -> str:
    if field is None:
        return ""
    value = getattr(tool_input, field.name, "")
    if field.counted:
        return f"{len(value)} {field.counted}"
    return (relative(value) if field.is_path else str(value)) or field.otherwise


def format_tool_output(output: ToolOutput | None) -> str:
    """Return a tool's output as text."""
    match output:
        case None:
            return ""
        case SearchToolOutput():
            return "\n".join(output.data.files)
        case ReadToolOutput():
            return output.data.content
        case WriteToolOutput():
            return output.data.new_text or ""
        case BashToolOutput():
            return output.data.output
        case TaskToolOutput():
            return output.data.result
        case TodoToolOutput():
            return _json([todo.model_dump(by_alias=True) for todo in output.data.todos])
        case UnknownToolOutput():
            return _json(output.data)
        case _:
            assert_never(output)


def _json(value: JsonValue) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
