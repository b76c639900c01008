"""A session's traffic, page by page."""

from __future__ import annotations

import asyncio
from pathlib import Path

from acp_jupyter.delivery.access import may_read_traffic
from acp_jupyter.delivery.callers import Caller
from acp_jupyter.delivery.traffic_commands import (
    GetTraffic,
    GetTrafficLine,
    TrafficDetail,
    TrafficPage,
)
from acp_jupyter.delivery.traffic_reading import read_line, read_page
from acp_jupyter.host.host import AgentHost

__all__ = ["TrafficPages"]


class TrafficPages:
    """Carries out ``get_traffic`` and ``get_traffic_line``."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    async def page(self, command: GetTraffic, caller: Caller) -> TrafficPage:
        """Return some lines.

        Raises
        ------
        NotAllowed
            The caller may not read the traffic.
        """
        path = await self._path(command.session_id, caller)
        return await asyncio.to_thread(read_page, path, command)

    async def line(self, command: GetTrafficLine, caller: Caller) -> TrafficDetail:
        """Return one line, written out.

        Raises
        ------
        BadRequest
            There is none at that place.
        """
        path = await self._path(command.session_id, caller)
        return await asyncio.to_thread(read_line, path, command.place)

    async def _path(self, session_id: str, caller: Caller) -> Path:
        session = self._host.session(session_id)
        may_read_traffic(session, caller)
        log = session.journal.log
        if not log.ended:
            await asyncio.to_thread(log.flush)
        return log.path
