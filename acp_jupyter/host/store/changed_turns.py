"""Records which turns have changed, so that only their saved outputs are made again."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable

from acp_jupyter.transcript.model.events import (
    Event,
    ItemAdded,
    ItemClosed,
    ItemReplaced,
    TextAppended,
    TextChanged,
    TurnEnded,
    TurnStarted,
)
from acp_jupyter.transcript.model.item_base import index_of
from acp_jupyter.transcript.model.state import Transcript

_MAX = 20_000
"""Most remembered changes; a caller who asks for older ones gets all turns."""


class ChangedTurns:
    """Numbers the changes of turns, in all sessions of a host. Lives on the host's loop.

    Parameters
    ----------
    transcript_of
        Returns the transcript of an open session; None if it is being closed.

    Attributes
    ----------
    number
        The number of the newest change.
    """

    def __init__(self, transcript_of: Callable[[str], Transcript | None]) -> None:
        self._transcript_of = transcript_of
        self._changes: dict[tuple[str, str], tuple[int, float]] = {}
        """Number and time by session and turn, the newest last; an empty turn id means all turns
        of the session."""
        self._last: tuple[str, str] = "", ""
        self._text: tuple[tuple[str, str], str | None] = ("", ""), None
        """The session and item whose text grew last, and its turn."""
        self._counter = itertools.count(1)
        self._forgotten = 0
        self.number = 0

    def add_session(self, session_id: str) -> None:
        """Count all turns of a newly opened session as changed."""
        self._text = ("", ""), None
        self._count(session_id, "")

    def add_turns(self, session_id: str, turn_ids: Iterable[str]) -> None:
        """Count turns as changed, as their saved outputs now differ."""
        for turn_id in turn_ids:
            self._count(session_id, turn_id)

    def changed_at(self, session_id: str, turn_id: str) -> float:
        """Return when a turn last changed, in seconds since the epoch; 0 if unknown."""
        return self._changes.get((session_id, turn_id), (0, 0.0))[1]

    def since(self, number: int | None) -> dict[str, set[str]] | None:
        """Return the turns of each session that have changed since the change of this number.

        None if some are forgotten. An empty turn id means all turns of the session.
        """
        if number is None or not self._forgotten <= number <= self.number:
            return None
        changed: dict[str, set[str]] = {}
        for (session_id, turn_id), (change, _) in reversed(self._changes.items()):
            if change <= number:
                break
            changed.setdefault(session_id, set()).add(turn_id)
        return changed

    def push(self, events: Iterable[Event]) -> None:
        """Take the events of a session."""
        for event in events:
            match event:
                case ItemAdded() | ItemReplaced():
                    turn_id = event.item.turn_id
                case TextAppended() | TextChanged() | ItemClosed():
                    turn_id = self._turn_of_text(event)
                case TurnStarted() | TurnEnded():
                    turn_id = event.turn.turn_id
                case _:
                    continue
            if turn_id:
                self._count(event.session_id, turn_id)

    def _turn_of_text(self, event: TextAppended | TextChanged | ItemClosed) -> str | None:
        item = event.session_id, event.item_id
        if item != self._text[0]:
            transcript = self._transcript_of(event.session_id)
            if transcript is None:
                return None
            self._text = item, transcript.items[index_of(event.item_id)].turn_id
        return self._text[1]

    def _count(self, session_id: str, turn_id: str) -> None:
        key = session_id, turn_id
        self.number = next(self._counter)
        if key != self._last:
            self._changes.pop(key, None)
            self._last = key
        self._changes[key] = self.number, time.time()
        if len(self._changes) > _MAX:
            oldest = next(iter(self._changes))
            self._forgotten, _ = self._changes.pop(oldest)
