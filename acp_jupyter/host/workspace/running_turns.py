"""The turns that run in a host's folders: what each was seen to do, what persons save meanwhile.

A person's save is told to every turn whose folder the file is in, with what agents have put into
open documents: what an agent wrote there is the agent's, whoever saves it.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from acp_jupyter.host.workspace.authors import Witness

_MOST_PUTS = 64


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file that a person saved, renamed or deleted, with its bytes before and after."""

    path: str
    """Absolute, links resolved."""
    before: bytes | None
    """None for a new file, or where it is too large to be read."""
    after: bytes | None
    """None for one that is gone, or too large to be read."""
    at: float | None = None
    """When what was there before the save had been written; seconds since the epoch."""
    moved_to: str = ""
    """Where it is now, if it was renamed; a folder with all that is in it."""


@dataclass(frozen=True, slots=True)
class Put:
    """A text that an agent wrote into an open document."""

    session_id: str
    path: str
    base: str | None
    """The text that it started from; None for the one on disk."""
    text: str


Seen = Callable[[], Witness]
"""Finds out, in any thread, what was seen of a turn until then: it may have 100,000 items."""


@dataclass(slots=True)
class RunningTurn:
    """A turn that runs."""

    turn_id: str
    root: Path
    seen: Callable[[], Seen]
    """Called on the host's loop: what was seen of it so far."""
    saved: Callable[[SavedFile, tuple[Put, ...]], Awaitable[None]]
    ended: list[Seen] = field(default_factory=list)
    """Of other turns in its folder that have ended meanwhile."""


class RunningTurns:
    """Knows which turns run. Used on the host's loop, but for `wants`."""

    def __init__(self) -> None:
        self._turns: dict[str, RunningTurn] = {}
        self._puts: deque[Put] = deque(maxlen=_MOST_PUTS)
        self._lock = threading.Lock()
        self._roots: tuple[str, ...] = ()

    def begin(self, turn: RunningTurn) -> None:
        """Note that a turn runs."""
        self._turns[turn.turn_id] = turn
        self._know_roots()

    def end(self, turn_id: str) -> None:
        """Note that it does not run any more; the others in its folder remember it."""
        turn = self._turns.pop(turn_id, None)
        if turn is None:
            return
        if beside := self._beside(turn):
            seen = turn.seen()
            for other in beside:
                other.ended.append(seen)
        if not self._turns:
            self._puts.clear()
        self._know_roots()

    def others(self, turn_id: str) -> tuple[Seen, ...]:
        """Return what was seen of the turns that ran in a turn's folder beside it."""
        turn = self._turns.get(turn_id)
        if turn is None:
            return ()
        return (*turn.ended, *(other.seen() for other in self._beside(turn)))

    def put(self, put: Put) -> None:
        """Note what an agent is about to write into an open document."""
        self._puts.append(put)

    def wants(self, path: str) -> bool:
        """Return whether a turn runs in the folder of a file; from any thread."""
        with self._lock:
            return any(path.startswith(root) for root in self._roots)

    async def take(self, saved: SavedFile) -> None:
        """Tell the turns what a person has saved."""
        puts = tuple(put for put in self._puts if put.path == saved.path)
        told = [turn.saved(saved, puts) for turn in self._turns.values() if _holds(turn, saved)]
        await asyncio.gather(*told)

    def _beside(self, turn: RunningTurn) -> list[RunningTurn]:
        return [
            other
            for other in self._turns.values()
            if other is not turn
            and (other.root.is_relative_to(turn.root) or turn.root.is_relative_to(other.root))
        ]

    def _know_roots(self) -> None:
        roots = {f"{str(turn.root).rstrip(os.sep)}{os.sep}" for turn in self._turns.values()}
        with self._lock:
            self._roots = tuple(roots)


def _holds(turn: RunningTurn, saved: SavedFile) -> bool:
    paths = filter(None, (saved.path, saved.moved_to))
    return any(Path(path).is_relative_to(turn.root) for path in paths)
