"""Imports a log: `survey` looks at the whole log, then `read_import` reads it line by line.

Nothing is dropped silently: a line that can't be imported becomes a `LogProblem`, and the rest is
imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from acp_jupyter.dialects.claude_import import ClaudeImport
from acp_jupyter.dialects.import_dialects import DIALECT_WORDS, Dialect, kind_of, likely_dialect
from acp_jupyter.dialects.import_traffic import TrafficFacts, TrafficImport, survey_traffic
from acp_jupyter.dialects.import_turns import (
    AFTER_TURN,
    IN_TURN,
    EntryWriter,
    ImplicitTurns,
    as_blocks,
)
from acp_jupyter.dialects.onyx.event_stream import is_framed, unframed
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.log_json import LogProblem, LogValue, read_values
from acp_jupyter.protocol.objects import obj, text
from acp_jupyter.protocol.parse.packet import packet_name, read_timestamp
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.version_2 import in_version_1


@dataclass(frozen=True, slots=True)
class ImportedEntry:
    """A line of the new session, and the log's line that it came from."""

    line: int
    entry: TrafficEntry


def read_import(
    lines: Iterable[bytes | str], facts: LogFacts, sequence: Iterator[int], start: float
) -> Iterator[ImportedEntry | LogProblem]:
    """Yield a log's lines, converted to lines of a session; never raise."""
    counted = _Counted(unframed(lines) if facts.framed else lines)
    writer = EntryWriter(sequence, start)
    if facts.dialect == "traffic":
        found = _traffic(counted, facts, writer, start)
    else:
        reader = (
            ClaudeImport(writer, facts.session or "imported")
            if facts.dialect == "claude-cli"
            else PacketImport(writer)
        )
        found = _objects(counted, facts, reader)
    for each in found:
        yield ImportedEntry(counted.line, each) if isinstance(each, TrafficEntry) else each


class _Counted:
    """Counts the lines that were read."""

    def __init__(self, lines: Iterable[bytes | str]) -> None:
        self.line = 0
        self._lines = lines

    def __iter__(self) -> Iterator[bytes | str]:
        for self.line, line in enumerate(self._lines, 1):  # noqa: B020 - the count is the point
            yield line


def _traffic(
    lines: _Counted, facts: LogFacts, writer: EntryWriter, start: float
) -> Iterator[TrafficEntry | LogProblem]:
    reader = TrafficImport(writer, facts.session, own=facts.own, prompts=facts.prompts)
    for found in in_version_1(read_log(lines, start)):
        if isinstance(found, LogProblem):
            yield found
        else:
            yield from reader.read(found)
    yield from reader.finish()


def _objects(
    lines: _Counted, facts: LogFacts, reader: ClaudeImport | PacketImport
) -> Iterator[TrafficEntry | LogProblem]:
    for found in read_values(lines):
        if isinstance(found, LogProblem):
            yield found
            continue
        wrong = _wrong(found.value, facts)
        if wrong:
            yield LogProblem(found.line, wrong)
            continue
        for written in reader.read(found.value):
            yield LogProblem(found.line, written) if isinstance(written, str) else written
    yield from reader.finish()


def _wrong(value: Any, facts: LogFacts) -> str:
    """Return why a value doesn't belong to this log, in words; empty if it does."""
    if not isinstance(value, dict):
        return "This is not a JSON object."
    kind = kind_of(value)
    if (
        kind is None
        or kind == facts.dialect
        or (not facts.named and {kind, facts.dialect} == {"packets", "build-mode"})
    ):
        return ""
    return f"This line is of {DIALECT_WORDS[kind]}, not of {DIALECT_WORDS[facts.dialect]}."


LogSource = Callable[[], Iterable[bytes | str]]
"""Gives the lines of a log from its beginning, each time it is called."""

_SAMPLE_LINES = 1000
_ABSOLUTE = re.compile(r"(?:/|[A-Za-z]:[\\/]|\\\\).{1,4095}", re.DOTALL)
_NAME_CHARS = 60


@dataclass(frozen=True, slots=True)
class LogFacts:
    """A log as a whole.

    Attributes
    ----------
    dialect
        How it is read.
    looks_like
        The dialect of its first lines; None if they are not recognised.
    named
        Whether the caller chose the dialect.
    framed
        Whether it is a capture of an event stream.
    agent_name
        The agent's name in the log, or empty.
    cwd
        The agent's folder, an absolute path on its machine; or empty.
    session
        The protocol's id of the session that is read.
    others
        The other sessions of the log that have prompts.
    own
        Whether it has a host's notes about its turns.
    prompts
        Whether it has prompts.
    """

    dialect: Dialect
    likely_dialect: Dialect | None
    named: bool = False
    framed: bool = False
    agent_name: str = ""
    cwd: str = ""
    session: str = ""
    others: tuple[str, ...] = ()
    own: bool = False
    prompts: bool = False


def survey(lines: LogSource, dialect: Dialect | None = None, session: str = "") -> LogFacts | None:
    """Survey a log; return None if its kind is unknown.

    Parameters
    ----------
    dialect
        How to read it; by default the detected dialect.
    session
        Which session of it, by the protocol's id; otherwise the one with most lines.
    """
    framed = is_framed(lines())
    plain = (lambda: unframed(lines())) if framed else lines
    looks_like = likely_dialect(plain())
    read_as = dialect or looks_like
    if read_as is None:
        return None
    named = dialect is not None
    match read_as:
        case "traffic":
            return _of_traffic(survey_traffic(plain()), looks_like, session, named, framed)
        case "claude-cli":
            return _of_claude(plain(), looks_like, named, framed)
        case "packets" | "build-mode":
            return LogFacts(read_as, looks_like, named, framed)


def _of_traffic(
    found: TrafficFacts, likely_dialect: Dialect | None, session: str, named: bool, framed: bool
) -> LogFacts:
    wanted = "" if found.own else session if session in found.sessions else found.largest()
    chosen = found.sessions.get(wanted)
    others = () if found.own else _prompted(found, wanted)
    return LogFacts(
        "traffic",
        likely_dialect,
        named,
        framed,
        agent_name=found.agent_name[:_NAME_CHARS],
        cwd=_folder(found.cwd or (chosen.cwd if chosen else "")),
        session=wanted,
        others=others,
        own=found.own,
        prompts=chosen is not None and chosen.prompts > 0,
    )


def _prompted(found: TrafficFacts, wanted: str) -> tuple[str, ...]:
    return tuple(name for name, facts in found.sessions.items() if facts.prompts and name != wanted)


def _of_claude(
    lines: Iterable[bytes | str], looks_like: Dialect | None, named: bool, framed: bool
) -> LogFacts:
    session = cwd = ""
    for found in islice(read_values(lines), _SAMPLE_LINES):
        value = obj(found.value) if isinstance(found, LogValue) else {}
        session = session or text(value.get("session_id"))
        cwd = cwd or text(value.get("cwd"))
        if session and cwd:
            break
    return LogFacts(
        "claude-cli",
        looks_like,
        named,
        framed,
        agent_name="Claude CLI",
        cwd=_folder(cwd),
        session=session,
    )


def _folder(cwd: str) -> str:
    return cwd if _ABSOLUTE.fullmatch(cwd) else ""


_ENDS = frozenset({"prompt_response", "done"})
_USER = frozenset({"user_message_chunk", "user_message"})


class PacketImport:
    """Assigns packets to turns; the packets don't change."""

    def __init__(self, writer: EntryWriter) -> None:
        self._writer = writer
        self._turns = ImplicitTurns(writer)
        self._failed = False

    def read(self, packet: dict[str, Any]) -> Iterator[TrafficEntry | str]:
        """Yield the lines for a packet, or in words what is wrong with it."""
        own_time = read_timestamp(packet.get("timestamp"))
        self._writer.at = self._writer.at if own_time is None else own_time
        name = packet_name(packet)
        failed, self._failed = self._failed, name == "error"
        if name in _USER:
            for block in as_blocks(packet.get("content")):
                yield from self._turns.add_prompt(block)
            return
        if name in IN_TURN or name == "error" or (name in AFTER_TURN and not self._turns.any_yet):
            yield from self._turns.begin()
        elif name in _ENDS:
            yield from self._turns.finish()
            if not (self._turns.is_open or failed):
                yield "This ends a turn, and none is running."
        yield self._writer.line("!", {"note": "imported_packet", "packet": packet})
        if name in _ENDS or name == "error":
            self._turns.ended()

    def finish(self) -> Iterator[TrafficEntry]:
        """Yield the entries that are still missing when the log ends."""
        yield from self._turns.finish()
