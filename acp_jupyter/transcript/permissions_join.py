"""To which tool call a permission request belongs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acp_jupyter.packets.json_fields import Obj, obj
from acp_jupyter.packets.models import ToolCallProgress
from acp_jupyter.transcript.call_facts import CallFacts
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import ToolCall

__all__ = ["joined"]

_MOST_ITEMS = 200
"""How far back a tool call is looked for."""


def joined(draft: Draft, requested: ToolCallProgress, request_id: str) -> ToolCallProgress:
    """Return what a request says of its tool call, under the id of the call that it means.

    That is the call of its id; else, where some agents send a label, the newest one of this turn
    that is under way and that nothing was asked about, if nothing said of the two contradicts.
    A second request about a call that still asks gets a card of its own.
    """
    facts = draft.calls.get(requested.tool_call_id)
    known = None if facts is None else draft.get(facts.item_id)
    own_id = f"{requested.tool_call_id}#{request_id}"
    if facts is not None and isinstance(known, ToolCall) and known.awaits_permission:
        held = draft.held.get(known.id)
        return _apart(requested, facts if held is None else facts.joined(held), own_id)
    here = known if isinstance(known, ToolCall) and known.turn_id == draft.turn_id() else None
    if facts is not None and here is not None:
        answered = here.permission is not None
        if not answered or _agree(requested, facts):
            return requested
    for item in _open_calls(draft):
        if item.permission is None and _agree(requested, draft.calls[item.tool_call_id]):
            return requested.model_copy(update={"tool_call_id": item.tool_call_id})
    # The same label for another deed: what was answered before stays as it was.
    return requested.model_copy(update={"tool_call_id": own_id}) if here is not None else requested


def _open_calls(draft: Draft) -> Iterator[ToolCall]:
    """Yield the turn's tool calls that are under way, newest first."""
    turn_id = draft.turn_id()
    start = max(0, len(draft.items) - _MOST_ITEMS)
    for place in range(len(draft.items) - 1, start - 1, -1):
        item = draft.items[place]
        if item.turn_id != turn_id or not isinstance(item, ToolCall):
            continue
        if item.status in {"pending", "in_progress"} and item.tool_call_id in draft.calls:
            yield item


def _agree(asked: ToolCallProgress, facts: CallFacts) -> bool:
    """Tell whether nothing that is said of both contradicts."""
    kinds = {kind for kind in (asked.acp_kind, facts.acp_kind) if kind not in {None, "other"}}
    if len(kinds) > 1:
        return False
    here, there = _deed(obj(asked.raw_input)), _deed(obj(facts.raw_input))
    shared = here.keys() & there.keys()
    if shared:
        return all(here[name] == there[name] for name in shared)
    title, other = (_bare(words) for words in (asked.title, facts.title))
    return not title or not other or title in other or other in title


def _deed(source: Obj) -> Obj:
    return {name: value for name, value in source.items() if value not in (None, "", [], {})}


def _bare(title: str | None) -> str:
    return re.sub(r"\W+", " ", (title or "").casefold()).strip()


def _apart(asked: ToolCallProgress, facts: CallFacts, tool_call_id: str) -> ToolCallProgress:
    """Return a request with what is known of its call, for a card of its own."""
    known: dict[str, object] = {
        "title": facts.title or None,
        "acp_kind": facts.acp_kind,
        "parent_id": facts.parent_id,
        "raw_input": facts.raw_input,
        "content": facts.diffs or None,
        "locations": facts.locations,
    }
    missing = {name: value for name, value in known.items() if not getattr(asked, name)}
    name = asked.tool_name if asked.tool_name != "unknown" else facts.tool_name
    return asked.model_copy(update={**missing, "tool_name": name, "tool_call_id": tool_call_id})
