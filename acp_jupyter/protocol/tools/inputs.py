"""Tool inputs: types, tagged by the tool's name, and parsers of raw inputs, which never raise.

An input can be a patch as text: ``*** Begin Patch``, the format of Codex's ``apply_patch``. It
names files and the changed lines, without line numbers. A valid patch becomes diffs; anything else
gives none, and is shown as the agent sent it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, JsonValue, Tag
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType

from acp_jupyter.protocol.content import ToolContent, ToolDiff
from acp_jupyter.protocol.objects import Model, Obj, first, items, obj, text
from acp_jupyter.protocol.vocabulary import SEED_TOOL_NAMES, StepStatus, normalize_todo_status


class _Input(Model):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class GlobInput(_Input):
    """A pattern of file names, and where to look."""

    tool_name: Literal["glob"] = "glob"
    pattern: str = ""
    path: str = ""


class GrepInput(_Input):
    """A pattern of text, and where to look."""

    tool_name: Literal["grep"] = "grep"
    pattern: str = ""
    path: str = ""


class ReadInput(_Input):
    """The file to read."""

    tool_name: Literal["read"] = "read"
    file_path: str = ""


class WriteInput(_Input):
    """A file and its whole new text."""

    tool_name: Literal["write"] = "write"
    file_path: str = ""
    content: str = ""


class EditInput(_Input):
    """A file, the text to replace, and the text in its place."""

    tool_name: Literal["edit"] = "edit"
    file_path: str = ""
    old_string: str = ""
    new_string: str = ""


class BashInput(_Input):
    """A shell command, and what it is for."""

    tool_name: Literal["bash"] = "bash"
    command: str = ""
    description: str = ""


class TaskInput(_Input):
    """The task of a subagent, and the subagent's type."""

    tool_name: Literal["task"] = "task"
    prompt: str = ""
    description: str = ""
    subagent_type: str = ""


class TodoItem(_Input):
    """One todo; views show ``active_form`` while it is in progress."""

    content: str
    status: StepStatus = "pending"
    active_form: str = ""


class TodoWriteInput(_Input):
    """The whole list of todos."""

    tool_name: Literal["todowrite"] = "todowrite"
    todos: tuple[TodoItem, ...] = ()


class WebFetchInput(_Input):
    """An address, and what to find out there."""

    tool_name: Literal["webfetch"] = "webfetch"
    url: str = ""
    prompt: str = ""


class WebSearchInput(_Input):
    """A search on the web."""

    tool_name: Literal["websearch"] = "websearch"
    query: str = ""


class OtherInput(_Input):
    """Input of a known tool without a model of its own."""

    tool_name: str
    subject: str = ""
    """The subject: a path, a question."""


class UnknownInput(_Input):
    """Input of an unknown tool."""

    tool_name: Literal["unknown"] = "unknown"
    raw: JsonValue = None


def _tag(value: Any) -> str:
    found = value.get("toolName", value.get("tool_name")) if isinstance(value, dict) else None
    name = found if found is not None else getattr(value, "tool_name", "unknown")
    return name if isinstance(name, str) and name in SEED_TOOL_NAMES else "other"


ToolInput = TypeAliasType(
    "ToolInput",
    Annotated[
        Annotated[GlobInput, Tag("glob")]
        | Annotated[GrepInput, Tag("grep")]
        | Annotated[ReadInput, Tag("read")]
        | Annotated[WriteInput, Tag("write")]
        | Annotated[EditInput, Tag("edit")]
        | Annotated[BashInput, Tag("bash")]
        | Annotated[TaskInput, Tag("task")]
        | Annotated[TodoWriteInput, Tag("todowrite")]
        | Annotated[WebFetchInput, Tag("webfetch")]
        | Annotated[WebSearchInput, Tag("websearch")]
        | Annotated[OtherInput, Tag("other")]
        | Annotated[UnknownInput, Tag("unknown")],
        Discriminator(_tag),
    ],
)


_SHELL = re.compile(
    r"((/usr(/local)?|/opt/homebrew|/run/current-system/sw|/nix/store/[\w.+-]+)?/bin/)?"
    r"(bash|dash|sh|zsh)"
)


def file_path(raw: Obj) -> str:
    """Return the path in an input, in any spelling; snake case first."""
    names = ("file_path", "filePath", "path", "filepath", "abs_path")
    named = next((path for name in names if (path := text(raw.get(name)))), "")
    match raw.get("files"):
        case [{"path": str(path)}] if not named:
            return path
        case _:
            return named


def command_line(raw: Obj) -> str:
    """Return the command in an input, as typed in a shell."""
    value = first(raw, "command", "cmd")
    if value is None and isinstance(commands := raw.get("commands"), list):
        return "\n".join(filter(None, map(_one_command, commands)))
    if not isinstance(value, list):
        return text(value)
    words = [part for part in value if isinstance(part, str)]
    match words:
        case [program, "-c" | "-lc", script] if is_shell(program):
            return script  # codex: the shell around a command says nothing
        case _:
            return shlex.join(words)


def _one_command(value: JsonValue) -> str:
    """Read a command in a list (Cline): a shell line, or a program and its arguments."""
    match value:
        case {"command": str(program), "args": list(args)}:
            return shlex.join([program, *(arg for arg in args if isinstance(arg, str))])
        case {"command": str(line)} | str(line):
            return line
        case _:
            return ""


def is_shell(program: str) -> bool:
    """Return whether a program is one of the system's shells, not merely named like one."""
    return _SHELL.fullmatch(program) is not None


def read_todos(raw: JsonValue) -> tuple[TodoItem, ...]:
    """Read a list of todos; invalid ones are left out."""
    return tuple(
        TodoItem(
            content=text(first(entry, "content", "title", "text")),
            status=normalize_todo_status(entry.get("status")),
            active_form=text(first(entry, "activeForm", "active_form")),
        )
        for entry in map(obj, items(raw))
        if entry
    )


def read_glob(raw: Obj) -> ToolInput:
    """Read the input of a search by file name."""
    return GlobInput(pattern=text(raw.get("pattern")), path=text(raw.get("path")))


def read_grep(raw: Obj) -> ToolInput:
    """Read the input of a search by text."""
    queries = ", ".join(filter(None, map(text, items(raw.get("queries")))))
    pattern = text(first(raw, "pattern", "query")) or queries
    return GrepInput(pattern=pattern, path=text(raw.get("path")))


def read_read(raw: Obj) -> ToolInput:
    """Read the input of a read."""
    return ReadInput(file_path=file_path(raw))


def read_write(raw: Obj) -> ToolInput:
    """Read the input of a write."""
    return WriteInput(file_path=file_path(raw), content=text(raw.get("content")))


def read_edit(raw: Obj) -> ToolInput:
    """Read the input of an edit; its fields may be spelled in either case."""
    return EditInput(
        file_path=file_path(raw),
        old_string=text(first(raw, "old_string", "oldString")),
        new_string=text(first(raw, "new_string", "newString")),
    )


def read_bash(raw: Obj) -> ToolInput:
    """Read the input of a shell command."""
    return BashInput(command=command_line(raw), description=text(raw.get("description")))


def read_task(raw: Obj) -> ToolInput:
    """Read the input of a subagent's task."""
    return TaskInput(
        prompt=text(raw.get("prompt")),
        description=text(raw.get("description")),
        subagent_type=text(first(raw, "subagent_type", "subagentType")),
    )


def read_todowrite(raw: Obj) -> ToolInput:
    """Read the input of a list of todos."""
    return TodoWriteInput(todos=read_todos(raw.get("todos")))


def read_webfetch(raw: Obj) -> ToolInput:
    """Read the input of a fetch."""
    return WebFetchInput(url=text(raw.get("url")), prompt=text(raw.get("prompt")))


def read_websearch(raw: Obj) -> ToolInput:
    """Read the input of a web search."""
    return WebSearchInput(query=text(raw.get("query")))


def read_question(raw: Obj) -> ToolInput:
    """Claude's ``AskUserQuestion``: the questions, joined."""
    asked = (text(obj(entry).get("question")) for entry in items(raw.get("questions")))
    return OtherInput(tool_name="askuserquestion", subject=" ".join(filter(None, asked)))


def read_view_image(raw: Obj) -> ToolInput:
    """Codex's ``view_image``: the path of the image."""
    return OtherInput(tool_name="view_image", subject=file_path(raw))


def named_path(raw_input: Obj, content: Iterable[ToolContent]) -> str:
    """Return the path in an input, else that of the first diff that has one."""
    in_diffs = (item.path for item in content if isinstance(item, ToolDiff))
    return file_path(raw_input) or next(filter(None, in_diffs), "")


_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _UPDATE, _DELETE = "*** Add File: ", "*** Update File: ", "*** Delete File: "
_MOVE, _END_OF_FILE = "*** Move to: ", "*** End of File"
_MAX_CHARS = 1_000_000
_MAX_DIFFS = 500


class _NotAPatchError(ValueError):
    """A line does not follow the format."""


@dataclass(slots=True)
class _Part:
    """An added file, or one run of changed lines in a file."""

    path: str
    is_new: bool
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    def diff(self) -> ToolDiff:
        return ToolDiff(
            path=self.path,
            old_text=None if self.is_new else _text(self.old),
            new_text=_text(self.new),
        )


def patch_diffs(raw_input: JsonValue) -> tuple[ToolDiff, ...]:
    """Return the changes of the patch in a tool's input.

    Parameters
    ----------
    raw_input
        Of a tool call: the patch itself, or an object with a field that is one.
    """
    fields = obj(raw_input)
    if file_path(fields):
        return ()  # a patch that is written into a file
    values = [raw_input] if isinstance(raw_input, str) else fields.values()
    patches = [
        value for value in values if isinstance(value, str) and value.lstrip().startswith(_BEGIN)
    ]
    if len(patches) != 1 or len(patches[0]) > _MAX_CHARS:
        return ()
    try:
        parts = list(_parts(patches[0].strip().splitlines()[1:]))
    except _NotAPatchError:
        return ()
    diffs = tuple(part.diff() for part in parts if part.is_new or part.old != part.new)
    return diffs if len(diffs) <= _MAX_DIFFS else ()


def _parts(lines: list[str]) -> Iterator[_Part]:
    part: _Part | None = None
    for line in lines:
        if line.startswith(_END):
            break
        if line.startswith((_ADD, _UPDATE, _DELETE)):
            if part is not None:
                yield part
            path = line.partition(": ")[2].strip()
            part = None if line.startswith(_DELETE) else _Part(path, line.startswith(_ADD))
        elif line.startswith((_MOVE, _END_OF_FILE)):
            continue
        elif part is None:
            raise _NotAPatchError(line)
        elif line.startswith("@@"):
            yield part
            part = _Part(part.path, is_new=False)
        else:
            _take(part, line)
    if part is not None:
        yield part


def _take(part: _Part, line: str) -> None:
    """Add a line to both sides, or to the side that it belongs to."""
    mark, rest = line[:1], line[1:]
    if mark not in {"", " ", "+", "-"} or (part.is_new and mark != "+"):
        raise _NotAPatchError(line)
    if mark != "+":
        part.old.append(rest)
    if mark != "-":
        part.new.append(rest)


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
