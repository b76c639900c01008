"""One line of the conversation with an agent process, as every layer above sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Direction", "TrafficEntry"]

Direction = Literal[">", "<", "!"]
"""``>`` to the agent, ``<`` from the agent, ``!`` a note of our own about the wire."""


@dataclass(frozen=True, slots=True)
class TrafficEntry:
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
    """

    seq: int
    t: float
    direction: Direction
    message: Mapping[str, Any]
    re: int | None = None
