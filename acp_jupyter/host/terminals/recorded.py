"""Terminals of a session that is played from its record: nothing is run."""

from __future__ import annotations

import io
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from acp_jupyter.errors import TerminalRefused, UnknownTerminal
from acp_jupyter.host.file_changes.content import Scrubs
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.terminals.client import Allowed
from acp_jupyter.host.terminals.output import Tail
from acp_jupyter.host.terminals.state import TerminalExit, TerminalState
from acp_jupyter.host.traffic_log import read_entries
from acp_jupyter.protocol.host_events.notes import Note, read_note
from acp_jupyter.protocol.host_events.workspace import (
    EndedBy,
    TerminalExited,
    TerminalOutput,
    TerminalReleased,
    TerminalStarted,
)

__all__ = ["RecordedTerminals"]


@dataclass(slots=True)
class _Recorded:
    started: TerminalStarted
    outputs: list[TerminalOutput] = field(default_factory=list)
    exited: TerminalExited | None = None


@dataclass(frozen=True, slots=True)
class _Played:
    tail: Tail
    exit: TerminalExit


class RecordedTerminals:
    """Answers as the terminals did when the record was made, and shows what they showed.

    A record may come from anyone: whoever plays it has not asked for its commands to be run.

    Parameters
    ----------
    note
        Writes a note into the session's log.
    scrubber
        What was done to the record, done to a command before it is looked up there.
    limits
        See `Limits`.
    """

    def __init__(self, note: Callable[[Note], None], scrubber: Scrubs, limits: Limits) -> None:
        self._note = note
        self._scrubber = scrubber
        self._limits = limits
        self._terminals: list[_Recorded] = []
        self._played: dict[str, _Played] = {}

    def load(self, recording: bytes) -> None:
        """Read a record; blocks. What can't be read holds no terminals."""
        self._terminals = list(_terminals(recording))

    async def create(
        self,
        command: str,
        args: Sequence[str] = (),
        cwd: str | None = None,
        env: Iterable[tuple[str, str]] = (),
        output_bytes: int | None = None,
        allowed: Allowed | None = None,
    ) -> str:
        """Play the first such command that was not played yet; all of it comes at once.

        Raises
        ------
        TerminalRefused
            The record has none.
        """
        asked = {self._scrubber.text(line) for line in _lines(command, args)}
        found = next((r for r in self._terminals if r.started.command in asked), None)
        if found is None:
            raise TerminalRefused("No command is run while a record is played.")
        self._terminals.remove(found)
        most = self._limits.terminal_bytes
        kept = Tail(most if output_bytes is None else max(0, min(most, output_bytes)))
        terminal_id = found.started.terminal_id
        self._note(found.started)
        for output in found.outputs:
            self._note(output)
            kept.add(output.text)
        ended = found.exited or TerminalExited(terminal_id=terminal_id)
        self._note(ended)
        self._played[terminal_id] = _Played(
            kept, TerminalExit(ended.exit_code, ended.signal or None)
        )
        return terminal_id

    def output(self, terminal_id: str) -> TerminalState:
        """ACP: terminal/output."""
        played = self._find(terminal_id)
        text = played.tail.text()
        return TerminalState(text, played.tail.truncated, played.exit)

    async def wait(self, terminal_id: str) -> TerminalExit:
        """ACP: terminal/wait_for_exit."""
        return self._find(terminal_id).exit

    async def kill(self, terminal_id: str, by: EndedBy = "agent") -> None:
        """ACP: terminal/kill."""
        self._find(terminal_id)

    async def release(self, terminal_id: str) -> None:
        """ACP: terminal/release."""
        self._find(terminal_id)
        del self._played[terminal_id]
        self._note(TerminalReleased(terminal_id=terminal_id))

    def _find(self, terminal_id: str) -> _Played:
        played = self._played.get(terminal_id)
        if played is None:
            raise UnknownTerminal(f"There is no terminal {terminal_id!r} in this session.")
        return played


def _lines(command: str, args: Sequence[str]) -> Iterator[str]:
    """Yield how a command may have been written down, run by a shell or not."""
    yield shlex.join([command, *args])
    yield " ".join([command, *map(shlex.quote, args)])


def _terminals(recording: bytes) -> Iterator[_Recorded]:
    """Yield the terminals of a record in order, each with all that it put out."""
    found: dict[str, _Recorded] = {}
    for entry in read_entries(io.BytesIO(recording)):
        if entry.direction != "!":
            continue
        note = read_note(dict(entry.message))
        if isinstance(note, TerminalStarted):
            found[note.terminal_id] = _Recorded(note)
        elif isinstance(note, TerminalOutput) and note.terminal_id in found:
            found[note.terminal_id].outputs.append(note)
        elif isinstance(note, TerminalExited) and note.terminal_id in found:
            found[note.terminal_id].exited = note
    yield from found.values()
