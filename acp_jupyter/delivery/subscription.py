"""One reader's view of one session: pending events, merged until they are taken."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
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
    event_chars,
)

__all__ = ["Subscription", "merge"]

_MERGE_AT = 5000
_JOINED_CHARS = 500_000
"""Of text in one event."""
_TAKEN_CHARS = 1_000_000
_EVENT_CHARS = 1_000
"""Of an event beside its text, about."""


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

    def push(self, events: Iterable[Event]) -> None:
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
        """Take what was offered so far, merged; the oldest of it where that is very much.

        Encoding and packing it are one step each of the reader's loop.
        """
        with self._lock:
            merged = merge(self._pending)
            fitting = _fitting(merged)
            self._pending = list(merged[fitting:])
            self._merge_at = max(_MERGE_AT, 2 * len(self._pending))
            self._awake = wake = bool(self._pending)
        if wake:
            self._wake()
        return merged[:fitting]


def _fitting(events: tuple[Event, ...]) -> int:
    """Return how many events, at least one, may go together."""
    room = _TAKEN_CHARS
    for number, event in enumerate(events):
        room -= _EVENT_CHARS + event_chars(event)
        if room < 0:
            return max(1, number)
    return len(events)


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
                appends = slots.setdefault(key, _Appends())
                assert isinstance(appends, _Appends)
                appends.add(event)
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
    whole = (e for slot in slots.values() for e in _events(slot))
    return tuple(sorted(whole, key=lambda event: event.seq))


def _events(slot: Event | _Appends) -> Iterator[Event]:
    if isinstance(slot, _Appends):
        yield from slot.events()
    else:
        yield slot


class _Appends:
    """Consecutive appends to one field; those that are joined carry the last's ``seq``."""

    def __init__(self) -> None:
        self._parts: list[list[TextAppended]] = []
        self._room = 0

    def add(self, more: TextAppended) -> None:
        if not self._parts or len(more.text) > self._room:
            self._parts.append([])
            self._room = _JOINED_CHARS
        self._parts[-1].append(more)
        self._room -= len(more.text)

    def events(self) -> Iterator[TextAppended]:
        for part in self._parts:
            text = "".join(event.text for event in part)
            yield part[0].model_copy(update={"seq": part[-1].seq, "text": text})
