"""What a command puts out: its end for the agent, its course for the log."""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import Callable

from acp_jupyter.host.limits import Limits
from acp_jupyter.protocol.host_events.workspace import TerminalOutput

__all__ = ["OutputNotes", "Tail", "Utf8"]

_SLACK_BYTES = 16 * 1024


class Utf8:
    """Bytes in pieces that may split a character, as text."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, data: bytes, *, final: bool = False) -> str:
        """Return the characters that are complete."""
        return self._decoder.decode(data, final)


class Tail:
    """The newest text, cut at a character so that it has no more than some bytes of UTF-8."""

    def __init__(self, limit: int) -> None:
        self.truncated = False
        """Whether something was cut off."""
        self._limit = limit
        self._data = bytearray()

    def add(self, text: str) -> None:
        """Append; costs as much as the piece, on the whole."""
        self._data += text.encode("utf-8", "replace")
        if len(self._data) > self._limit + max(_SLACK_BYTES, self._limit // 4):
            self._cut()

    def text(self) -> str:
        """Return what is kept."""
        self._cut()
        return self._data.decode()

    def _cut(self) -> None:
        start = len(self._data) - self._limit
        if start <= 0:
            return
        while start < len(self._data) and self._data[start] & 0xC0 == 0x80:
            start += 1  # within a character
        del self._data[:start]
        self.truncated = True


class OutputNotes:
    """Writes a terminal's output into the log: soon, in few notes, and not for ever.

    Parameters
    ----------
    terminal_id
        Whose output it is.
    write
        Takes a note.
    limits
        See `Limits`.
    """

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
        """Take some output."""
        if self._held_back is not None:
            self._held_back.add(text)
            self._held_back_chars += len(text)
            return
        self._pending.append(text)
        self._pending_size += len(text)
        if self._pending_size >= self._limits.terminal_note_bytes:
            self.flush()
        elif self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._limits.terminal_note_seconds, self.flush)

    def flush(self) -> None:
        """Write what waits."""
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
        """Write what waits, and the end of what was too much."""
        self.flush()
        if self._held_back is None:
            return
        rest = self._held_back.text()
        left_out = self._held_back_chars - len(rest)
        self._held_back, self._held_back_chars = Tail(self._limits.terminal_tail_bytes), 0
        if rest or left_out:
            self._write(TerminalOutput(terminal_id=self._id, text=rest, left_out=left_out))
