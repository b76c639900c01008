"""What was seen of who changes files in the turn that runs, as the log has it."""

from __future__ import annotations

from dataclasses import dataclass, field

from acp_jupyter.transcript.model.persistent import Map, Vector

Span = tuple[float, float]
"""Since when, and until when; seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A tool call waited for its user's answer."""

    item_id: str
    span: Span


@dataclass(frozen=True, slots=True)
class TurnEvidence:
    """What was seen in one turn, beside its tool calls. Never changes."""

    turn_id: str = ""
    written: Map[str, None] = field(default_factory=Map)
    """Absolute paths of files that the agent wrote through us."""
    saved: Map[str, None] = field(default_factory=Map)
    """Those that a person saved, with changes of their own."""
    waits: Vector[Wait] = field(default_factory=Vector)
    terminals: Map[str, Span] = field(default_factory=Map)
    """When the commands ran that we run for the agent, by terminal; zero while one runs."""
    by_user: Map[str, Span] = field(default_factory=Map)
    """The same of commands that we run for the user."""
    disk: Vector[Span] = field(default_factory=Vector)
    """When the agent's process wrote to a disk, before it had announced a call."""
