"""Logs of any kind as the lines of a session: looked at once, then read line by line.

Nothing is dropped silently: what can't be taken is a `LogProblem` with its line, and the rest is
imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from acp_jupyter.packets.dialects.imports.claude import ClaudeImport
from acp_jupyter.packets.dialects.imports.facts import LogFacts
from acp_jupyter.packets.dialects.imports.kinds import DIALECT_WORDS, Dialect, kind_of
from acp_jupyter.packets.dialects.imports.packets import PacketImport
from acp_jupyter.packets.dialects.imports.sse import unframed
from acp_jupyter.packets.dialects.imports.traffic import TrafficImport
from acp_jupyter.packets.dialects.imports.writer import LineWriter
from acp_jupyter.packets.dialects.traffic_log.lines import read_values
from acp_jupyter.packets.dialects.traffic_log.log import LogProblem, read_log
from acp_jupyter.packets.traffic import TrafficEntry

__all__ = ["ImportedLine", "read_import"]


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """A line of the session that is made, and the log's line that it came from."""

    line: int
    entry: TrafficEntry


def read_import(
    lines: Iterable[bytes | str], facts: LogFacts, sequence: Iterator[int], start: float
) -> Iterator[ImportedLine | LogProblem]:
    """Yield a log's lines as those of a session; never raise.

    Parameters
    ----------
    lines
        The log.
    facts
        What `survey` said of it.
    sequence
        Numbers for the lines.
    start
        When the log began, for logs that do not say it. Seconds since the epoch.
    """
    counted = _Counted(unframed(lines) if facts.framed else lines)
    writer = LineWriter(sequence, start)
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
        yield ImportedLine(counted.line, each) if isinstance(each, TrafficEntry) else each


class _Counted:
    """Counts the lines that were taken."""

    def __init__(self, lines: Iterable[bytes | str]) -> None:
        self.line = 0
        self._lines = lines

    def __iter__(self) -> Iterator[bytes | str]:
        for self.line, line in enumerate(self._lines, 1):  # noqa: B020 - the count is the point
            yield line


def _traffic(
    lines: _Counted, facts: LogFacts, writer: LineWriter, start: float
) -> Iterator[TrafficEntry | LogProblem]:
    reader = TrafficImport(writer, facts.session, own=facts.own, prompts=facts.prompts)
    for found in read_log(lines, start):
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
    """Say in words why a value is not of this log; empty where it is."""
    if not isinstance(value, dict):
        return "This is no JSON object."
    kind = kind_of(value)
    if kind is None or kind == facts.dialect or (not facts.named and _related(kind, facts.dialect)):
        return ""
    return f"This line is of {DIALECT_WORDS[kind]}, not of {DIALECT_WORDS[facts.dialect]}."


def _related(one: Dialect, other: Dialect) -> bool:
    return {one, other} == {"packets", "build-mode"}
