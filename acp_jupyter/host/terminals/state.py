"""What an agent is told of a terminal."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TerminalExit", "TerminalState"]


@dataclass(frozen=True, slots=True)
class TerminalExit:
    """How a command ended."""

    exit_code: int | None
    signal: str | None


@dataclass(frozen=True, slots=True)
class TerminalState:
    """What there is to read, and how it ended if it has."""

    output: str
    truncated: bool
    exit: TerminalExit | None
