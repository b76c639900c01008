"""A log, read as something that can be played."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from acp_jupyter.agents.replay.steps import Object, Part, RecordedSession, Send
from acp_jupyter.dialects.traffic.json_values import LogProblem

__all__ = ["OPENINGS", "Opening", "Recording", "RecordingError"]

OPENINGS = frozenset({"session/new", "session/load", "session/resume", "session/fork"})


class RecordingError(Exception):
    """A log that can't be played; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A request that opened a session, or that failed to."""

    part: Part
    session: RecordedSession | None


@dataclass(slots=True)
class Recording:
    """All that the agent of a log did.

    Attributes
    ----------
    hello
        The answer to ``initialize``.
    before
        What the agent sent before there was a session.
    sessions
        In the order in which they were opened.
    openings
        The requests that opened sessions, by method.
    answers
        The agent's responses to other requests, by method.
    entries
        How many messages it holds.
    """

    path: Path
    hello: Object | None = None
    before: list[Send] = field(default_factory=list)
    sessions: list[RecordedSession] = field(default_factory=list)
    openings: dict[str, list[Opening]] = field(default_factory=lambda: defaultdict(list))
    answers: dict[str, list[Object]] = field(default_factory=lambda: defaultdict(list))
    entries: int = 0
    problems: list[LogProblem] = field(default_factory=list)

    @property
    def trouble(self) -> str:
        """Where the log could not be read, in words; empty where all of it could."""
        if not self.problems:
            return ""
        first = self.problems[0]
        return f"{self.path}, line {first.line}: {first.message}"
