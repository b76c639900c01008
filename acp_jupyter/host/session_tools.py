"""What the host needs of those who offer its sessions tools of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from acp_jupyter.host.session import Session

__all__ = ["ToolsOffer"]


class ToolsOffer(Protocol):
    """Gives sessions MCP servers that end with them. Used on the host's loop."""

    async def servers(self, session: Session) -> Sequence[Mapping[str, Any]]:
        """Return ACP's ``mcpServers`` for a session alone; none where there is nothing to offer."""

    async def end(self, session_id: str) -> None:
        """End what a session was given."""

    async def close(self) -> None:
        """End everything."""
