"""The words of seed 004: title, description, command and output of a tool call; and of a turn."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import assert_never

from pydantic import BaseModel, JsonValue

from acp_jupyter.packets.made_models import ArtifactType
from acp_jupyter.packets.paths import get_relative_path
from acp_jupyter.packets.tool_inputs import ToolInput
from acp_jupyter.packets.tool_outputs import (
    BashToolOutput,
    ReadToolOutput,
    SearchToolOutput,
    TaskToolOutput,
    TodoToolOutput,
    ToolOutput,
    UnknownToolOutput,
    WriteToolOutput,
)
from acp_jupyter.packets.tools import TOOLS, UNKNOWN_TOOL, Field

__all__ = [
    "artifact_type_name",
    "file_operation_title",
    "format_tool_output",
    "get_tool_command",
    "get_tool_description",
    "get_tool_display_title",
    "human_size",
    "stop_reason_words",
]

_ARTIFACT_NAMES: dict[ArtifactType, str] = {
    "web_app": "Web app",
    "markdown": "Markdown",
    "image": "Image",
    "csv": "CSV",
    "excel": "Excel",
    "pptx": "PowerPoint",
    "docx": "Word",
    "pdf": "PDF",
    "code": "Code",
    "other": "File",
}

_UNITS = ("kB", "MB", "GB")

_OPERATIONS = {
    "create": "Created",
    "update": "Changed",
    "edit": "Changed",
    "append": "Changed",
    "delete": "Deleted",
}

_STOP_REASONS = {
    "end_turn": "",
    "stop_sequence": "",
    "max_tokens": "The answer was cut: the model reached its token limit.",
    "max_turn_requests": "The agent stopped: it reached its limit of requests for one turn.",
    "refusal": "The agent refused to go on.",
    "cancelled": "Stopped by you.",
    "error_max_budget_usd": "The agent stopped: its budget is used up.",
}


def get_tool_display_title(tool_name: str, is_new_file: bool | None = None) -> str:
    """Return what a tool does, in words (S5.19 to S5.23).

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
    """Return what a tool call is about (S5.24 to S5.26)."""
    row = TOOLS.get(tool_input.tool_name, UNKNOWN_TOOL)
    return _field(tool_input, row.description, relative)


def get_tool_command(
    tool_input: ToolInput, relative: Callable[[str], str] = get_relative_path
) -> str:
    """Return what exactly a tool call does, for its opened view (S5.27)."""
    row = TOOLS.get(tool_input.tool_name, UNKNOWN_TOOL)
    return _field(tool_input, row.command, relative)


def _field(tool_input: BaseModel, field: Field | None, relative: Callable[[str], str]) -> str:
    if field is None:
        return ""
    value = getattr(tool_input, field.name, "")
    if field.counted:
        return f"{len(value)} {field.counted}"
    return (relative(value) if field.is_path else str(value)) or field.otherwise


def format_tool_output(output: ToolOutput | None) -> str:
    """Return a tool's output as text (S5.28 to S5.30)."""
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


def stop_reason_words(stop_reason: str, detail: str = "") -> str:
    """Return why a turn ended; nothing for an ordinary end (S3.19, C3).

    Parameters
    ----------
    stop_reason
        ACP: stop reason. One that is unknown is shown as it is.
    detail
        The agent's own, finer reason, where it has words of its own (S4.17).
    """
    words = _STOP_REASONS.get(detail) or _STOP_REASONS.get(stop_reason)
    return f"Ended: {stop_reason}." if words is None else words


def artifact_type_name(artifact_type: ArtifactType) -> str:
    """Return what an artifact is, for people (S3.24)."""
    return _ARTIFACT_NAMES[artifact_type]


def file_operation_title(operation: str) -> str:
    """Return what was done to a file, for people (S3.22)."""
    return _OPERATIONS.get(operation, "Wrote")


def human_size(size_bytes: int) -> str:
    """Return a size as people read it, in decimal units: ``1.0 kB``, ``24 B`` (S3.22)."""
    if size_bytes < 1000:
        return f"{size_bytes} B"
    power = 1
    while size_bytes >= 999.95 * 1000**power and power < len(_UNITS):
        power += 1
    return f"{size_bytes / 1000**power:.1f} {_UNITS[power - 1]}"
