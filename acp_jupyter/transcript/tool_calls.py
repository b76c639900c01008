"""Tool calls as upserts by id, from everything that names one."""

from __future__ import annotations

import difflib
from typing import TypedDict

from acp_jupyter.packets.content import OtherBlock, ToolContent, ToolContentBlock, ToolDiff
from acp_jupyter.packets.json_fields import flag
from acp_jupyter.packets.models import ToolCallProgress, ToolCallStart
from acp_jupyter.packets.paths import relative_path
from acp_jupyter.packets.read_outputs import Given, given_text
from acp_jupyter.packets.tool_inputs import TaskInput, TodoItem, TodoWriteInput, ToolInput
from acp_jupyter.packets.tool_outputs import (
    BashToolOutput,
    Diagnostic,
    ReadToolOutput,
    SearchToolOutput,
    TodoToolOutput,
    ToolOutput,
    WriteToolOutput,
)
from acp_jupyter.packets.tools import TOOLS, UNKNOWN_TOOL
from acp_jupyter.packets.words import ToolFacts, describe_tool
from acp_jupyter.transcript.call_facts import CallFacts
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import ContentBlockItem, Diff, Location, ToolCall, ToolStatus
from acp_jupyter.transcript.messages import block_item

__all__ = ["upsert_tool_call"]

_RANK: dict[ToolStatus, int] = {
    "pending": 0,
    "in_progress": 1,
    "cancelled": 1,
    "completed": 2,
    "failed": 2,
}
_COUNTED_LINES = 4000
"""Above this many lines the view counts added and removed lines itself."""
_FILES = 1000
"""Results of a search that an item lists; its output has them all."""


def upsert_tool_call(draft: Draft, packet: ToolCallStart | ToolCallProgress) -> str:
    """Join a packet into its tool call; return the item's id.

    Absent or null keeps a field and a value replaces the whole field (C13); a
    status never goes backwards within a turn.
    """
    old = _existing(draft, packet.tool_call_id)
    facts = (CallFacts() if old is None else draft.calls[old.id]).joined(packet)
    if old is None:
        draft.close_open_item()
        old = ToolCall(
            id=draft.new_id(),
            turn_id=draft.turn_id(),
            tool_call_id=packet.tool_call_id,
            title="",
            started_at=draft.at,
        )
        draft.tool_items = draft.tool_items.set(packet.tool_call_id, old.id)
        draft.calls = draft.calls.set(old.id, facts)
        draft.add(_drawn(draft, old, facts, packet))
    else:
        draft.calls = draft.calls.set(old.id, facts)
        draft.replace(_drawn(draft, old, facts, packet))
    if packet.content is not None or packet.raw_output is not None:
        text = _text(facts, packet)
        if text:
            draft.set_text(old.id, "output", text)
    return old.id


def _existing(draft: Draft, tool_call_id: str) -> ToolCall | None:
    item_id = draft.tool_items.get(tool_call_id)
    if item_id is None:
        return None
    item = draft.get(item_id)
    if not isinstance(item, ToolCall):
        return None
    # Some agents use one label for every call: a new turn's is a new call.
    return item if item.turn_id == draft.turn_id() or _RANK[item.status] < 1 else None


def _drawn(
    draft: Draft, old: ToolCall, facts: CallFacts, packet: ToolCallStart | ToolCallProgress
) -> ToolCall:
    cwd = draft.session.cwd
    given = _given(facts, packet)
    words = describe_tool(
        ToolFacts(
            title=facts.title,
            tool_name=facts.tool_name,
            acp_kind=facts.acp_kind,
            raw_input=facts.raw_input,
            diff=given.diff,
            paths=tuple(place.path for place in facts.locations),
            exists=flag(given.metadata.get("exists")),
            cwd=cwd,
        )
    )
    status = _status(old.status, packet.status)
    diffs = old.diffs if packet.content is None else _diffs(packet.content, cwd)
    if not diffs and old.permission is not None:
        diffs = old.diffs  # what was asked about stays in sight (opencode's "Wrote file")
    common = {
        "tool_kind": words.acp_kind,
        "ui_kind": words.ui_kind,
        "tool_name": facts.name or (facts.title if facts.title.isidentifier() else old.tool_name),
        "title": words.title,
        "description": words.description,
        "command": words.command or old.command,
        "path": words.path or old.path,
        "locations": _locations(facts, cwd),
        "is_new_file": old.is_new_file if words.is_new_file is None else words.is_new_file,
        "status": status,
        "diffs": diffs,
        "blocks": old.blocks if packet.content is None else _blocks(packet.content, old),
        "raw_input": facts.raw_input,
        "raw_output": facts.raw_output,
        "progress": old.progress if packet.progress is None else packet.progress,
        "message": old.message if packet.message is None else packet.message,
        "ended_at": draft.at if _RANK[status] == 2 and old.ended_at is None else old.ended_at,
    }
    typed = _typed(words.input, _output(facts, given), status, cwd)
    return old.model_copy(update={**common, **typed})


# -- what the tool's own input and output say ----------------------------------


def _given(facts: CallFacts, packet: ToolCallStart | ToolCallProgress) -> Given:
    """What this packet gives; content of earlier ones counts for its diffs only."""
    content = packet.content
    if content is None:
        content = tuple(item for item in facts.content if isinstance(item, ToolDiff))
    return Given(facts.raw_output, content)


def _output(facts: CallFacts, given: Given) -> ToolOutput | None:
    if given.raw is None and not facts.content:
        return None
    return TOOLS.get(facts.tool_name, UNKNOWN_TOOL).read_output(given)


def _text(facts: CallFacts, packet: ToolCallStart | ToolCallProgress) -> str:
    given = _given(facts, packet)
    output = _output(facts, given)
    return output.data.content if isinstance(output, ReadToolOutput) else given_text(given)


class _Typed(TypedDict, total=False):
    subagent_type: str
    todos: tuple[TodoItem, ...]
    files: tuple[str, ...]
    count: int
    exit_code: int
    truncated: bool
    first_line: int
    diagnostics: tuple[Diagnostic, ...]


def _typed(
    tool_input: ToolInput, output: ToolOutput | None, status: ToolStatus, cwd: str
) -> _Typed:
    """What only some tools have; what a packet does not say stays."""
    found: _Typed = {}
    match tool_input:
        case TaskInput() if tool_input.subagent_type:
            found["subagent_type"] = tool_input.subagent_type
        case TodoWriteInput():
            given = output.data.todos if isinstance(output, TodoToolOutput) else ()
            found["todos"] = tool_input.todos or given
        case _:
            pass
    match output:
        case SearchToolOutput() if status != "failed":
            files = output.data.files[:_FILES]
            found["files"] = tuple(relative_path(file, cwd) for file in files)
            found["count"] = output.data.count
            found["truncated"] = output.data.truncated
        case ReadToolOutput():
            found["truncated"] = output.data.truncated
            if output.data.first_line is not None:
                found["first_line"] = output.data.first_line
        case BashToolOutput():
            found["truncated"] = output.data.truncated
            if output.data.exit_code is not None:
                found["exit_code"] = output.data.exit_code
        case WriteToolOutput():
            found["diagnostics"] = tuple(
                entry.model_copy(update={"path": relative_path(entry.path, cwd)})
                for entry in output.data.diagnostics
            )
        case _:
            pass
    return found


# -- what every tool has -------------------------------------------------------


def _status(old: ToolStatus, new: ToolStatus | None) -> ToolStatus:
    return old if new is None or _RANK[new] < _RANK[old] else new


def _locations(facts: CallFacts, cwd: str) -> tuple[Location, ...]:
    return tuple(
        Location(path=relative_path(place.path, cwd), line=place.line) for place in facts.locations
    )


def _diffs(content: tuple[ToolContent, ...], cwd: str) -> tuple[Diff, ...]:
    return tuple(_diff(item, cwd) for item in content if isinstance(item, ToolDiff))


def _diff(item: ToolDiff, cwd: str) -> Diff:
    added, removed = _counts(item.old_text or "", item.new_text)
    return Diff(
        path=relative_path(item.path, cwd),
        old_text=item.old_text,
        new_text=item.new_text,
        is_new_file=item.old_text is None,
        added=added,
        removed=removed,
    )


def _counts(old: str, new: str) -> tuple[int | None, int | None]:
    before, after = old.splitlines(), new.splitlines()
    if len(before) + len(after) > _COUNTED_LINES:
        return None, None
    added = removed = 0
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if tag != "equal":
            removed += i2 - i1
            added += j2 - j1
    return added, removed


def _blocks(content: tuple[ToolContent, ...], old: ToolCall) -> tuple[ContentBlockItem, ...]:
    others = [
        item.block
        for item in content
        if isinstance(item, ToolContentBlock) and isinstance(item.block, OtherBlock)
    ]
    return tuple(block_item(b, f"{old.id}.{n}", old.turn_id) for n, b in enumerate(others))
