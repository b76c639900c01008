"""The newest events of a session, for readers that come back."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from acp_jupyter.transcript.model.events import (
    Event,
    SessionChanged,
    TurnEnded,
    TurnStarted,
    event_chars,
)

_MAX_EVENTS = 5000
_MAX_BYTES = 1024 * 1024
"""Approximate size of all events."""
_EVENT_BYTES = 500
"""Approximate memory of one event without its text."""
_STATE_BYTES = 2500
"""Approximate memory of an event with the state of the session or of a turn."""


class EventRing:
    """A buffer of the newest events, limited in number and size."""

    def __init__(self) -> None:
        self._events: deque[tuple[Event, int]] = deque()
        self._bytes = 0

    def add(self, events: Iterable[Event]) -> None:
        """Add events; drop the oldest if there are too many."""
        for event in events:
            stateful = isinstance(event, SessionChanged | TurnStarted | TurnEnded)
            size = (_STATE_BYTES if stateful else _EVENT_BYTES) + event_chars(event)
            self._events.append((event, size))
            self._bytes += size
        while self._bytes > _MAX_BYTES or len(self._events) > _MAX_EVENTS:
            self._bytes -= self._events.popleft()[1]

    def clear(self) -> None:
        """Drop all events."""
        self._events.clear()
        self._bytes = 0

    def after(self, seq: int) -> list[Event] | None:
        """Return all events after ``seq``; None if some of them were dropped."""
        if not self._events or self._events[0][0].seq > seq + 1:
            return None
        return [event for event, _ in self._events if event.seq > seq]
