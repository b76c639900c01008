"""Tool calls as upserts by id, from everything that names one."""

from __future__ import annotations

from acp_jupyter.packets.display import format_tool_output
from acp_jupyter.packets.json_fields import flag, obj
from acp_jupyter.packets.models import ToolCallProgress, ToolCallStart
from acp_jupyter.packets.paths import relative_path
from acp_jupyter.packets.read_outputs import Given
from acp_jupyter.packets.tool_outputs import (
    BashToolOutput,
    ReadToolOutput,
    TaskToolOutput,
    ToolOutput,
)
from acp_jupyter.packets.tools import TOOLS, UNKNOWN_TOOL
from acp_jupyter.packets.words import ToolFacts, ToolWords, describe_tool
from acp_jupyter.transcript import terminals
from acp_jupyter.transcript.call_facts import CallFacts
from acp_jupyter.transcript.changes import hang_written
from acp_jupyter.transcript.draft import Draft, place_of
from acp_jupyter.transcript.items import Location, ToolCall, ToolStatus
from acp_jupyter.transcript.tool_diffs import diffs
from acp_jupyter.transcript.tool_fields import asked_fields, blocks, given_fields

__all__ = ["upsert_tool_call"]

_IS_TEXT = (ReadToolOutput, BashToolOutput, TaskToolOutput)
"""Outputs that are text; others are shown by their fields, beside what the agent says of them."""

_RANK: dict[ToolStatus, int] = {
    "pending": 0,
    "in_progress": 1,
    "cancelled": 1,
    "completed": 2,
    "failed": 2,
}


def upsert_tool_call(draft: Draft, packet: ToolCallStart | ToolCallProgress) -> str:
    """Join a packet into its tool call; return the item's id.

    Absent or null keeps a field and a value replaces the whole field (C13); a
    status never goes backwards within a turn.
    """
    terminals.adopt(draft, packet)
    known = draft.calls.get(packet.tool_call_id)
    old = None if known is None else _existing(draft, known)
    if known is None or old is None:
        item = _new_call(draft, packet)
        known = CallFacts(item.id)
    else:
        item = old
    facts = known.joined(packet)
    if facts is not known or old is None:
        draft.calls = draft.calls.set(packet.tool_call_id, facts)
    given = _given(facts, packet)
    output = _output(facts, given, packet)
    status = _status(draft, item, packet.status)
    changes = _said(draft, item, facts, packet, given)
    own = given_fields(output, item, status, draft.session.cwd)
    changes |= {"status": status, **own}
    if _RANK[status] == 2 and item.ended_at is None:
        draft.close_open_item(item.id)  # of its subagent
        changes |= _ended(draft, item, facts, changes)
    if old is None or not facts.reads_like(known):
        shown = item.model_copy(update=changes)
        changes |= _words(draft, shown, facts, given, known)
    if old is None:
        draft.add(item.model_copy(update=changes))
    elif any(getattr(old, name) != value for name, value in changes.items()):
        draft.replace(old.model_copy(update=changes))
    terminals.said(draft, item.id, packet)
    if packet.content is not None or packet.raw_output is not None:
        text = format_tool_output(output) if isinstance(output, _IS_TEXT) else given.text
        # What a command is for may come as content before it runs (claude).
        repeats = _RANK[status] < 2 and text == changes.get("description", item.description)
        new = not repeats if text else packet.content is not None
        if new and not terminals.keeps_text(draft, item.id, packet, text):
            draft.set_text(item.id, "output", text)
    if draft.written:
        hang_written(draft, item.id)
    return item.id


def _new_call(draft: Draft, packet: ToolCallStart | ToolCallProgress) -> ToolCall:
    parent = draft.parent(packet.parent_id)
    draft.close_open_item(parent)
    return ToolCall(
        id=draft.new_id(),
        turn_id=draft.turn_id(),
        parent_id=parent,
        tool_call_id=packet.tool_call_id,
        title="",
        started_at=draft.at,
    )


def _existing(draft: Draft, known: CallFacts) -> ToolCall | None:
    item = draft.get(known.item_id)
    if not isinstance(item, ToolCall):
        return None
    # Some agents use one label for every call: a new turn's is a new call.
    return item if item.turn_id == draft.turn_id() or _RANK[item.status] < 1 else None


def _given(facts: CallFacts, packet: ToolCallStart | ToolCallProgress) -> Given:
    """What this packet gives; content of earlier ones counts for its diffs only."""
    return Given.of(facts.raw_output, facts.diffs if packet.content is None else packet.content)


def _output(
    facts: CallFacts, given: Given, packet: ToolCallStart | ToolCallProgress
) -> ToolOutput | None:
    """Return the typed output: the packet's own where it says all that is known."""
    if given.raw is None and not facts.has_content:
        return None
    own = packet.output if isinstance(packet, ToolCallProgress) else None
    whole = given.content is packet.content and given.raw is packet.raw_output
    if own is not None and whole and packet.tool_name == facts.tool_name:
        return own
    return TOOLS.get(facts.tool_name, UNKNOWN_TOOL).read_output(given)


def _said(
    draft: Draft,
    old: ToolCall,
    facts: CallFacts,
    packet: ToolCallStart | ToolCallProgress,
    given: Given,
) -> dict[str, object]:
    """Return what the packet itself says, field by field."""
    changes: dict[str, object] = {"raw_output": facts.raw_output}
    if packet.parent_id and not old.parent_id:  # only an update says so: a parent was there before
        parent = draft.parent(packet.parent_id)
        if parent and place_of(parent) < place_of(old.id):
            changes["parent_id"] = parent
    if packet.content is not None and not (given.is_text and not old.diffs and not old.blocks):
        exists = flag(given.metadata.get("exists"))
        shown = diffs(
            packet.content,
            draft.session.cwd,
            exists=exists,
            raw_input=facts.raw_input,
            locations=packet.locations,
        )
        if shown or old.permission is None or not packet.content:
            # Else what was asked about stays in sight (opencode's "Wrote file").
            changes["diffs"] = shown
        changes["blocks"] = blocks(packet.content, old)
    if packet.progress is not None:
        changes["progress"] = packet.progress
    if packet.message is not None:
        changes["message"] = packet.message
    return changes


def _status(draft: Draft, item: ToolCall, new: ToolStatus | None) -> ToolStatus:
    """Return a status that never goes backwards, and from an end nowhere (C29).

    What its turn's end has cancelled was a guess: the agent may still tell what became of it.
    """
    old = item.status
    runs = draft.session.active_turn_id == item.turn_id
    ended = old in {"completed", "failed"} or (old == "cancelled" and runs)
    return old if new is None or ended or _RANK[new] < _RANK[old] else new


def _ended(
    draft: Draft, item: ToolCall, facts: CallFacts, changes: dict[str, object]
) -> dict[str, object]:
    """Return what changes with the end; a command that Stop aborted is not completed.

    opencode and gemini call it completed, say so in its text alone, and know no exit code.
    """
    code = changes.get("exit_code", item.exit_code)
    stopped = draft.stopping is not None and draft.stopping == item.turn_id
    if stopped and changes["status"] == "completed" and facts.acp_kind == "execute":
        return {"ended_at": draft.at, **({"status": "cancelled"} if code is None else {})}
    return {"ended_at": draft.at}


def _words(
    draft: Draft, old: ToolCall, facts: CallFacts, given: Given, before: CallFacts
) -> dict[str, object]:
    """Return what is told of the call in words, and what follows from its input."""
    cwd = draft.session.cwd
    words = _described(facts, given, cwd)
    # What the agent does not say now and never did is of the host: a terminal's command.
    said = _described(before, Given.of(before.raw_output, before.diffs), cwd)
    shown = old.diffs[0].path if old.diffs else ""
    is_new = words.is_new_file
    if is_new is None and old.diffs:
        is_new = old.is_new_file
    places = (
        Location(path=relative_path(place.path, cwd), line=place.line) for place in facts.locations
    )
    return {
        "tool_kind": words.acp_kind,
        "ui_kind": words.ui_kind,
        "tool_name": facts.name,
        "title": words.title,
        "description": words.description,
        "command": words.command or ("" if said.command else old.command),
        "path": words.path or shown or ("" if said.path else old.path),
        "locations": tuple(places),
        "is_new_file": is_new,
        "raw_input": facts.raw_input,
        **asked_fields(words.input, obj(facts.raw_input), old),
    }


def _described(facts: CallFacts, given: Given, cwd: str) -> ToolWords:
    return describe_tool(
        ToolFacts(
            title=facts.title,
            tool_name=facts.tool_name,
            acp_kind=facts.acp_kind,
            raw_input=facts.raw_input,
            content=given.content,
            paths=tuple(place.path for place in facts.locations),
            exists=flag(given.metadata.get("exists")),
            cwd=cwd,
        )
    )
