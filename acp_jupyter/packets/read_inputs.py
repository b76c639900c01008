"""Readers of tool inputs: raw objects in, typed inputs out; never raising."""

from __future__ import annotations

import re
import shlex

from pydantic import JsonValue

from acp_jupyter.packets.json_fields import Obj, first, items, obj, text
from acp_jupyter.packets.tool_inputs import (
    BashInput,
    EditInput,
    GlobInput,
    GrepInput,
    OtherInput,
    ReadInput,
    TaskInput,
    TodoItem,
    TodoWriteInput,
    ToolInput,
    WebFetchInput,
    WebSearchInput,
    WriteInput,
)
from acp_jupyter.packets.vocabulary import normalize_todo_status

__all__ = [
    "command_line",
    "file_path",
    "is_shell",
    "read_bash",
    "read_edit",
    "read_glob",
    "read_grep",
    "read_question",
    "read_read",
    "read_task",
    "read_todos",
    "read_todowrite",
    "read_view_image",
    "read_webfetch",
    "read_websearch",
    "read_write",
]

_SHELL = re.compile(
    r"((/usr(/local)?|/opt/homebrew|/run/current-system/sw|/nix/store/[\w.+-]+)?/bin/)?"
    r"(bash|dash|sh|zsh)"
)


def file_path(raw: Obj) -> str:
    """Return the path that an input names, in any spelling; snake case first (S1.52)."""
    names = ("file_path", "filePath", "path", "filepath", "abs_path")
    return next((path for name in names if (path := text(raw.get(name)))), "")


def command_line(raw: Obj) -> str:
    """Return the command that an input names, as one would type it."""
    value = first(raw, "command", "cmd")
    if not isinstance(value, list):
        return text(value)
    words = [part for part in value if isinstance(part, str)]
    match words:
        case [program, "-c" | "-lc", script] if is_shell(program):
            return script  # codex: the shell around a command says nothing
        case _:
            return shlex.join(words)


def is_shell(program: str) -> bool:
    """Tell whether a program is a system's shell, not only one of that name."""
    return _SHELL.fullmatch(program) is not None


def read_todos(raw: JsonValue) -> tuple[TodoItem, ...]:
    """Read a list of todos; what is no todo is left out."""
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
    """S1.12."""
    return GlobInput(pattern=text(raw.get("pattern")), path=text(raw.get("path")))


def read_grep(raw: Obj) -> ToolInput:
    """S1.13."""
    return GrepInput(pattern=text(first(raw, "pattern", "query")), path=text(raw.get("path")))


def read_read(raw: Obj) -> ToolInput:
    """S1.14."""
    return ReadInput(file_path=file_path(raw))


def read_write(raw: Obj) -> ToolInput:
    """S1.15."""
    return WriteInput(file_path=file_path(raw), content=text(raw.get("content")))


def read_edit(raw: Obj) -> ToolInput:
    """S1.16."""
    return EditInput(
        file_path=file_path(raw),
        old_string=text(first(raw, "old_string", "oldString")),
        new_string=text(first(raw, "new_string", "newString")),
    )


def read_bash(raw: Obj) -> ToolInput:
    """S1.17."""
    return BashInput(command=command_line(raw), description=text(raw.get("description")))


def read_task(raw: Obj) -> ToolInput:
    """S1.18."""
    return TaskInput(
        prompt=text(raw.get("prompt")),
        description=text(raw.get("description")),
        subagent_type=text(first(raw, "subagent_type", "subagentType")),
    )


def read_todowrite(raw: Obj) -> ToolInput:
    """S1.19."""
    return TodoWriteInput(todos=read_todos(raw.get("todos")))


def read_webfetch(raw: Obj) -> ToolInput:
    """S5.14."""
    return WebFetchInput(url=text(raw.get("url")), prompt=text(raw.get("prompt")))


def read_websearch(raw: Obj) -> ToolInput:
    """S5.14."""
    return WebSearchInput(query=text(raw.get("query")))


def read_question(raw: Obj) -> ToolInput:
    """Claude's ``AskUserQuestion``: what is asked, the questions one after the other."""
    asked = (text(obj(entry).get("question")) for entry in items(raw.get("questions")))
    return OtherInput(tool_name="askuserquestion", subject=" ".join(filter(None, asked)))


def read_view_image(raw: Obj) -> ToolInput:
    """Codex's ``view_image``: the file that is looked at."""
    return OtherInput(tool_name="view_image", subject=file_path(raw))
