"""Evidence about who changes files during the running turn, from the log."""

from __future__ import annotations

from dataclasses import dataclass, field

from acp_jupyter.transcript.model.persistent import Map, Vector

Span = tuple[float, float]
"""Begin and end, in seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A tool call waited for its user's answer."""

    item_id: str
    span: Span


@dataclass(frozen=True, slots=True)
class TurnEvidence:
    """The evidence about one turn, beside its tool calls. Immutable."""

    turn_id: str = ""
    written: Map[str, None] = field(default_factory=Map)
    """Absolute paths of files that the agent wrote through the client."""
    saved: Map[str, None] = field(default_factory=Map)
    """Files that a user saved, with changes of their own."""
    waits: Vector[Wait] = field(default_factory=Vector)
    terminals: Map[str, Span] = field(default_factory=Map)
    """When commands ran that the host runs for the agent, by terminal; the end is zero while one
    runs."""
    by_user: Map[str, Span] = field(default_factory=Map)
    """The same for commands that the host runs for the user."""
    disk: Vector[Span] = field(default_factory=Vector)
    """When the agent's process wrote to a disk before it had announced a call."""
