"""The least view that events can be applied to: what a page must end up with."""

from __future__ import annotations

from collections.abc import Iterable

from acp_jupyter.transcript.events import Event
from acp_jupyter.transcript.items import Item


class PlainView:
    """Items by id, session and turns, after the events so far."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {}
        self.session: object = None
        self.turns: dict[str, object] = {}

    def apply(self, events: Iterable[Event]) -> PlainView:
        """Apply events; raises on a gap in a text."""
        for event in events:
            self._apply(event)
        return self

    def _apply(self, event: Event) -> None:
        match event.kind:
            case "snapshot":
                self.items = {item.id: item for item in event.items}
                self.session = event.session
                self.turns = {turn.turn_id: turn for turn in event.turns}
            case "item_added" | "item_replaced":
                self.items[event.item.id] = event.item
            case "text_appended":
                item = self.items[event.item_id]
                old = getattr(item, event.field)
                units = len(old.encode("utf-16-le")) // 2
                assert event.offset <= units, "a gap in the text"
                kept = old.encode("utf-16-le")[: event.offset * 2].decode("utf-16-le")
                changed = {event.field: kept + event.text}
                self.items[item.id] = item.model_copy(update=changed)
            case "session_changed":
                self.session = event.session
            case "turn_started" | "turn_ended":
                self.turns[event.turn.turn_id] = event.turn
