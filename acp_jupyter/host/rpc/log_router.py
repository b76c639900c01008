"""The log router: into which sessions' logs each line of a process belongs.

A line of no session goes to all; what comes before a session is known waits for it.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from acp_jupyter.protocol.objects import first, obj
from acp_jupyter.protocol.parse.subagents import SUBAGENT_UPDATE
from acp_jupyter.protocol.traffic import Direction, TrafficEntry

_logger = logging.getLogger(__name__)
_EARLY_LINES = 1000
_EARLY_SESSIONS = 100
_MAX_CHILDREN = 200
"""Child sessions whose lines are taken, in each session."""


class SessionLog(Protocol):
    """A session's log, as its agent's process sees it."""

    @property
    def session_id(self) -> str:
        """Our id of the session."""

    @property
    def sequence(self) -> Iterator[int]:
        """Numbers of the log's lines."""

    def enter(self, entry: TrafficEntry) -> None:
        """Take a line, without blocking. The message of a long one has no known secrets."""

    def without_known(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a message without the secrets that are known; in any thread."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a line stands: a log, and its number there."""

    log: SessionLog
    seq: int


@dataclass(frozen=True, slots=True)
class _Common:
    """A line of the process as a whole; ``answers`` is the place of its request among those."""

    at: float
    direction: Direction
    message: Mapping[str, Any]
    answers: int | None


class LogRouter:
    """Writes the lines of one process into the logs of its sessions.

    A line that names a session goes to the log that is bound to it; one that nobody is bound to
    yet waits, for agents send updates before they answer ``session/new``. Lines of the process as
    a whole go to all its sessions, and one that joins later gets the handshake too: so each log
    tells its whole story alone.
    """

    def __init__(self) -> None:
        self._joined: list[SessionLog] = []
        self._bound: dict[str, SessionLog] = {}
        self._early: dict[str, deque[tuple[float, Mapping[str, Any]]]] = {}
        self._handshake: list[_Common] = []

    @property
    def joined(self) -> tuple[SessionLog, ...]:
        """The logs of the process's sessions, the newest last."""
        return tuple(self._joined)

    def join(self, log: SessionLog) -> None:
        """Let a session take part; it gets what was said before any session was."""
        if log in self._joined:
            return
        self._joined.append(log)
        marks: list[int] = []
        for line in self._handshake:
            number = next(log.sequence)
            marks.append(number)
            answered = None if line.answers is None else marks[line.answers]
            self._enter(
                log, TrafficEntry(number, line.at, line.direction, dict(line.message), answered)
            )

    def leave(self, log: SessionLog) -> None:
        """Write nothing into a log any more."""
        self._joined = [joined for joined in self._joined if joined is not log]
        self._bound = {name: bound for name, bound in self._bound.items() if bound is not log}

    def bind(self, session_id: str, log: SessionLog) -> None:
        """Send the lines of the agent's session ``session_id`` to ``log``."""
        self._bound[session_id] = log
        for at, message in self._early.pop(session_id, ()):
            self._enter(log, TrafficEntry(next(log.sequence), at, "<", dict(message)))

    def log_of(self, message: Mapping[str, Any]) -> SessionLog | None:
        """Return the log of the session that a message of the agent names.

        A message that names none belongs to the session that joined last: agents that leave the
        id out have one session.
        """
        named = session_named(message)
        if named:
            return self._bound.get(named)
        return self._joined[-1] if self._joined else None

    def update(self, message: dict[str, Any], raw: str = "") -> None:
        """Write a ``session/update``; one for an unknown session is kept until that joins."""
        log = self.log_of(message)
        if log is not None:
            self._bind_child(message, log)
            self._enter(log, TrafficEntry(next(log.sequence), time.time(), "<", message, raw=raw))
            return
        named = session_named(message)
        if named not in self._early and len(self._early) >= _EARLY_SESSIONS:
            return
        waiting = self._early.setdefault(named, deque(maxlen=_EARLY_LINES))
        waiting.append((time.time(), message))

    def _bind_child(self, message: Mapping[str, Any], log: SessionLog) -> None:
        """Let the lines of a child session go to its parent's log. ACP: subagent_update.

        An id that is bound stays where it is: an agent can't move another session's lines.
        """
        update = obj(obj(message.get("params")).get("update"))
        if update.get("sessionUpdate") != SUBAGENT_UPDATE:
            return
        child = update.get("sessionId")
        if isinstance(child, str) and child and child not in self._bound:
            children = sum(bound is log for bound in self._bound.values())
            if children <= _MAX_CHILDREN:
                self.bind(child, log)

    def write(
        self,
        direction: Direction,
        message: dict[str, Any],
        logs: Sequence[SessionLog],
        answers: Sequence[Mark] = (),
        raw: str = "",
    ) -> tuple[Mark, ...]:
        """Write a line into some logs."""
        at = time.time()
        asked = {id(mark.log): mark.seq for mark in answers}
        marks = []
        for log in logs:
            seq = next(log.sequence)
            self._enter(log, TrafficEntry(seq, at, direction, message, asked.get(id(log)), raw))
            marks.append(Mark(log, seq))
        return tuple(marks)

    def remember_handshake(self, direction: Direction, message: dict[str, Any]) -> None:
        """Keep a line of the handshake for sessions that join later."""
        answers = len(self._handshake) - 1 if direction == "<" and self._handshake else None
        self._handshake.append(_Common(time.time(), direction, message, answers))

    def _enter(self, log: SessionLog, entry: TrafficEntry) -> None:
        try:
            log.enter(entry)
        except Exception:
            _logger.exception("A line of the agent could not be taken in (seq %s)", entry.seq)


def session_named(message: Mapping[str, Any]) -> str:
    """Return the session id in a message of the agent, or an empty string.

    A message to an MCP server names that instead, which is bound like a session.
    """
    params = obj(message.get("params"))
    if message.get("method") == "mcp/message":
        named = first(params, "serverId", "server_id")
    else:
        named = first(params, "sessionId", "session_id")
    return named if isinstance(named, str) else "" if named is None else str(named)
