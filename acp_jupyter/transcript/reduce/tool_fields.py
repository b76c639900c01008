"""The fields of a tool call item that follow from its input, its output and its content.

Among them are its diffs with the lines that they begin at, todo lists, search hits and diagnostics.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from itertools import takewhile
from typing import TypedDict

from pydantic import JsonValue

from acp_jupyter.protocol.content import OtherBlock, ToolContent, ToolContentBlock, ToolDiff
from acp_jupyter.protocol.files import relative_path
from acp_jupyter.protocol.objects import Obj, items, obj, text
from acp_jupyter.protocol.packets import Location
from acp_jupyter.protocol.tools.inputs import (
    TaskInput,
    TodoItem,
    TodoWriteInput,
    ToolInput,
    patch_diffs,
)
from acp_jupyter.protocol.tools.outputs import (
    NO_FILES,
    BashToolOutput,
    Diagnostic,
    ReadToolOutput,
    SearchHit,
    SearchOutput,
    SearchToolOutput,
    TodoToolOutput,
    ToolOutput,
    WriteToolOutput,
    read_search_result,
)
from acp_jupyter.protocol.vocabulary import ToolStatus
from acp_jupyter.transcript.model.tool_items import ContentBlockItem, Diff, ToolCall
from acp_jupyter.transcript.reduce.messages import block_item

_MAX_FILES = 1000
"""Results of a search that an item lists; its output has them all."""


class ToolFields(TypedDict, total=False):
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


def input_fields(tool_input: ToolInput, raw: Obj, old: ToolCall) -> ToolFields:
    """Return what an input says of the call; a list of todos replaces the old one."""
    match tool_input:
        case TaskInput():
            return {"subagent_type": tool_input.subagent_type}
        case TodoWriteInput():
            listed = isinstance(raw.get("todos"), list)
            return {"todos": tool_input.todos if listed else old.todos or ()}
        case _:
            return {}


def output_fields(
    output: ToolOutput | None, old: ToolCall, status: ToolStatus, cwd: str
) -> ToolFields:
    """Return what an output says of the call."""
    match output:
        case SearchToolOutput() if status == "failed":  # what came is an error
            return {"files": None, "hits": None, "remarks": (), "count": None, "truncated": False}
        case SearchToolOutput():
            return _found_fields(output.data, cwd)
        case ReadToolOutput():
            read: ToolFields = {"truncated": output.data.truncated}
            if output.data.first_line is not None:
                read["first_line"] = output.data.first_line
            return read
        case BashToolOutput():
            ran: ToolFields = {"truncated": output.data.truncated}
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


def _found_fields(output: SearchOutput, cwd: str) -> ToolFields:
    found = read_search_result(output.files[:_MAX_FILES])
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


def content_blocks(content: tuple[ToolContent, ...], old: ToolCall) -> tuple[ContentBlockItem, ...]:
    """Return the images and resources that a content shows."""
    others = [
        item.block
        for item in content
        if isinstance(item, ToolContentBlock) and isinstance(item.block, OtherBlock)
    ]
    return tuple(block_item(b, f"{old.id}.{n}", old.turn_id) for n, b in enumerate(others))


_COUNTED_LINES = 4000
"""Above this many lines the view counts added and removed lines itself."""
_CONTEXT = 3
"""Lines of context around a change where a diff holds only part of a file."""
_EDITS = 200


def content_diffs(
    content: tuple[ToolContent, ...],
    cwd: str,
    *,
    exists: bool,
    raw_input: JsonValue = None,
    locations: Sequence[Location] = (),
) -> tuple[Diff, ...]:
    """Return the file changes in a tool call's content.

    Parameters
    ----------
    raw_input
        The call's input: a text that it replaces is only a part of the file.
    """
    diffs = [item for item in content if isinstance(item, ToolDiff)]
    shown = [_diff(item, cwd, exists) for item in diffs]
    replaced = _replaced(raw_input)
    for path in dict.fromkeys(item.path for item in diffs):
        own = [index for index, item in enumerate(diffs) if item.path == path]
        starts = [
            location.line for location in locations if location.path == path and location.line
        ]
        parts = [diffs[index] for index in own]
        if len(starts) == len(own) and all(map(_may_begin, parts, starts)):
            moved = 0
            for index, start in zip(own, starts, strict=True):
                lines = {"old_line": max(1, start - moved), "new_line": start}
                shown[index] = diff = shown[index].model_copy(update=lines)
                moved += len(diff.new_text.splitlines()) - len((diff.old_text or "").splitlines())
        else:
            for index in own:
                if diffs[index].old_text in replaced:
                    unknown = {"old_line": None, "new_line": None}
                    shown[index] = shown[index].model_copy(update=unknown)
    return tuple(shown)


def _replaced(raw_input: JsonValue) -> set[str]:
    """Return the texts that an input names, also those of several edits."""
    values = obj(raw_input)
    fields = (values, *(obj(edit) for edit in items(values.get("edits"))[:_EDITS]))
    texts = {text(value) for each in fields for value in each.values()} - {""}
    return texts | {diff.old_text for diff in patch_diffs(raw_input) if diff.old_text is not None}


def _may_begin(part: ToolDiff, line: int) -> bool:
    """Return whether a text can begin at that line: at the top, or with the context of a change.

    Agents may also send a whole file with the line of the first change.
    """
    pairs = zip((part.old_text or "").splitlines(), part.new_text.splitlines(), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return line == 1 or same == _CONTEXT


def _diff(item: ToolDiff, cwd: str, exists: bool) -> Diff:
    added, removed = _counts(item.old_text or "", item.new_text)
    return Diff(
        path=relative_path(item.path, cwd),
        old_text=item.old_text,
        new_text=item.new_text,
        is_new_file=item.is_new_file(exists=exists),
        added=added,
        removed=removed,
    )


def _counts(old: str, new: str) -> tuple[int | None, int | None]:
    if old.count("\n") + new.count("\n") > _COUNTED_LINES:
        return None, None
    before, after = old.splitlines(), new.splitlines()
    if len(before) + len(after) > _COUNTED_LINES:
        return None, None
    added = removed = 0
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if tag != "equal":
            removed += i2 - i1
            added += j2 - j1
    return added, removed
