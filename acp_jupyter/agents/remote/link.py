"""A connection to a remote agent, over any transport."""

from __future__ import annotations

from typing import Protocol, TypeAlias

Json: TypeAlias = dict[str, object]

MESSAGE_BYTES = 64 * 1024 * 1024
"""The longest message that is read."""
OPEN_SECONDS = 15.0
CLOSE_SECONDS = 2.0


class LinkLost(Exception):
    """The connection was lost; another one may be opened. The message says what happened."""


class Unreachable(Exception):
    """No connection can be opened until something is corrected. The message says what."""


class Refused(Exception):
    """The server refused this one request; the connection stays open. The message says why."""


class AgentLink(Protocol):
    """One connection, from ``initialize`` to its end."""

    gaps: dict[str, float]
    """Sessions that may have lost messages, by the agent's ids, and since when."""

    async def open(self, initialize: Json) -> Json:
        """Connect, send ``initialize`` and return its response."""

    async def send(self, message: Json) -> None:
        """Send one message."""

    async def receive(self) -> Json:
        """Return the next message."""

    async def close(self) -> None:
        """Close the connection; never fails."""
