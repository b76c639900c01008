"""What is asked stands as it was asked, until it is answered.

What an agent says of a tool call while the user looks at its request is kept back: neither the
card, nor the rule that it offers, nor what a policy decides on changes. It counts once there is
an answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from acp_jupyter.packets.models import ToolCallProgress, ToolCallStart
from acp_jupyter.packets.session_models import NoticePacket
from acp_jupyter.transcript.changes import hang_written
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import ToolCall
from acp_jupyter.transcript.notices import notice
from acp_jupyter.transcript.tool_calls import upsert_tool_call

__all__ = ["release", "take"]

_HELD = frozenset(
    {"acp_kind", "content", "kind", "locations", "name", "parent_id", "raw_input", "raw_output"}
    | {"title", "tool_name"}
)
_NOTHING: tuple[object, ...] = (None, "", "unknown")
_WORDS_CHARS = 500


def take(draft: Draft, packet: ToolCallStart | ToolCallProgress) -> None:
    """Join what an agent says of a call; while that asks, only how far it is."""
    before = _item(draft, packet.tool_call_id)
    if before is None or not before.awaits_permission:
        upsert_tool_call(draft, packet)
        _tell(draft, before)
        return
    draft.held = draft.held.set(before.id, _merged(draft.held.get(before.id), packet))
    rest = ToolCallProgress(
        tool_call_id=packet.tool_call_id,
        status=packet.status,
        terminal=packet.terminal,
        progress=packet.progress,
        message=packet.message,
    )
    upsert_tool_call(draft, rest)


def release(draft: Draft, item_id: str) -> None:
    """Take in what was kept back: the request is answered."""
    item, held = draft.get(item_id), draft.held.get(item_id)
    draft.held = draft.held.discard(item_id)
    if not isinstance(item, ToolCall):
        return
    if held is not None and item.turn_id == draft.turn_id():
        upsert_tool_call(draft, held)
        _tell(draft, item)
    elif draft.written:
        hang_written(draft, item_id)


def _item(draft: Draft, tool_call_id: str) -> ToolCall | None:
    facts = draft.calls.get(tool_call_id)
    item = None if facts is None else draft.get(facts.item_id)
    return item if isinstance(item, ToolCall) else None


def _merged(
    old: ToolCallProgress | None, packet: ToolCallStart | ToolCallProgress
) -> ToolCallProgress:
    """Join two packets: null keeps a field, a value replaces it whole (C13)."""
    known = {} if old is None else {name: getattr(old, name) for name in old.model_fields_set}
    said = {name: getattr(packet, name) for name in packet.model_fields_set & _HELD}
    new = {name: value for name, value in said.items() if value not in _NOTHING}
    return ToolCallProgress.model_construct(**{**known, **new, "tool_call_id": packet.tool_call_id})


def _tell(draft: Draft, before: ToolCall | None) -> None:
    """Say so where a call is not any more what was allowed."""
    if before is None or before.permission is None or before.permission.state != "allowed":
        return
    after = draft.get(before.id)
    if not isinstance(after, ToolCall):
        return
    was, now = _deed(before), _deed(after)
    if was == now or not was:
        return
    words = f"Allowed was: {was[:_WORDS_CHARS]}\nNow it says: {now[:_WORDS_CHARS]}"
    title = "The agent changed what it had asked for."
    key = f"changed {before.id}"
    notice(draft, NoticePacket(severity="warning", title=title, detail=words, key=key))


def _deed(call: ToolCall) -> str:
    """Return what a call does, as far as that can't be told in two ways."""
    if call.tool_kind == "execute":
        return call.command
    return "\n".join(_paths(call)) if call.tool_kind in {"edit", "delete", "move"} else ""


def _paths(call: ToolCall) -> Iterator[str]:
    named = {call.path, *(place.path for place in call.locations)}
    yield from sorted((named | {diff.path for diff in call.diffs}) - {""})
