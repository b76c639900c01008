"""The file of a recording, ``NAME.acp``: its path, reading, writing and scrubbing.

A recording contains no secrets, and no paths and user names of this machine.
`acp_jupyter.agents.replay` is the agent that plays one.
"""

from __future__ import annotations

import getpass
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from acp_jupyter.errors import BadRequest, FileRefused, NotAllowed, RecordingMissing, plain_reason
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry_entries import IN_KERNEL
from acp_jupyter.host.workspace.confined_files import ConfinedFiles
from acp_jupyter.protocol.files import human_size
from acp_jupyter.protocol.host_events.notes import SessionOpened, read_note
from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.redactor import Redactor, Scrubber

FIRST_KEY = "record"
"""Key of a recording's first line; no other log has it."""

_NAME_CHARS = 100
_LINE_BYTES = 1024 * 1024
_AGENT_ID = re.compile(r"[a-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class RecordingFile:
    """A recording's file below the host's root. All methods block.

    Attributes
    ----------
    root
        The host's root folder: nothing outside it is read or written.
    path
        The file's path relative to ``root``, with forward slashes.
    """

    root: Path
    path: str
    limits: Limits

    @property
    def file(self) -> Path:
        """Return the file's absolute path."""
        return self.root / self.path

    def opening(self) -> SessionOpened | None:
        """Return the first line of the existing recording, None if there is no file."""
        try:
            line = self._first_line()
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise FileRefused(f"{self.path} can't be read: {plain_reason(error)}.") from error
        note = _opening(line)
        if note is None:
            raise FileRefused(
                f"{self.path} is not a recording of acp-jupyter: something else made it. "
                "Move it away, or name another folder: %acp record on NAME.acp"
            )
        return note

    def first_line(self, agent: str) -> SessionOpened:
        """Return the first line of the recording to play."""
        found = self.opening()
        if found is None:
            raise RecordingMissing(
                f"There is no recording of {agent} here ({self.path}). Record it first: type "
                "%acp record on, and run the cells with the agent."
            )
        return found

    def write(self, text: str) -> None:
        """Write the whole recording atomically."""
        self.opening()
        bound = replace(self.limits, file_bytes=self.limits.recording_bytes)
        ConfinedFiles(self.root, bound).write_text(self.path, text)

    def read(self) -> bytes:
        """Return the whole recording."""
        most = self.limits.recording_bytes
        try:
            with self._plain().open("rb") as opened:
                found = opened.read(most + 1)
        except OSError as error:
            raise FileRefused(f"{self.path} can't be read: {plain_reason(error)}.") from error
        if len(found) > most:
            raise FileRefused(f"{self.path} has more than {human_size(most)}.")
        return found

    def _first_line(self) -> bytes:
        with self._plain().open("rb") as opened:
            return opened.readline(_LINE_BYTES)

    def _plain(self) -> Path:
        file = self.file.resolve()
        if not file.is_relative_to(self.root.resolve()):
            raise NotAllowed(f"{self.path} is outside the server's root folder.")
        if file.exists() and not file.is_file():
            raise FileRefused(f"{self.path} is not a plain file.")
        return file


def recording_name(agent: str, label: str, number: int) -> str:
    """Return the file name of a session's recording.

    Parameters
    ----------
    number
        Number of the session for that agent and label, from 1; ``--new`` starts another.
    """
    agent = agent.removeprefix(IN_KERNEL)
    if not _AGENT_ID.fullmatch(agent):
        raise BadRequest(f"{agent!r} is not an agent's id.")
    name = agent + (f"@{quote(label, safe=' ')}" if label else "")
    if len(name) > _NAME_CHARS:
        raise BadRequest("The session's name is too long for a recording. Choose a shorter one.")
    return f"{name}{f'~{number}' if number > 1 else ''}.ndjson"


def _opening(line: bytes) -> SessionOpened | None:
    try:
        first = read_json(line.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(first, dict) or FIRST_KEY not in first:
        return None
    note = read_note(first.get("m"))
    return note if isinstance(note, SessionOpened) else None


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
"""Account names that don't identify a person, and may be ordinary words of a text."""
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
            str(Path(__file__).parents[1]): "/site-packages",
            sys.prefix: "/python",
            tempfile.gettempdir(): "/tmp",  # noqa: S108 - a word, not a file
        }
        known = {path: name for path, name in places.items() if path not in {*_SYSTEM, home}}
        return cls(Scrubber(str(cwd), home, redactor, stand_in=WORKSPACE, paths=known), _user())

    def text(self, value: str) -> str:
        """Return a text without secrets, paths and user names."""
        value = _HOMES.sub("~", self._scrubber.text(value))
        return value if self._user is None else self._user.sub("user", value)

    def value(self, value: Any) -> Any:
        """Return a scrubbed JSON value, keys included."""
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
    """A line of the log, for the recording."""

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
        """Whether a text ends at this line."""
        return self.kind == "tool_call" or "result" in self.entry.message

    def encode(self, scrubber: RecordingScrubber, first: bool) -> str:
        entry = self.entry
        fields: dict[str, Any] = {FIRST_KEY: 1} if first else {}
        fields |= {"seq": entry.seq, "t": round(entry.t, 4), "d": entry.direction}
        if entry.re is not None:
            fields["re"] = entry.re
        message = _without_servers(self._message())
        fields["m"] = scrubber.value(_without_names(message) if entry.direction == "!" else message)
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))

    def _message(self) -> Mapping[str, Any]:
        message = self.entry.message
        if self.text is None:
            return message
        content = {**self._update["content"], "text": self.text}
        update = {**self._update, "content": content}
        return {**message, "params": {**message["params"], "update": update}}


def _without_servers(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Remove the session's MCP servers, which contain commands, sockets and keys."""
    params = message.get("params")
    if message.get("method") not in _OPENINGS or not isinstance(params, Mapping):
        return message
    return {**message, "params": {**params, "mcpServers": []}}


def _without_names(note: Mapping[str, Any]) -> Mapping[str, Any]:
    """Remove the name of the user who answered."""
    names = {"user", "shown_name", "told"}  # "told" in logs of earlier versions
    return {name: value for name, value in note.items() if name not in names}


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
    """Replace names that span several chunks; the first chunk then gets the whole text."""
    texts = [line.text or "" for line in run]
    whole = scrubber.text("".join(texts))
    if whole != "".join(map(scrubber.text, texts)):
        for line in run:
            line.text = ""
        run[0].text = whole


def _user_pattern(user: str) -> re.Pattern[str] | None:
    """Return a pattern for the user's name; a short one matches only where it must be a name."""
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
