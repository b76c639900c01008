"""One reader's view of one session: pending events, merged until they are taken."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import assert_never

from acp_jupyter.transcript.events import (
    Event,
    ItemAdded,
    ItemClosed,
    ItemReplaced,
    SessionChanged,
    Snapshot,
    TextAppended,
    TurnEnded,
    TurnStarted,
)

__all__ = ["Subscription", "merge"]

_MERGE_AT = 5000


class Subscription:
    """Events of a session on their way to one reader.

    The host's thread offers, the reader's thread takes. ``wake`` is called in
    the host's thread, once until the next :meth:`take`.

    Parameters
    ----------
    session_id
        Whose events these are.
    wake
        Tells the reader that there is something to take.
    """

    def __init__(self, session_id: str, wake: Callable[[], None]) -> None:
        self.session_id = session_id
        self._wake = wake
        self._lock = threading.Lock()
        self._pending: list[Event] = []
        self._merge_at = _MERGE_AT
        self._awake = False

    def offer(self, events: Iterable[Event]) -> None:
        """Add events; wakes the reader unless it has been woken already."""
        with self._lock:
            self._pending.extend(events)
            if len(self._pending) > self._merge_at:
                # A reader that is slow to take must not cost memory for every chunk.
                self._pending = list(merge(self._pending))
                self._merge_at = max(_MERGE_AT, 2 * len(self._pending))
            wake = bool(self._pending) and not self._awake
            self._awake = self._awake or wake
        if wake:
            self._wake()

    def take(self) -> tuple[Event, ...]:
        """Take everything offered so far, merged."""
        with self._lock:
            pending, self._pending = self._pending, []
            self._merge_at = _MERGE_AT
            self._awake = False
        return merge(pending)


def merge(events: Iterable[Event]) -> tuple[Event, ...]:
    """Merge events so that applying them gives the same state with less.

    Text appended to one field becomes one append, of repeated replacements
    and session states the last stays, a replacement swallows the appends
    before it, and nothing before a snapshot matters.
    """
    slots: dict[tuple[str, ...], Event | _Appends] = {}
    for event in events:
        match event:
            case Snapshot():
                slots = {("snapshot",): event}
            case TextAppended():
                key = ("text", event.item_id, event.field)
                appends = slots.get(key)
                if isinstance(appends, _Appends):
                    appends.add(event)
                else:
                    slots[key] = _Appends(event)
            case ItemReplaced():
                # It holds the whole text so far.
                slots.pop(("text", event.item.id, "text"), None)
                slots.pop(("text", event.item.id, "output"), None)
                slots[("item", event.item.id)] = event
            case SessionChanged():
                slots[("session",)] = event
            case ItemAdded() | ItemClosed() | TurnStarted() | TurnEnded():
                slots[("once", str(event.seq))] = event
            case _:
                assert_never(event)
    whole = (e.event() if isinstance(e, _Appends) else e for e in slots.values())
    return tuple(sorted(whole, key=lambda event: event.seq))


class _Appends:
    """Consecutive appends to one field; the whole carries the last's ``seq``."""

    def __init__(self, first: TextAppended) -> None:
        self._first = first
        self._seq = first.seq
        self._pieces = [first.text]

    def add(self, more: TextAppended) -> None:
        self._seq = more.seq
        self._pieces.append(more.text)

    def event(self) -> TextAppended:
        text = "".join(self._pieces)
        return self._first.model_copy(update={"seq": self._seq, "text": text})
