"""A connection to a remote agent, whatever carries it."""

from __future__ import annotations

from typing import Protocol, TypeAlias

Json: TypeAlias = dict[str, object]

MESSAGE_BYTES = 64 * 1024 * 1024
"""The longest message that is read."""
OPEN_SECONDS = 15.0
CLOSE_SECONDS = 2.0


class LinkLost(Exception):
    """The connection has ended; another one may be opened. Says what happened."""


class Unreachable(Exception):
    """No connection can be opened until something is corrected. Says what."""


class Refused(Exception):
    """The agent's server took this one request not; the connection stays. Says why."""


class Link(Protocol):
    """One connection, from ``initialize`` to its end."""

    gaps: dict[str, float]
    """Sessions of whose messages some may be lost, by the agent's ids; and since when."""

    async def open(self, initialize: Json) -> Json:
        """Connect, send ``initialize`` and return its response.

        Raises
        ------
        LinkLost
            It did not answer.
        Unreachable
            It never will.
        """

    async def send(self, message: Json) -> None:
        """Send one message.

        Raises
        ------
        LinkLost
            The connection has ended.
        Refused
            The message was a request, which was refused.
        """

    async def receive(self) -> Json:
        """Return the next message.

        Raises
        ------
        LinkLost
            The connection has ended.
        """

    async def close(self) -> None:
        """End the connection; never fails."""
