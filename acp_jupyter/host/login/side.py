"""What a login needs of the session's agent, and what it tells its user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from acp_jupyter.host.connection import AgentConnection

__all__ = ["AgentSide", "LoginAnswer"]


class AgentSide(Protocol):
    """The session's agent, as a login needs it."""

    async def connected(self) -> AgentConnection:
        """Return a connection that has shaken hands; no session need be open there."""

    async def disconnected(self) -> None:
        """Use the connection no more, unless the session does."""

    async def open(self) -> object:
        """Open the session, or take it up again."""

    async def drop(self) -> None:
        """Leave the agent."""

    async def restart(self) -> int:
        """End every process of the agent; return how many there were."""


@dataclass(frozen=True, slots=True)
class LoginAnswer:
    """What the user has to know when a login begins."""

    message: str
    terminal: str = ""
    """The terminal to look at."""
    command: str = ""
    """What to type where no terminal can be shown."""
