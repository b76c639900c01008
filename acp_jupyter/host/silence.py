"""Notices that a working agent says nothing any more."""

from __future__ import annotations

import asyncio
import time

from acp_jupyter.host.journal import Journal
from acp_jupyter.host.limits import Limits
from acp_jupyter.packets.session_notes import AgentSilent

__all__ = ["Silence"]


class Silence:
    """Looks at a session's log now and then. Costs nothing per line.

    Parameters
    ----------
    journal
        Of the session.
    limits
        See `Limits`.
    """

    def __init__(self, journal: Journal, limits: Limits) -> None:
        self._journal = journal
        self._seconds = limits.silent_seconds
        self._lines = -1
        self._since = time.time()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._look)

    def close(self) -> None:
        """Look no more."""
        self._timer.cancel()

    def _look(self) -> None:
        session = self._journal.transcript.session
        if self._journal.lines != self._lines or session.status != "running":
            self._lines = self._journal.lines
            self._since = time.time()
        elif session.active_turn_id is not None and session.silent_since is None:
            self._journal.note(AgentSilent(turn_id=session.active_turn_id, since=self._since))
            self._lines = self._journal.lines
        self._timer = asyncio.get_running_loop().call_later(self._seconds / 2, self._look)
