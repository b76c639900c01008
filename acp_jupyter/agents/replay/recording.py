"""`Recording`: what a recorded agent did, by sessions, parts and steps; its paths and ids.

A recording contains the folder and the ids of the recorded session; `Localiser` replaces them by
those of the session that replays it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from acp_jupyter.protocol.host_events.session import (
    FileChange,
    FileWritten,
    TerminalExited,
    TerminalOutput,
    TerminalStarted,
)
from acp_jupyter.protocol.log_json import LogProblem

Object: TypeAlias = Mapping[str, Any]
TerminalNote: TypeAlias = TerminalStarted | TerminalOutput | TerminalExited


@dataclass(frozen=True, slots=True)
class Send:
    """The agent sent a notification."""

    at: float
    message: Object
    stands_in: bool = False
    """Whether it replaces a command that is not run again."""

    @property
    def update(self) -> Object:
        """The session update's type; empty for another notification."""
        params = self.message.get("params")
        update = params.get("update") if isinstance(params, Mapping) else None
        return update if isinstance(update, Mapping) else {}


@dataclass(slots=True)
class AgentRequest:
    """The agent sent a request."""

    at: float
    seq: int
    message: Object
    answer: Object | None = None
    """The client's recorded response."""
    written: FileWritten | None = None
    """The client's note about a file that it wrote."""

    @property
    def method(self) -> str:
        """The request's method."""
        return str(self.message["method"])

    @property
    def params(self) -> Object:
        """The request's parameters."""
        params = self.message.get("params")
        return params if isinstance(params, Mapping) else {}


@dataclass(frozen=True, slots=True)
class Answered:
    """The client answered the request ``seq``; the agent had the response from here on."""

    at: float
    seq: int


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The client cancelled the turn."""

    at: float


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """The agent answered the request that began the part."""

    at: float
    message: Object


Step = Send | AgentRequest | Answered | Cancelled | RecordedReply


@dataclass(frozen=True, slots=True)
class TerminalOutputNote:
    """The client's note about a command that it ran, before the step at ``place``."""

    at: float
    step: int
    note: TerminalNote


@dataclass(slots=True)
class Part:
    """A request of the client, and what the agent did until the next one.

    Attributes
    ----------
    kind
        Whether it opens a session, is a prompt, or anything else between two turns.
    files
        What the turn did to files, as the client noted it.
    terminal_notes
        What the commands that it ran did.
    """

    kind: Literal["open", "prompt", "other"]
    method: str
    params: Object
    at: float
    turn_id: str = ""
    steps: list[Step] = field(default_factory=list)
    files: tuple[FileChange, ...] = ()
    terminal_notes: list[TerminalOutputNote] = field(default_factory=list)

    @property
    def reply(self) -> RecordedReply | None:
        """The agent's recorded response; None if there is none."""
        return next((step for step in self.steps if isinstance(step, RecordedReply)), None)


@dataclass(slots=True)
class RecordedSession:
    """A session's parts in order."""

    id: str
    cwd: str = ""
    ids: set[str] = field(default_factory=set)
    """All its ids: a restarted agent may give another."""
    parts: list[Part] = field(default_factory=list)

    @property
    def prompts(self) -> int:
        """How many prompts were recorded."""
        return sum(part.kind == "prompt" for part in self.parts)


OPENINGS = frozenset({"session/new", "session/load", "session/resume", "session/fork"})


class RecordingError(Exception):
    """A log that can't be played; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A request that opened a session, or failed to."""

    part: Part
    session: RecordedSession | None


@dataclass(slots=True)
class Recording:
    """Everything that the agent of a log did.

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
        """Where the log could not be read, as text; empty if all of it could."""
        if not self.problems:
            return ""
        first = self.problems[0]
        return f"{self.path}, line {first.line}: {first.message}"


_SEPARATOR = r"[\\/]+"
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_SESSION_KEYS = frozenset({"sessionId", "session_id"})
_TERMINAL_KEYS = frozenset({"terminalId", "terminal_id"})
_PATH_BEFORE = r"(?<![\w.\-~\\/])"
_FILE_URI = r"(?<=file://)"
_PATH_AFTER = r"(?![\w\-~%]|\.\w)"
_TAIL = r"(?:[\\/]+[\w.+@~\-]+)*[\\/]*"


class Localiser:
    """Replaces folder and ids in what the recorded agent sent.

    Parameters
    ----------
    recorded_cwd, live_cwd
        The folder is replaced as a path of its own or at the beginning of a longer one; a name
        that only begins like it stays.
    """

    def __init__(
        self, recorded_cwd: str, live_cwd: str, recorded_ids: Iterable[str], live_id: str
    ) -> None:
        self._cwd = _pattern(recorded_cwd) if recorded_cwd != live_cwd else None
        self._backslashes = bool(_WINDOWS.match(recorded_cwd)) and not _WINDOWS.match(live_cwd)
        self._recorded_cwd = recorded_cwd
        self._live_cwd = live_cwd.rstrip("\\/") or live_cwd
        self._sessions = dict.fromkeys(recorded_ids, live_id)
        self.terminals: dict[str, str] = {}
        """From recorded to live ids."""

    def reversed(self) -> Localiser:
        """Return the reverse: it puts the recorded folder in place of the live one."""
        return Localiser(self._live_cwd, self._recorded_cwd, (), "")

    def value(self, value: Any, key: str = "") -> Any:
        """Return a JSON value with the replacements; ``key`` is its key."""
        match value:
            case str():
                if key in _SESSION_KEYS:
                    return self._sessions.get(value, value)
                if key in _TERMINAL_KEYS:
                    return self.terminals.get(value, value)
                return self.text(value)
            case Mapping():
                return {self.text(name): self.value(item, name) for name, item in value.items()}
            case list():
                return [self.value(item) for item in value]
            case _:
                return value

    def text(self, text: str) -> str:
        """Return ``text`` with the live folder in place of the recorded one."""
        return text if self._cwd is None else self._cwd.sub(self._path, text)

    def _path(self, found: re.Match[str]) -> str:
        tail = found["tail"]
        return self._live_cwd + (re.sub(r"\\+", "/", tail) if self._backslashes else tail)


def _pattern(cwd: str) -> re.Pattern[str] | None:
    """Return a pattern for ``cwd``; None for a root, which begins every path."""
    parts = [part for part in re.split(_SEPARATOR, cwd) if part]
    is_windows = bool(_WINDOWS.match(cwd))
    if len(parts) < 1 + is_windows:
        return None
    if is_windows:
        path = _SEPARATOR.join(re.escape(part) for part in parts)
        if cwd.startswith("\\\\"):
            path = r"\\\\+" + path
    else:
        path = "/" + "/".join(re.escape(part) for part in parts)
    tail = _TAIL if is_windows else ""
    flags = re.IGNORECASE if is_windows else re.NOFLAG
    return re.compile(rf"(?:{_PATH_BEFORE}|{_FILE_URI}){path}{_PATH_AFTER}(?P<tail>{tail})", flags)
