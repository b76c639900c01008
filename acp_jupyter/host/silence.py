"""Notices that a working agent says nothing any more."""

from __future__ import annotations

import asyncio
import time

from acp_jupyter.host.journal import Journal
from acp_jupyter.host.limits import Limits
from acp_jupyter.protocol.host_events.session import AgentSilentNote

__all__ = ["Silence"]


class Silence:
    """Looks at a session's log when it may have been silent for that long. Costs nothing per line.

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
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._check)

    def close(self) -> None:
        """Look no more."""
        self._timer.cancel()

    def _check(self) -> None:
        session, since = self._journal.transcript.session, self._journal.last_line_at
        left = since + self._seconds - time.time()
        turn_id = session.active_turn_id if session.status == "running" else None
        if left <= 0 and turn_id is not None and session.silent_since is None:
            self._journal.note(AgentSilentNote(turn_id=turn_id, since=since))
        # A turn that begins meanwhile can't have been silent for long before the next look.
        wait = left if 0 < left < self._seconds else self._seconds
        self._timer = asyncio.get_running_loop().call_later(wait, self._check)
