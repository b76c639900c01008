"""What a tool was asked to do, tagged by the tool's name (S5.13, S5.14)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, JsonValue, Tag
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType

from acp_jupyter.packets.base import Model
from acp_jupyter.packets.vocabulary import SEED_TOOL_NAMES, StepStatus

__all__ = [
    "BashInput",
    "EditInput",
    "GlobInput",
    "GrepInput",
    "OtherInput",
    "ReadInput",
    "TaskInput",
    "TodoItem",
    "TodoWriteInput",
    "ToolInput",
    "UnknownInput",
    "WebFetchInput",
    "WebSearchInput",
    "WriteInput",
]


class _Input(Model):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class GlobInput(_Input):
    """S1.12."""

    tool_name: Literal["glob"] = "glob"
    pattern: str = ""
    path: str = ""


class GrepInput(_Input):
    """S1.13."""

    tool_name: Literal["grep"] = "grep"
    pattern: str = ""
    path: str = ""


class ReadInput(_Input):
    """S1.14."""

    tool_name: Literal["read"] = "read"
    file_path: str = ""


class WriteInput(_Input):
    """S1.15."""

    tool_name: Literal["write"] = "write"
    file_path: str = ""
    content: str = ""


class EditInput(_Input):
    """S1.16."""

    tool_name: Literal["edit"] = "edit"
    file_path: str = ""
    old_string: str = ""
    new_string: str = ""


class BashInput(_Input):
    """S1.17."""

    tool_name: Literal["bash"] = "bash"
    command: str = ""
    description: str = ""


class TaskInput(_Input):
    """S1.18."""

    tool_name: Literal["task"] = "task"
    prompt: str = ""
    description: str = ""
    subagent_type: str = ""


class TodoItem(_Input):
    """S1.19."""

    content: str
    status: StepStatus = "pending"
    active_form: str = ""


class TodoWriteInput(_Input):
    """S1.19."""

    tool_name: Literal["todowrite"] = "todowrite"
    todos: tuple[TodoItem, ...] = ()


class WebFetchInput(_Input):
    """S5.14."""

    tool_name: Literal["webfetch"] = "webfetch"
    url: str = ""
    prompt: str = ""


class WebSearchInput(_Input):
    """S5.14."""

    tool_name: Literal["websearch"] = "websearch"
    query: str = ""


class OtherInput(_Input):
    """Of a tool that has a row in the table, but is not one of the seeds' (C27)."""

    tool_name: str
    subject: str = ""
    """What it is about: a path, a question."""


class UnknownInput(_Input):
    """Of a tool that nobody here knows."""

    tool_name: Literal["unknown"] = "unknown"
    raw: JsonValue = None


def _tag(value: Any) -> str:
    found = value.get("toolName", value.get("tool_name")) if isinstance(value, dict) else None
    name = found if found is not None else getattr(value, "tool_name", "unknown")
    return name if name in SEED_TOOL_NAMES else "other"


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
