"""Output of terminals: collected while a command runs, or played from a recording.

The agent gets the end of the output, within its own limit; the log gets the output in parts. In a
session that is played from a recording no command runs.
"""

from __future__ import annotations

import asyncio
import codecs
import io
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from acp_jupyter.errors import TerminalRefused, UnknownTerminal
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.log_reader import read_entries
from acp_jupyter.host.workspace.changed_files import TextScrubber
from acp_jupyter.host.workspace.terminal_process import Allowed, TerminalExit, TerminalState
from acp_jupyter.protocol.host_events.notes import Note, read_note
from acp_jupyter.protocol.host_events.session import (
    EndedBy,
    TerminalExited,
    TerminalOutput,
    TerminalReleased,
    TerminalStarted,
)

_SLACK_BYTES = 16 * 1024
KEPT_BYTES = 1024 * 1024
"""Newest output that is kept for the agent, unless it sets a smaller limit."""
_NOTE_BYTES = 8 * 1024
"""Size from which output is logged at once."""
_NOTE_SECONDS = 0.05
"""Time that less output waits for more."""


class Utf8:
    """Incremental UTF-8 decoder for pieces that may split a character."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, data: bytes, *, final: bool = False) -> str:
        """Return the complete characters."""
        return self._decoder.decode(data, final)


class Tail:
    """The end of a text, at most ``limit`` bytes of UTF-8, cut between characters."""

    def __init__(self, limit: int) -> None:
        self.truncated = False
        """Whether text was cut off."""
        self._limit = limit
        self._data = bytearray()

    def add(self, text: str) -> None:
        """Append text, at the amortised cost of the new piece."""
        self._data += text.encode("utf-8", "replace")
        if len(self._data) > self._limit + max(_SLACK_BYTES, self._limit // 4):
            self._cut()

    def text(self) -> str:
        """Return the kept text."""
        self._cut()
        return self._data.decode()

    def _cut(self) -> None:
        start = len(self._data) - self._limit
        if start <= 0:
            return
        while start < len(self._data) and self._data[start] & 0xC0 == 0x80:
            start += 1  # a continuation byte
        del self._data[:start]
        self.truncated = True


class OutputNotes:
    """Writes a terminal's output into the log, in batches and up to a limit."""

    def __init__(
        self, terminal_id: str, write: Callable[[TerminalOutput], None], limits: Limits
    ) -> None:
        self._id = terminal_id
        self._write = write
        self._limits = limits
        self._room = limits.terminal_log_bytes
        self._pending: list[str] = []
        self._pending_size = 0
        self._timer: asyncio.TimerHandle | None = None
        self._held_back: Tail | None = None
        self._held_back_chars = 0

    def add(self, text: str) -> None:
        """Add output."""
        if self._held_back is not None:
            self._held_back.add(text)
            self._held_back_chars += len(text)
            return
        self._pending.append(text)
        self._pending_size += len(text)
        if self._pending_size >= _NOTE_BYTES:
            self.flush()
        elif self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(_NOTE_SECONDS, self.flush)

    def flush(self) -> None:
        """Write the waiting output."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        text = "".join(self._pending)
        self._pending, self._pending_size = [], 0
        if not text:
            return
        shown = text[: max(0, self._room)]
        self._room -= len(shown)
        if len(shown) < len(text):
            self._held_back = Tail(self._limits.terminal_tail_bytes)
            self._held_back_chars = len(text) - len(shown)
            self._held_back.add(text[len(shown) :])
        cut = self._held_back is not None
        self._write(TerminalOutput(terminal_id=self._id, text=shown, cut=cut))

    def finish(self) -> None:
        """Write the waiting output, and the end of output beyond the limit."""
        self.flush()
        if self._held_back is None:
            return
        rest = self._held_back.text()
        left_out = self._held_back_chars - len(rest)
        self._held_back, self._held_back_chars = Tail(self._limits.terminal_tail_bytes), 0
        if rest or left_out:
            self._write(TerminalOutput(terminal_id=self._id, text=rest, left_out=left_out))


@dataclass(slots=True)
class _RecordedTerminal:
    started: TerminalStarted
    outputs: list[TerminalOutput] = field(default_factory=list)
    exited: TerminalExited | None = None


@dataclass(frozen=True, slots=True)
class _PlayedTerminal:
    tail: Tail
    exit: TerminalExit


class RecordedTerminals:
    """Plays the terminals of a recording; runs no command.

    A recording may come from anyone, so its commands must not run.

    Parameters
    ----------
    scrubber
        The recording's scrubber; scrubs a command before it is looked up.
    """

    def __init__(
        self, note: Callable[[Note], None], scrubber: TextScrubber, limits: Limits
    ) -> None:
        self._note = note
        self._scrubber = scrubber
        self._limits = limits
        self._terminals: list[_RecordedTerminal] = []
        self._played: dict[str, _PlayedTerminal] = {}

    def load(self, recording: bytes) -> None:
        """Read the terminals of a recording; blocks. An unreadable one has none."""
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
        """Play the first matching command that was not played yet, with all its output at once."""
        asked = {self._scrubber.text(line) for line in _lines(command, args)}
        found = next((r for r in self._terminals if r.started.command in asked), None)
        if found is None:
            raise TerminalRefused("No command runs while a recording is replayed.")
        self._terminals.remove(found)
        most = KEPT_BYTES
        tail = Tail(most if output_bytes is None else max(0, min(most, output_bytes)))
        terminal_id = found.started.terminal_id
        self._note(found.started)
        for output in found.outputs:
            self._note(output)
            tail.add(output.text)
        ended = found.exited or TerminalExited(terminal_id=terminal_id)
        self._note(ended)
        self._played[terminal_id] = _PlayedTerminal(
            tail, TerminalExit(ended.exit_code, ended.signal or None)
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

    def _find(self, terminal_id: str) -> _PlayedTerminal:
        played = self._played.get(terminal_id)
        if played is None:
            raise UnknownTerminal(f"There is no terminal {terminal_id!r} in this session.")
        return played


def _lines(command: str, args: Sequence[str]) -> Iterator[str]:
    """Yield the command lines under which a command may be recorded, with and without a shell."""
    yield shlex.join([command, *args])
    yield " ".join([command, *map(shlex.quote, args)])


def _terminals(recording: bytes) -> Iterator[_RecordedTerminal]:
    """Yield the terminals of a recording in order, each with its whole output."""
    found: dict[str, _RecordedTerminal] = {}
    for entry in read_entries(io.BytesIO(recording)):
        if entry.direction != "!":
            continue
        note = read_note(dict(entry.message))
        if isinstance(note, TerminalStarted):
            found[note.terminal_id] = _RecordedTerminal(note)
        elif isinstance(note, TerminalOutput) and note.terminal_id in found:
            found[note.terminal_id].outputs.append(note)
        elif isinstance(note, TerminalExited) and note.terminal_id in found:
            found[note.terminal_id].exited = note
    yield from found.values()
