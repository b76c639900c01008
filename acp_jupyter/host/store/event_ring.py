"""The newest events of a session, for readers that come back."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from acp_jupyter.host.limits import Limits
from acp_jupyter.transcript.model.events import (
    Event,
    SessionChanged,
    TurnEnded,
    TurnStarted,
    event_chars,
)

_EVENT_BYTES = 500
"""About the memory of one event without its text."""
_STATE_BYTES = 2500
"""About the memory of one event that carries the state of the session or of a turn."""


class EventRing:
    """The newest events, as many as fit.

    Parameters
    ----------
    limits
        See `Limits`.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._events: deque[tuple[Event, int]] = deque()
        self._bytes = 0

    def add(self, events: Iterable[Event]) -> None:
        """Take events; the oldest go."""
        for event in events:
            stateful = isinstance(event, SessionChanged | TurnStarted | TurnEnded)
            size = (_STATE_BYTES if stateful else _EVENT_BYTES) + event_chars(event)
            self._events.append((event, size))
            self._bytes += size
        while self._bytes > self._limits.ring_bytes or len(self._events) > self._limits.ring_events:
            self._bytes -= self._events.popleft()[1]

    def clear(self) -> None:
        """Keep none of them."""
        self._events.clear()
        self._bytes = 0

    def after(self, seq: int) -> list[Event] | None:
        """Return all events that came after one; None where they are not all here any more."""
        if not self._events or self._events[0][0].seq > seq + 1:
            return None
        return [event for event, _ in self._events if event.seq > seq]
