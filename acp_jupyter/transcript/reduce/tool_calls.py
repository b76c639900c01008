"""Tool calls, joined by their id from everything that names one.

Updates that an agent sends while the user looks at a permission request are held back: the card,
the rule that it offers and the facts for the policy don't change. They are applied after the
answer, and a notice says so if the call is no longer the one that was allowed.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from acp_jupyter.protocol.files import relative_path
from acp_jupyter.protocol.host_events.session import RanOutside, WallMet
from acp_jupyter.protocol.objects import flag, obj
from acp_jupyter.protocol.packets import Location, ToolCallProgress, ToolCallStart
from acp_jupyter.protocol.session_packets import NoticePacket
from acp_jupyter.protocol.tools.outputs import (
    BashToolOutput,
    ReadToolOutput,
    TaskToolOutput,
    ToolOutput,
)
from acp_jupyter.protocol.tools.read_outputs import CallResult
from acp_jupyter.protocol.tools.table import TOOLS, UNKNOWN_TOOL
from acp_jupyter.protocol.tools.titles import (
    ToolFacts,
    ToolWords,
    describe_tool,
    format_tool_output,
)
from acp_jupyter.protocol.vocabulary import ToolStatus
from acp_jupyter.transcript.model.item_base import index_of
from acp_jupyter.transcript.model.tool_items import CallFacts, ToolCall
from acp_jupyter.transcript.reduce import open_work, terminals
from acp_jupyter.transcript.reduce.changes import attach_written_diff
from acp_jupyter.transcript.reduce.draft import Draft
from acp_jupyter.transcript.reduce.messages import add_notice
from acp_jupyter.transcript.reduce.tool_fields import (
    content_blocks,
    content_diffs,
    input_fields,
    output_fields,
)

_TEXT_OUTPUTS = (ReadToolOutput, BashToolOutput, TaskToolOutput)
"""Outputs that are text; others are shown by their fields, beside the call's content."""

_RAW_CHARS = 20_000
"""Most characters shown of each text in a raw output."""
_RAW_CUT = " … the rest is in the session's traffic"

_RANK: dict[ToolStatus, int] = {
    "pending": 0,
    "in_progress": 1,
    "cancelled": 1,
    "completed": 2,
    "failed": 2,
}


def upsert_tool_call(draft: Draft, packet: ToolCallStart | ToolCallProgress) -> str:
    """Merge a packet into its tool call; return the item's id.

    Absent or null keeps a field and a value replaces the whole field; a
    status never goes backwards within a turn.
    """
    terminals.adopt_card(draft, packet)
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
    output = _output(facts, given)
    status = _status(draft, item, packet.status)
    changes = _sent_fields(draft, item, facts, packet, given)
    own = output_fields(output, item, status, draft.session.cwd)
    changes |= {"status": status, **own}
    is_over = _RANK[status] == 2 or packet.status == status == "cancelled"
    if is_over and item.ended_at is None:
        draft.close_open_item(item.id)  # of its subagent
        changes |= _end_fields(draft, item, facts, changes)
    if old is None or not facts.reads_like(known):
        shown = item.model_copy(update=changes)
        changes |= _described_fields(draft, shown, facts, given, known)
    if old is None:
        draft.add(item.model_copy(update=changes))
    else:
        draft.replace(old.model_copy(update=changes))
    terminals.update_from_call(draft, item.id, packet)
    if packet.content is not None or packet.raw_output is not None:
        text = format_tool_output(output) if isinstance(output, _TEXT_OUTPUTS) else given.text
        # What a command is for may come as content before it runs (claude).
        repeats = _RANK[status] < 2 and text == changes.get("description", item.description)
        new = not repeats if text else packet.content is not None
        if new and not terminals.keeps_output(draft, item.id, packet, text):
            draft.set_text(item.id, "output", text)
    if draft.written:
        attach_written_diff(draft, item.id)
    open_work.settle(draft, (item.id,))
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
    item = draft.get_call(known.item_id)
    # Some agents use one label for every call: a new turn's is a new call.
    is_same = item.turn_id == draft.turn_id() or _RANK[item.status] < 1 or item.background
    return item if is_same else None


def _given(facts: CallFacts, packet: ToolCallStart | ToolCallProgress) -> CallResult:
    """Return the content of this packet; earlier packets only count for its diffs."""
    return CallResult.of(
        facts.raw_output,
        facts.diffs if packet.content is None else packet.content,
        raw_input=facts.raw_input,
    )


def _output(facts: CallFacts, given: CallResult) -> ToolOutput | None:
    """Return the typed output of all that is known."""
    if given.raw is None and not facts.has_content:
        return None
    return TOOLS.get(facts.tool_name, UNKNOWN_TOOL).read_output(given)


def _sent_fields(
    draft: Draft,
    old: ToolCall,
    facts: CallFacts,
    packet: ToolCallStart | ToolCallProgress,
    given: CallResult,
) -> dict[str, object]:
    """Return what the packet itself says, field by field."""
    changes: dict[str, object] = {"raw_output": _shown_raw(facts.raw_output)}
    if packet.parent_id and not old.parent_id:  # the parent first came with an update
        parent = draft.parent(packet.parent_id)
        if parent and index_of(parent) < index_of(old.id):
            changes["parent_id"] = parent
    if packet.content is not None and not (given.is_text and not old.diffs and not old.blocks):
        exists = flag(given.metadata.get("exists"))
        shown = content_diffs(
            packet.content,
            draft.session.cwd,
            exists=exists,
            raw_input=facts.raw_input,
            locations=packet.locations,
        )
        if shown or old.permission is None or not packet.content:
            # Else what was asked about stays in sight (opencode's "Wrote file").
            changes["diffs"] = shown
        changes["blocks"] = content_blocks(packet.content, old)
    if packet.progress is not None:
        changes["progress"] = packet.progress
    if packet.message is not None:
        changes["message"] = packet.message
    if packet.can_cancel is not None:
        changes["can_cancel"] = packet.can_cancel
    if packet.subagent_session_id:
        changes["subagent_session_id"] = packet.subagent_session_id
    return changes


def _shown_raw(raw: JsonValue) -> JsonValue:
    """Return a raw output without what is very long: that is the call's output already.

    An output that grows and comes whole each time would be sent whole each time.
    """
    match raw:
        case str():
            return raw if len(raw) <= _RAW_CHARS else raw[:_RAW_CHARS] + _RAW_CUT
        case dict():
            return {name: _shown_raw(value) for name, value in raw.items()}
        case list():
            return [_shown_raw(value) for value in raw]
        case _:
            return raw


def _status(draft: Draft, item: ToolCall, new: ToolStatus | None) -> ToolStatus:
    """Return the new status; it never goes backwards, and never changes after the end.

    Except for "cancelled", which was our guess at the turn's end: the agent may still correct it.
    """
    old = item.status
    runs = draft.session.active_turn_id == item.turn_id
    ended = old in {"completed", "failed"} or (old == "cancelled" and runs)
    return old if new is None or ended or _RANK[new] < _RANK[old] else new


def _end_fields(
    draft: Draft, item: ToolCall, facts: CallFacts, changes: dict[str, object]
) -> dict[str, object]:
    """Return what changes with the end; a command that Stop aborted counts as cancelled.

    opencode and gemini report it as completed, without an exit code; only its text says otherwise.
    """
    code = changes.get("exit_code", item.exit_code)
    stopped = draft.stopping is not None and draft.stopping == item.turn_id
    if stopped and changes["status"] == "completed" and facts.acp_kind == "execute":
        return {"ended_at": draft.at, **({"status": "cancelled"} if code is None else {})}
    return {"ended_at": draft.at}


def _described_fields(
    draft: Draft, old: ToolCall, facts: CallFacts, given: CallResult, before: CallFacts
) -> dict[str, object]:
    """Return the call's title and description, and the fields that follow from its input."""
    cwd = draft.session.cwd
    words = _described(facts, given, cwd)
    # What the agent does not say now and never did is of the host: a terminal's command.
    described = _described(before, CallResult.of(before.raw_output, before.diffs), cwd)
    shown = old.diffs[0].path if old.diffs else ""
    is_new = words.is_new_file
    if is_new is None and old.diffs:
        is_new = old.is_new_file
    places = (
        Location(path=relative_path(location.path, cwd), line=location.line)
        for location in facts.locations
    )
    return {
        "tool_kind": words.acp_kind,
        "ui_kind": words.ui_kind,
        "tool_name": facts.name,
        "title": words.title,
        "description": words.description,
        "command": words.command or ("" if described.command else old.command),
        "path": words.path or shown,
        "locations": tuple(places),
        "is_new_file": is_new,
        "raw_input": facts.raw_input,
        **input_fields(words.input, obj(facts.raw_input), old),
    }


def _described(facts: CallFacts, given: CallResult, cwd: str) -> ToolWords:
    return describe_tool(
        ToolFacts(
            title=facts.title,
            tool_name=facts.tool_name,
            acp_kind=facts.acp_kind,
            raw_input=facts.raw_input,
            content=given.content,
            paths=tuple(location.path for location in facts.locations),
            exists=flag(given.metadata.get("exists")),
            cwd=cwd,
        )
    )


_HELD_FIELDS = frozenset(
    {
        "acp_kind",
        "content",
        "is_cut",
        "kind",
        "locations",
        "name",
        "parent_id",
        "raw_input",
        "raw_output",
    }
    | {"title", "tool_name"}
)
_EMPTY_VALUES: tuple[object, ...] = (None, "", "unknown")
_SHOWN_CHARS = 500


def update_tool_call(draft: Draft, packet: ToolCallStart | ToolCallProgress) -> None:
    """Merge an agent's update of a call; while a request is open, only the call's progress."""
    before = _item_of_call(draft, packet.tool_call_id)
    if packet.terminal is not None and packet.terminal.alone:
        terminals.take_piece(draft, packet.terminal)
        open_work.settle(draft, draft.terminals[packet.terminal.terminal_id].items)
        return
    if before is None or not before.awaits_permission:
        upsert_tool_call(draft, packet)
        _note_difference(draft, before)
        return
    draft.held = draft.held.set(before.id, _merged(draft.held.get(before.id), packet))
    rest = ToolCallProgress(
        tool_call_id=packet.tool_call_id,
        status=packet.status,
        terminal=packet.terminal,
        progress=packet.progress,
        message=packet.message,
        can_cancel=packet.can_cancel,
    )
    upsert_tool_call(draft, rest)


def take_wall(draft: Draft, note: WallMet | RanOutside) -> None:
    """Note that a sandbox wall stopped a call, or that its command ran again for the user."""
    item = _item_of_call(draft, note.tool_call_id)
    known = draft.terminals.get(note.tool_call_id)
    if item is None and known is not None and known.has_own_card:
        item = draft.get_call(known.items[0])
    if item is None or item.turn_id != note.turn_id:
        return
    wall = item.wall
    if isinstance(note, WallMet):
        wall = note.wall
    elif wall is not None:
        wall = wall.model_copy(update={"offers": "", "run_id": note.run_id})
    draft.replace(item.model_copy(update={"wall": wall}))


def release_held_update(draft: Draft, item_id: str) -> None:
    """Apply the updates that were held back until the request was answered."""
    item, held = draft.get_call(item_id), draft.held.get(item_id)
    draft.held = draft.held.discard(item_id)
    if held is not None and item.turn_id == draft.turn_id():
        upsert_tool_call(draft, held)
        _note_difference(draft, item)
    elif draft.written:
        attach_written_diff(draft, item_id)


def _item_of_call(draft: Draft, tool_call_id: str) -> ToolCall | None:
    facts = draft.calls.get(tool_call_id)
    return None if facts is None else draft.get_call(facts.item_id)


def _merged(
    old: ToolCallProgress | None, packet: ToolCallStart | ToolCallProgress
) -> ToolCallProgress:
    """Merge two packets: null keeps a field, a value replaces it."""
    known = {} if old is None else {name: getattr(old, name) for name in old.model_fields_set}
    fields = {name: getattr(packet, name) for name in packet.model_fields_set & _HELD_FIELDS}
    new = {name: value for name, value in fields.items() if value not in _EMPTY_VALUES}
    return ToolCallProgress.model_construct(**{**known, **new, "tool_call_id": packet.tool_call_id})


def _note_difference(draft: Draft, before: ToolCall | None) -> None:
    """Add a warning if a call is no longer the one that was allowed."""
    if before is None or before.permission is None or before.permission.state != "allowed":
        return
    was, now = _action(before), _action(draft.get_call(before.id))
    if was == now or not was:
        return
    words = f"What was allowed: {was[:_SHOWN_CHARS]}\nNow it says: {now[:_SHOWN_CHARS]}"
    title = "The agent changed what it had asked for."
    key = f"changed {before.id}"
    add_notice(draft, NoticePacket(severity="warning", title=title, detail=words, key=key))


def _action(call: ToolCall) -> str:
    """Return the call's command, or its paths; empty for other kinds of calls."""
    if call.tool_kind == "execute":
        return call.command
    return "\n".join(_paths(call)) if call.tool_kind in {"edit", "delete", "move"} else ""


def _paths(call: ToolCall) -> Iterator[str]:
    named = {call.path, *(location.path for location in call.locations)}
    yield from sorted((named | {diff.path for diff in call.diffs}) - {""})
