"""What of a transcript goes to the shelf: what is old, and what is long.

What a server holds of a session does not grow with its turns then, but for some words for each:
where it lies, and the ids by which an agent may come back to it.
"""

from __future__ import annotations

from collections.abc import Iterable

from acp_jupyter.transcript.draft import place_of
from acp_jupyter.transcript.events import (
    Event,
    ItemAdded,
    ItemClosed,
    ItemReplaced,
    TurnEnded,
)
from acp_jupyter.transcript.items import ToolCall
from acp_jupyter.transcript.put_away import NEWEST, Shelf, under_way
from acp_jupyter.transcript.state import Transcript
from acp_jupyter.transcript.text import Text

__all__ = ["LONG_BYTES", "NEWEST_TURNS", "lightened"]

NEWEST_TURNS = 32
"""Turns at the end that are left as they are."""
LONG_BYTES = 8 * 1024
"""An item or a turn that has more, and is at its end, is put away at once."""


def lightened(transcript: Transcript, events: Iterable[Event], shelf: Shelf) -> Transcript:
    """Put away what can be, after some change; the transcript says the same as before.

    Parameters
    ----------
    transcript
        After the change.
    events
        That say what has changed.
    shelf
        Where it goes; the same for all of a session. What it has no room for is left.
    """
    items = transcript.items
    changed = [place for event in events if (place := _changed_place(event)) is not None]
    old = max(0, len(items) - NEWEST)
    for place in (*range(items.tidied, old), *changed):
        transcript = _item_put_away(transcript, place, shelf)
    if old > items.tidied:
        transcript = transcript.changed(items=transcript.items.tidied_to(old))
    for event in events:
        if isinstance(event, TurnEnded):
            transcript = _turns_put_away(transcript, event.turn.turn_id, shelf)
    return transcript


def _changed_place(event: Event) -> int | None:
    match event:
        case ItemAdded():
            return event.index
        case ItemReplaced():
            return place_of(event.item.id)
        case ItemClosed():
            return place_of(event.item_id)
        case _:
            return None


def _item_put_away(transcript: Transcript, place: int, shelf: Shelf) -> Transcript:
    items = transcript.items
    item_id = f"i{place}"
    text = transcript.texts.get(item_id)
    growing = transcript.growing
    if growing is not None and growing[0] == item_id:
        text = growing[1]
    if items.is_on_shelf(place) and text is None:
        return transcript
    item = items[place]
    if under_way(item):
        return transcript
    if place >= len(items) - NEWEST:
        length = text.length if isinstance(text, Text) else len(text or "")
        if length + len(items.packed(place)) <= LONG_BYTES:
            return transcript
    put = items.shelved(place, None if text is None else str(text), shelf)
    if put is None:
        return transcript
    calls = transcript.calls
    return transcript.changed(
        items=put,
        texts=transcript.texts.discard(item_id),
        growing=None if growing is not None and growing[0] == item_id else growing,
        calls=calls.put_away(item.tool_call_id, shelf) if isinstance(item, ToolCall) else calls,
    )


def _turns_put_away(transcript: Transcript, turn_id: str, shelf: Shelf) -> Transcript:
    """Put away the turns that have become old, and one that has ended if it is old or long."""
    order, turns = transcript.turn_order, transcript.turns
    old = max(0, len(order) - NEWEST_TURNS)
    while turns.tidied < old and turns[order[turns.tidied]].status == "done":
        turns = turns.put_away(order[turns.tidied], shelf).tidied_to(turns.tidied + 1)
    if turn_id not in order[old:] or len(turns.packed(turn_id)) > LONG_BYTES:
        turns = turns.put_away(turn_id, shelf)
    return transcript.changed(turns=turns)
