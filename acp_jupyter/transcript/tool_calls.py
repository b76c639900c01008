"""Tool calls as upserts by id, from everything that names one."""

from __future__ import annotations

import difflib

from pydantic import JsonValue

from acp_jupyter.packets.content import OtherBlock, ToolContent, ToolContentBlock, ToolDiff
from acp_jupyter.packets.display import ToolFacts, describe_tool, output_text, relative_path
from acp_jupyter.packets.models import ToolCallProgress, ToolCallStart
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import Diff, ToolCall, ToolStatus
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


def upsert_tool_call(draft: Draft, packet: ToolCallStart | ToolCallProgress) -> str:
    """Join a packet into its tool call; return the item's id.

    Absent or null keeps a field and a value replaces the whole field (C13); a
    status never goes backwards within a turn.
    """
    old = _existing(draft, packet.tool_call_id)
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
        new = _joined(draft, old, packet)
        draft.add(new)
    else:
        new = _joined(draft, old, packet)
        draft.replace(new)
    if packet.content is not None or packet.output is not None:
        text = output_text(packet.content or (), new.raw_output)
        if text:
            draft.set_text(new.id, "output", text)
    return new.id


def _existing(draft: Draft, tool_call_id: str) -> ToolCall | None:
    item_id = draft.tool_items.get(tool_call_id)
    if item_id is None:
        return None
    item = draft.get(item_id)
    if not isinstance(item, ToolCall):
        return None
    # Some agents use one label for every call: a new turn's is a new call.
    return item if item.turn_id == draft.turn_id() or _RANK[item.status] < 1 else None


def _joined(draft: Draft, old: ToolCall, packet: ToolCallStart | ToolCallProgress) -> ToolCall:
    cwd = draft.session.cwd
    raw_input = old.raw_input if packet.input is None else packet.input
    paths = old.paths
    line = old.line
    if packet.locations is not None:
        paths = tuple(relative_path(loc.path, cwd) for loc in packet.locations)
        line = packet.locations[0].line if packet.locations else None
    content = packet.content
    diffs = old.diffs if content is None else _diffs(content, cwd)
    if not diffs and old.permission is not None:
        diffs = old.diffs  # what was asked about stays in sight (opencode's "Wrote file")
    name = packet.tool_name or old.tool_name
    words = describe_tool(
        ToolFacts(
            title=packet.title or _own_title(old),
            tool_name=name or _bare(packet.title),
            acp_kind=packet.acp_kind or ("" if old.tool_kind == "other" else old.tool_kind),
            content=content if content is not None else tuple(_as_content(old.diffs)),
            paths=paths,
            raw_input=raw_input,
            cwd=cwd,
        )
    )
    status = _status(old.status, packet.status)
    return old.model_copy(
        update={
            "tool_kind": words.acp_kind,
            "ui_kind": words.ui_kind,
            "tool_name": name or _bare(packet.title),
            "title": words.title,
            "description": words.description,
            "command": words.command or old.command,
            "path": words.path or old.path,
            "paths": paths,
            "line": line,
            "is_new_file": old.is_new_file if words.is_new_file is None else words.is_new_file,
            "status": status,
            "diffs": diffs,
            "blocks": old.blocks if content is None else _blocks(content, old),
            "raw_input": raw_input,
            "raw_output": old.raw_output if packet.output is None else packet.output,
            "exit_code": _exit_code(packet.output, old.exit_code),
            "ended_at": draft.at if _RANK[status] == 2 and old.ended_at is None else old.ended_at,
        }
    )


def _own_title(old: ToolCall) -> str:
    return old.title


def _bare(title: str | None) -> str:
    """A first title that is a single word is the tool's name (C18)."""
    return title if title and title.isidentifier() else ""


def _status(old: ToolStatus, new: ToolStatus | None) -> ToolStatus:
    return old if new is None or _RANK[new] < _RANK[old] else new


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


def _as_content(diffs: tuple[Diff, ...]) -> list[ToolContent]:
    return [ToolDiff(path=d.path, old_text=d.old_text, new_text=d.new_text) for d in diffs]


def _blocks(content: tuple[ToolContent, ...], old: ToolCall) -> tuple[object, ...]:
    others = [
        item.block
        for item in content
        if isinstance(item, ToolContentBlock) and isinstance(item.block, OtherBlock)
    ]
    return tuple(block_item(b, f"{old.id}.{n}", old.turn_id) for n, b in enumerate(others))


def _exit_code(output: JsonValue, old: int | None) -> int | None:
    if not isinstance(output, dict):
        return old
    metadata = output.get("metadata")
    places = (output, metadata if isinstance(metadata, dict) else {})
    for place in places:
        for key in ("exit_code", "exitCode", "exit"):
            value = place.get(key)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
    return old
