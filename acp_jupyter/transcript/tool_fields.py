"""The fields of a tool call item that follow from its content, its input and its output."""

from __future__ import annotations

from typing import TypedDict

from acp_jupyter.packets.content import OtherBlock, ToolContent, ToolContentBlock
from acp_jupyter.packets.json_fields import Obj
from acp_jupyter.packets.paths import relative_path
from acp_jupyter.packets.search_hits import NO_FILES, SearchHit, read_found
from acp_jupyter.packets.tool_inputs import TaskInput, TodoItem, TodoWriteInput, ToolInput
from acp_jupyter.packets.tool_outputs import (
    BashToolOutput,
    Diagnostic,
    ReadToolOutput,
    SearchOutput,
    SearchToolOutput,
    TodoToolOutput,
    ToolOutput,
    WriteToolOutput,
)
from acp_jupyter.transcript.items import ContentBlockItem, ToolCall, ToolStatus
from acp_jupyter.transcript.messages import block_item

__all__ = ["OwnFields", "asked_fields", "blocks", "given_fields"]

_FILES = 1000
"""Results of a search that an item lists; its output has them all."""


class OwnFields(TypedDict, total=False):
    """What only some tools have."""

    subagent_type: str
    todos: tuple[TodoItem, ...] | None
    files: tuple[str, ...] | None
    hits: tuple[SearchHit, ...] | None
    remarks: tuple[str, ...]
    count: int | None
    exit_code: int
    truncated: bool
    first_line: int
    diagnostics: tuple[Diagnostic, ...]


def asked_fields(tool_input: ToolInput, raw: Obj, old: ToolCall) -> OwnFields:
    """Return what an input says of the call; a list of todos replaces the old one (S5.33)."""
    match tool_input:
        case TaskInput():
            return {"subagent_type": tool_input.subagent_type}
        case TodoWriteInput():
            listed = isinstance(raw.get("todos"), list)
            return {"todos": tool_input.todos if listed else old.todos or ()}
        case _:
            return {}


def given_fields(
    output: ToolOutput | None, old: ToolCall, status: ToolStatus, cwd: str
) -> OwnFields:
    """Return what an output says of the call."""
    match output:
        case SearchToolOutput() if status == "failed":  # what came is an error
            return {"files": None, "hits": None, "remarks": (), "count": None, "truncated": False}
        case SearchToolOutput():
            return _found_fields(output.data, cwd)
        case ReadToolOutput():
            read: OwnFields = {"truncated": output.data.truncated}
            if output.data.first_line is not None:
                read["first_line"] = output.data.first_line
            return read
        case BashToolOutput():
            ran: OwnFields = {"truncated": output.data.truncated}
            if output.data.exit_code is not None:
                ran["exit_code"] = output.data.exit_code
            return ran
        case WriteToolOutput():
            found = (
                entry.model_copy(update={"path": relative_path(entry.path, cwd)})
                for entry in output.data.diagnostics
            )
            return {"diagnostics": tuple(found)}
        case TodoToolOutput() if output.data.todos and not old.todos:
            return {"todos": output.data.todos}
        case _:
            return {}


def _found_fields(output: SearchOutput, cwd: str) -> OwnFields:
    found = read_found(output.files[:_FILES])
    hits = None
    if found.hits is not None:
        hits = tuple(
            hit.model_copy(update={"path": relative_path(hit.path, cwd)}) for hit in found.hits
        )
    return {
        "files": tuple(relative_path(file, cwd) for file in found.files),
        "hits": hits,
        "remarks": found.remarks or (() if found.files else (NO_FILES,)),
        "count": output.count,
        "truncated": output.truncated,
    }


def blocks(content: tuple[ToolContent, ...], old: ToolCall) -> tuple[ContentBlockItem, ...]:
    """Return the images and resources that a content shows."""
    others = [
        item.block
        for item in content
        if isinstance(item, ToolContentBlock) and isinstance(item.block, OtherBlock)
    ]
    return tuple(block_item(b, f"{old.id}.{n}", old.turn_id) for n, b in enumerate(others))
