"""Updates sessions whose notebook is renamed, moved or deleted through the server.

The same holds for a folder above the notebook.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from acp_jupyter.errors import AcpError
from acp_jupyter.host.host import AgentHost
from acp_jupyter.protocol.objects import text
from acp_jupyter.server.kernels import Kernels

_logger = logging.getLogger(__name__)


class MovedNotebooks:
    """Listens to the contents manager for renamed and deleted files."""

    def __init__(self, host: AgentHost, kernels: Kernels, contents: Any) -> None:
        self._host = host
        self._kernels = kernels
        contents.event_logger.add_listener(
            schema_id=contents.event_schema_id, listener=self._on_event
        )

    async def _on_event(self, logger: object, schema_id: str, data: Mapping[str, Any]) -> None:
        del logger, schema_id
        match data.get("action"):
            case "rename":
                old, new = text(data.get("source_path")), text(data.get("path"))
            case "delete":
                old, new = text(data.get("path")), ""
            case _:
                return
        old, new = old.strip("/"), new.strip("/")
        if not old:
            return
        try:
            # For a folder this updates the sessions of all notebooks below it.
            follow = self._host.sessions.follow(old, new)
            await self._host.run(follow)
            if new:
                await self._kernels.move(old, new)
        except AcpError:
            _logger.exception("The sessions of %s could not go along with it", old)
