"""One line of the conversation with an agent process, as every layer above sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

__all__ = ["Direction", "TrafficEntry"]

Direction = Literal[">", "<", "!"]
"""``>`` to the agent, ``<`` from the agent, ``!`` a note of our own about the wire."""


class TrafficEntry(NamedTuple):
    """A message in wire order.

    Attributes
    ----------
    seq
        Number of the line; one count for both directions.
    t
        Wall clock, seconds since the epoch.
    direction
        See `Direction`.
    message
        The JSON-RPC object as the agent wrote it. A note is an object with the key ``note``.
    re
        For a response in either direction, the ``seq`` of the request that it answers.
    raw
        The line itself where it needs no repair: then it can be written down as it is.
    """

    seq: int
    t: float
    direction: Direction
    message: Mapping[str, Any]
    re: int | None = None
    raw: str = ""
