"""The running turns of a host, and what persons save in their folders.

Every turn whose folder contains the file gets a person's save, with the texts that agents put into
open documents: these stay the agents' changes, whoever saves them.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from acp_jupyter.host.workspace.authors import AuthorEvidence

_MAX_PUTS = 64


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file that a person saved, renamed or deleted, with its bytes before and after."""

    path: str
    """Absolute path with links resolved."""
    before: bytes | None
    """None for a new file, or one that is too large to be read."""
    after: bytes | None
    """None for a deleted file, or one that is too large to be read."""
    at: float | None = None
    """When the content before the save was written; seconds since the epoch."""
    moved_to: str = ""
    """The new path, if a file or a folder was renamed."""


@dataclass(frozen=True, slots=True)
class Put:
    """A text that an agent wrote into an open document."""

    session_id: str
    path: str
    base: str | None
    """The text that the agent's change started from; None for the text on disk."""
    text: str


Seen = Callable[[], AuthorEvidence]
"""Collects the evidence about a turn, in any thread, as a turn may have 100,000 items."""


@dataclass(slots=True)
class RunningTurn:
    """A running turn."""

    turn_id: str
    root: Path
    seen: Callable[[], Seen]
    """Called on the host's loop; returns the function that collects the evidence so far."""
    saved: Callable[[SavedFile, tuple[Put, ...]], Awaitable[None]]
    ended: list[Seen] = field(default_factory=list)
    """Evidence about other turns in the folder that have ended meanwhile."""


class RunningTurns:
    """Keeps track of running turns. Used on the host's loop, except for `wants`."""

    def __init__(self) -> None:
        self._turns: dict[str, RunningTurn] = {}
        self._puts: deque[Put] = deque(maxlen=_MAX_PUTS)
        self._lock = threading.Lock()
        self._roots: tuple[str, ...] = ()

    def begin(self, turn: RunningTurn) -> None:
        """Add a turn that starts."""
        self._turns[turn.turn_id] = turn
        self._know_roots()

    def end(self, turn_id: str) -> None:
        """Remove a turn that has ended; other turns in its folder keep its evidence."""
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
        """Return the evidence about other turns that ran in a turn's folder at the same time."""
        turn = self._turns.get(turn_id)
        if turn is None:
            return ()
        return (*turn.ended, *(other.seen() for other in self._beside(turn)))

    def put(self, put: Put) -> None:
        """Note a text that an agent is about to write into an open document."""
        self._puts.append(put)

    def wants(self, path: str) -> bool:
        """Return whether a turn runs in the folder of a file. In any thread."""
        with self._lock:
            return any(path.startswith(root) for root in self._roots)

    async def take(self, saved: SavedFile) -> None:
        """Pass a person's save to the turns whose folder contains the file."""
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
