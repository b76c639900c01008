"""Decides which items and turns of a transcript are spilled: old ones, and long ones.

So a session's memory hardly grows with its turns: only by the position of each item, and the ids by
which an agent may refer to it. `packed` makes the bytes; the file belongs to the host.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from acp_jupyter.transcript.model.events import (
    Event,
    ItemAdded,
    ItemClosed,
    ItemReplaced,
    TurnEnded,
    item_chars,
)
from acp_jupyter.transcript.model.item_base import Text, index_of
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.packed import NEWEST, SpillStore, packed_call_id, under_way
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.tool_items import ContentBlockItem, ToolCall

NEWEST_TURNS = 32
"""Turns at the end that are not spilled, unless they are long."""
LONG_BYTES = 8 * 1024
"""A closed item or turn that is longer than this is spilled at once."""


def spilled(transcript: Transcript, events: Iterable[Event], spill: SpillStore) -> Transcript:
    """Spill old and long items and turns; the transcript's content stays the same."""
    old = len(transcript.items) - NEWEST
    places = [*range(transcript.items.tidied, old)]
    ended: list[str] = []
    for event in events:
        match event:
            case ItemAdded():
                places.append(event.index)
            case ItemReplaced():
                places.append(index_of(event.item.id))
            case ItemClosed():
                places.append(index_of(event.item_id))
            case TurnEnded():
                ended.append(event.turn.turn_id)
            case _:
                pass
    if not places and not ended:
        return transcript
    work = _Spilling(transcript)
    for index in places:
        work.put_item(index, spill)
    if old > work.items.tidied:
        work.items = work.items.tidied_to(old)
    for turn_id in ended:
        work.put_turns(turn_id, spill)
    return work.done()


def all_spilled(transcript: Transcript, spill: SpillStore) -> Transcript:
    """Spill all closed items and turns, new ones too: the session is idle."""
    work = _Spilling(transcript)
    for index in range(transcript.items.tidied, len(transcript.items)):
        work.put_item(index, spill, newest=0)
    for turn_id in transcript.turn_order[-NEWEST_TURNS:]:
        if transcript.turns[turn_id].status == "done":
            work.put_turn(turn_id, spill)
    return work.done()


class _Spilling:
    """The parts of a transcript that change when something is spilled."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self.items = transcript.items
        self._texts = transcript.texts
        self._growing = transcript.growing
        self._calls = transcript.calls
        self._turns = transcript.turns

    def done(self) -> Transcript:
        """Return the transcript with the spilled parts."""
        return self._transcript.changed(
            items=self.items,
            texts=self._texts,
            growing=self._growing,
            calls=self._calls,
            turns=self._turns,
        )

    def put_item(self, index: int, spill: SpillStore, newest: int = NEWEST) -> None:
        """Spill an item if it is closed, and old or long."""
        item_id = f"i{index}"
        growing = self._growing is not None and self._growing[0] == item_id
        text = self._growing[1] if self._growing and growing else self._texts.get(item_id)
        item = self.items.as_held(index)
        if isinstance(item, int):
            if text is None:
                return
        elif not isinstance(item, bytes):
            new = index >= len(self.items) - newest
            if under_way(item) or (new and not _is_long(item, text)):
                return
        put = self.items.spilled_to(index, None if text is None else str(text), spill)
        if put is None:
            return
        self.items = put
        self._texts = self._texts.discard(item_id)
        self._growing = None if growing else self._growing
        if isinstance(item, ToolCall):
            self._calls = self._calls.spill(item.tool_call_id, spill)
        elif isinstance(item, bytes) and (call := packed_call_id(item)):
            self._calls = self._calls.spill(call, spill)

    def put_turn(self, turn_id: str, spill: SpillStore) -> None:
        """Spill a turn."""
        self._turns = self._turns.spill(turn_id, spill)

    def put_turns(self, ended: str, shelf: SpillStore) -> None:
        """Spill old turns, and the one that has ended if it is old or long."""
        order, turns = self._transcript.turn_order, self._turns
        old = max(0, len(order) - NEWEST_TURNS)
        while turns.tidied < old and turns[order[turns.tidied]].status == "done":
            turns = turns.spill(order[turns.tidied], shelf).tidied_to(turns.tidied + 1)
        if ended not in order[old:] or len(turns.packed(ended)) > LONG_BYTES:
            turns = turns.spill(ended, shelf)
        self._turns = turns


def _is_long(item: Item, text: Text | str | None) -> bool:
    """Return whether an item is longer than `LONG_BYTES`, without visiting all of it."""
    room = LONG_BYTES - item_chars(item)
    room -= text.length if isinstance(text, Text) else len(text or "")
    parts: list[object] = []
    if isinstance(item, ToolCall):
        parts += (item.raw_input, item.raw_output, item.files, item.hits, item.blocks)
    while parts and room >= 0:
        part = parts.pop()
        room -= len(part) if isinstance(part, str) else 1
        if isinstance(part, ContentBlockItem):
            room -= item_chars(part)
        elif isinstance(part, dict):
            parts += islice(part.values(), LONG_BYTES)
        elif isinstance(part, list | tuple):
            parts += part[:LONG_BYTES]
    return room < 0
