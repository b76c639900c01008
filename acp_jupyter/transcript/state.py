"""The transcript: everything known of one session, as one immutable value."""

from __future__ import annotations

from dataclasses import dataclass, field

from pyrsistent import PMap, PVector, pmap, pvector

from acp_jupyter.transcript.call_facts import CallFacts
from acp_jupyter.transcript.events import SessionState, TurnState
from acp_jupyter.transcript.items import Item, ToolCall
from acp_jupyter.transcript.text import Text

__all__ = ["Transcript"]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session's items, turns and state after some line of its traffic.

    Persistent vectors and maps, so that a change costs the same in a session
    of five items and of five thousand.
    """

    session: SessionState
    seq: int = 0
    """Of the newest event."""
    items: PVector[Item] = field(default_factory=pvector)
    """Growing text is kept in ``texts``; see :meth:`item`."""
    texts: PMap[str, Text] = field(default_factory=pmap)
    index: PMap[str, int] = field(default_factory=pmap)
    """Place of each item id."""
    tool_items: PMap[str, str] = field(default_factory=pmap)
    """Item id of each tool call id."""
    calls: PMap[str, CallFacts] = field(default_factory=pmap)
    """By item id."""
    steps: PMap[str, str] = field(default_factory=pmap)
    """Item id of each open step."""
    request_items: PMap[str, str] = field(default_factory=pmap)
    """Item id of each pending permission request."""
    turns: PMap[str, TurnState] = field(default_factory=pmap)
    turn_order: PVector[str] = field(default_factory=pvector)
    turn_first: PMap[str, int] = field(default_factory=pmap)
    """Index of each turn's first item."""
    open_item: str | None = None
    """The message or thought that the next chunk may extend."""
    open_message_id: str = ""
    stopping: str | None = None
    """The turn that the agent was told to end."""
    settled_by: PMap[str, tuple[str, str]] = field(default_factory=pmap)
    """Who answered a request, and by which rule, until its answer is written."""

    def item(self, position: int) -> Item:
        """Return an item with its text filled in."""
        return self.filled(self.items[position])

    def filled(self, item: Item) -> Item:
        """Return the item with its growing text."""
        text = self.texts.get(item.id)
        if text is None:
            return item
        name = "output" if isinstance(item, ToolCall) else "text"
        return item.model_copy(update={name: str(text)})

    def window(self, start: int, end: int) -> tuple[Item, ...]:
        """Return the items from ``start`` up to, not including, ``end``."""
        return tuple(self.item(i) for i in range(max(0, start), min(end, len(self.items))))

    def turn_items(self, turn_id: str) -> tuple[Item, ...]:
        """Return the items of one turn; late ones may lie among those of the next."""
        start = self.turn_first.get(turn_id, len(self.items))
        return tuple(self.filled(i) for i in self.items[start:] if i.turn_id == turn_id)
