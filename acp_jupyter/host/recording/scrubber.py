"""Scrubs a recording: removes secrets, and this machine's paths and user names."""

from __future__ import annotations

import getpass
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from acp_jupyter.host.recording.recording_file import FIRST_KEY
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.redactor import Redactor, Scrubber

WORKSPACE = "/workspace"
"""Stand-in for the session's folder."""

_HOMES = re.compile(
    r"(?<![\w.~-])(?:/(?:home|Users)/|[A-Za-z]:\\{1,2}Users\\{1,2})[^/\\\s\"':,;)]+"
)
_COMMON_USER_NAMES = re.compile(
    "admin|agent|debian|demo|docker|guest|jenkins|jovyan|jupyter|jupyterhub|master|nobody|notebook"
    "|python|root|runner|service|student|teacher|test|ubuntu|user|vagrant|vscode|workspace",
    re.IGNORECASE,
)
"""Account names that identify nobody, and may be ordinary words of a text."""
_MIN_USER_CHARS = 3
_MIN_WORD_CHARS = 6
"""A shorter user name may be an ordinary word, e.g. ``max`` in a program."""
_SYSTEM = frozenset({"/", "/usr", "/usr/local", "/opt"})
_CHUNKS = frozenset({"agent_message_chunk", "agent_thought_chunk", "user_message_chunk"})
_OPENINGS = frozenset({"session/new", "session/load", "session/resume", "session/fork"})


class RecordingScrubber:
    """Replaces secrets, paths and user names in a recording.

    The session's folder becomes `WORKSPACE`, the home folder ``~``; other folders of this machine
    and the user's name get stand-ins; the redactor removes secrets.

    Parameters
    ----------
    scrubber
        Knows secrets and folders.
    user
        Name of the account.
    """

    def __init__(self, scrubber: Scrubber, user: str) -> None:
        self._scrubber = scrubber
        self._user = _user_pattern(user)

    @classmethod
    def of_machine(cls, cwd: Path, root: Path, redactor: Redactor) -> Self:
        """Return a scrubber for a session in ``cwd`` below the host's ``root``."""
        above = os.path.relpath(root, cwd).replace(os.sep, "/")
        home = str(Path.home())
        places = {
            str(root): f"{WORKSPACE}/{above}",
            str(Path(__file__).parents[2]): "/site-packages",
            sys.prefix: "/python",
            tempfile.gettempdir(): "/tmp",  # noqa: S108 - a word, not a file
        }
        known = {path: name for path, name in places.items() if path not in {*_SYSTEM, home}}
        return cls(Scrubber(str(cwd), home, redactor, stand_in=WORKSPACE, paths=known), _user())

    def text(self, value: str) -> str:
        """Return a text, scrubbed."""
        value = _HOMES.sub("~", self._scrubber.text(value))
        return value if self._user is None else self._user.sub("user", value)

    def value(self, value: Any) -> Any:
        """Return a JSON value, scrubbed, keys included."""
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {self.text(str(key)): self.value(item) for key, item in value.items()}
            case list() | tuple():
                return [self.value(item) for item in value]
            case _:
                return value


def recording_text(entries: Iterable[TrafficEntry], scrubber: RecordingScrubber) -> str:
    """Return the recording of a session, from the entries of its log."""
    lines = [_Line(entry) for entry in entries]
    for run in _runs(lines):
        _scrub_together(run, scrubber)
    return "".join(f"{line.encode(scrubber, n == 0)}\n" for n, line in enumerate(lines))


@dataclass(slots=True)
class _Line:
    """A line of the log that is written into the recording."""

    entry: TrafficEntry
    text: str | None = field(init=False)
    """Text of a chunk; None for other lines."""

    def __post_init__(self) -> None:
        content = self._update.get("content")
        text = content.get("text") if isinstance(content, Mapping) else None
        is_chunk = self.kind in _CHUNKS and isinstance(text, str)
        self.text = text if is_chunk else None

    @property
    def _update(self) -> Mapping[str, Any]:
        params = self.entry.message.get("params")
        update = params.get("update") if isinstance(params, Mapping) else None
        return update if isinstance(update, Mapping) else {}

    @property
    def kind(self) -> str:
        return str(self._update.get("sessionUpdate", ""))

    @property
    def ends_runs(self) -> bool:
        """Whether text before this line does not continue after it."""
        return self.kind == "tool_call" or "result" in self.entry.message

    def encode(self, scrubber: RecordingScrubber, first: bool) -> str:
        entry = self.entry
        record: dict[str, Any] = {FIRST_KEY: 1} if first else {}
        record |= {"seq": entry.seq, "t": round(entry.t, 4), "d": entry.direction}
        if entry.re is not None:
            record["re"] = entry.re
        message = _without_servers(self._message())
        record["m"] = scrubber.value(_without_names(message) if entry.direction == "!" else message)
        return json.dumps(record, ensure_ascii=False, separators=(",", ":"))

    def _message(self) -> Mapping[str, Any]:
        message = self.entry.message
        if self.text is None:
            return message
        content = {**self._update["content"], "text": self.text}
        update = {**self._update, "content": content}
        return {**message, "params": {**message["params"], "update": update}}


def _without_servers(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Remove the session's MCP servers: they name commands, sockets and keys."""
    params = message.get("params")
    if message.get("method") not in _OPENINGS or not isinstance(params, Mapping):
        return message
    return {**message, "params": {**params, "mcpServers": []}}


def _without_names(note: Mapping[str, Any]) -> Mapping[str, Any]:
    """Remove the name of the user who answered."""
    return {name: value for name, value in note.items() if name not in {"user", "told"}}


def _runs(lines: Iterable[_Line]) -> Iterator[list[_Line]]:
    """Yield runs of chunks that form one text."""
    run: list[_Line] = []
    for line in lines:
        goes_on = line.text is not None and run and line.kind == run[0].kind
        if run and not goes_on and (line.text is not None or line.ends_runs):
            yield run
            run = []
        if line.text is not None:
            run.append(line)
    if run:
        yield run


def _scrub_together(run: list[_Line], scrubber: RecordingScrubber) -> None:
    """Replace names that are spread over chunks; the replacement goes into the first."""
    texts = [line.text or "" for line in run]
    whole = scrubber.text("".join(texts))
    if whole != "".join(map(scrubber.text, texts)):
        for line in run:
            line.text = ""
        run[0].text = whole


def _user_pattern(user: str) -> re.Pattern[str] | None:
    """Return a pattern for the user's name: a short one counts only where it is surely a name."""
    if len(user) < _MIN_USER_CHARS or _COMMON_USER_NAMES.fullmatch(user):
        return None
    name = re.escape(user)
    is_word = len(user) < _MIN_WORD_CHARS or user in sys.stdlib_module_names
    if not is_word:
        return re.compile(rf"(?<!\w){name}(?!\w)")
    return re.compile(
        rf"(?<=[/\\~]){name}(?!\w)|(?<![\w.-]){name}(?=@)|\A\s*{name}\s*\Z"
        rf"|(?<=[rwx-] \d ){name}(?= )"
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
