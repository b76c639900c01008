"""`DayUse`: what a session used today, without reading its log again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from acp_jupyter.transcript.model.events import Event, SessionChanged
from acp_jupyter.transcript.model.use import Use


def this_day(clock: Callable[[], float] = time.time) -> str:
    """Return today's date where the host runs."""
    return time.strftime("%Y-%m-%d", time.localtime(clock()))


class DayUse:
    """Remembers what a session had used before today. An observer of its journal.

    A turn counts on the day on which it ends.

    Attributes
    ----------
    day
        The last day on which the session used something; empty if that is unknown.
    before
        What it had used before that day.
    """

    def __init__(
        self,
        use: Use,
        day: str = "",
        before: Use | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._use = use
        self.day = day
        self.before = use if before is None else before
        self._clock = clock

    def push(self, events: Iterable[Event]) -> None:
        """Begin another day if something was used on it."""
        for event in events:
            if isinstance(event, SessionChanged) and event.session.use is not self._use:
                day = this_day(self._clock)
                if day != self.day and event.session.use != self._use:
                    self.day, self.before = day, self._use
                self._use = event.session.use

    def on(self, day: str) -> Use:
        """Return what was used on a day; nothing for one before the last."""
        return self._use.since(self.before) if day == self.day else Use()
