"""What a tool gave back, tagged by the tool's name (S5.15, S5.16)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, JsonValue, Tag
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType

from acp_jupyter.packets.base import Model
from acp_jupyter.packets.tool_inputs import TodoItem

__all__ = [
    "BashOutput",
    "BashToolOutput",
    "Diagnostic",
    "ReadOutput",
    "ReadToolOutput",
    "SearchOutput",
    "SearchToolOutput",
    "TaskOutput",
    "TaskToolOutput",
    "TodoOutput",
    "TodoToolOutput",
    "ToolOutput",
    "UnknownToolOutput",
    "WriteOutput",
    "WriteToolOutput",
]


class _Output(Model):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class SearchOutput(_Output):
    """S1.20, S1.21."""

    files: tuple[str, ...] = ()
    count: int = 0
    truncated: bool = False


class ReadOutput(_Output):
    """S1.22, S1.23: the text of the file, without wrappers and line numbers."""

    content: str = ""
    truncated: bool = False
    first_line: int | None = None
    """Number of the first line, where the lines were numbered."""


class Diagnostic(_Output):
    """One finding of a language server after a write (S1.25)."""

    path: str
    line: int | None = None
    """From 1."""
    severity: Literal["error", "warning", "info"] = "error"
    message: str


class WriteOutput(_Output):
    """S1.25, S5.16."""

    success: bool = True
    new_text: str | None = None
    old_text: str | None = None
    is_new_file: bool = True
    diagnostics: tuple[Diagnostic, ...] = ()


class BashOutput(_Output):
    """S1.24."""

    output: str = ""
    exit_code: int | None = None
    truncated: bool = False


class TodoOutput(_Output):
    """S1.26."""

    todos: tuple[TodoItem, ...] = ()


class TaskOutput(_Output):
    """S5.15."""

    result: str = ""


class SearchToolOutput(_Output):
    """Of glob and grep."""

    tool_name: Literal["glob", "grep"]
    data: SearchOutput


class ReadToolOutput(_Output):
    """Of read."""

    tool_name: Literal["read"] = "read"
    data: ReadOutput


class WriteToolOutput(_Output):
    """Of write and edit."""

    tool_name: Literal["write", "edit"]
    data: WriteOutput


class BashToolOutput(_Output):
    """Of bash."""

    tool_name: Literal["bash"] = "bash"
    data: BashOutput


class TaskToolOutput(_Output):
    """Of task."""

    tool_name: Literal["task"] = "task"
    data: TaskOutput


class TodoToolOutput(_Output):
    """Of todowrite."""

    tool_name: Literal["todowrite"] = "todowrite"
    data: TodoOutput


class UnknownToolOutput(_Output):
    """Of every other tool, as it came."""

    tool_name: str = "unknown"
    data: JsonValue = None


def _tag(value: Any) -> str:
    found = value.get("toolName", value.get("tool_name")) if isinstance(value, dict) else None
    name = found if found is not None else getattr(value, "tool_name", "unknown")
    match name:
        case "glob" | "grep":
            return "search"
        case "write" | "edit":
            return "write"
        case "read" | "bash" | "task" | "todowrite":
            return str(name)
        case _:
            return "unknown"


ToolOutput = TypeAliasType(
    "ToolOutput",
    Annotated[
        Annotated[SearchToolOutput, Tag("search")]
        | Annotated[ReadToolOutput, Tag("read")]
        | Annotated[WriteToolOutput, Tag("write")]
        | Annotated[BashToolOutput, Tag("bash")]
        | Annotated[TaskToolOutput, Tag("task")]
        | Annotated[TodoToolOutput, Tag("todowrite")]
        | Annotated[UnknownToolOutput, Tag("unknown")],
        Discriminator(_tag),
    ],
)
