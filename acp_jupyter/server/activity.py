"""Agents at work count as activity of the server and of the notebook's kernel."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from datetime import datetime

from jupyter_server._tz import utcnow

from acp_jupyter.delivery.frames import SessionSummary
from acp_jupyter.server.kernels import Kernels

__all__ = ["Activity"]

_log = logging.getLogger(__name__)
_LOOK_SECONDS = 20.0
_WORKING = {"starting", "running"}


class Activity:
    """Looks at the sessions now and then, so that nothing culls a long turn as idle.

    A turn that waits for an answer is no work: whoever could answer counts by being there.

    Parameters
    ----------
    times
        The server's ``last_activity_times``.
    sessions
        Lists the host's sessions.
    kernels
        Those of the server.
    """

    def __init__(
        self,
        times: MutableMapping[str, datetime],
        sessions: Callable[[], Awaitable[Iterable[SessionSummary]]],
        kernels: Kernels,
    ) -> None:
        self._times = times
        self._sessions = sessions
        self._kernels = kernels
        self.working = False

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            try:
                await self.update()
            except Exception:  # noqa: BLE001 - the next look may work
                _log.exception("the sessions could not be listed")
            await asyncio.sleep(_LOOK_SECONDS)

    async def update(self) -> None:
        """Look once."""
        working = [session for session in await self._sessions() if session.status in _WORKING]
        self.working = bool(working)
        if working:
            self._times["acp_jupyter"] = utcnow()
        for notebook_path in {session.notebook_path for session in working} - {""}:
            await self._kernels.touch(notebook_path)
