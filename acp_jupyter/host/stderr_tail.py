"""The last lines of an agent's stderr, for the message that says why it failed."""

from __future__ import annotations

import re
from collections import deque

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.pipes import PipeReader
from acp_jupyter.transcript.redaction.redactor import Redactor

__all__ = ["StderrTail"]

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class StderrTail:
    """Bounded memory of what came last."""

    def __init__(self, limits: Limits, redactor: Redactor | None = None) -> None:
        self._redactor = redactor or Redactor()
        self._line_chars = limits.stderr_line_chars
        self._lines: deque[str] = deque(maxlen=limits.stderr_lines)
        self._open = bytearray()

    async def drain(self, reader: PipeReader) -> None:
        """Read until the end, always: an agent blocks on a full stderr pipe."""
        while chunk := await reader.read():
            self.feed(chunk)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            self._extend(piece)
            self._lines.append(self._clean(bytes(self._open)))
            self._open.clear()
        self._extend(rest)

    def lines(self) -> list[str]:
        """Return the last lines, without secrets, escape sequences and control characters."""
        last = [self._clean(bytes(self._open))] if self._open else []
        return [self._redactor.redact_text(line) for line in (*self._lines, *last) if line]

    def _extend(self, piece: bytes) -> None:
        # Four bytes are the longest UTF-8 character; the cut to characters comes with cleaning.
        room = 4 * self._line_chars - len(self._open)
        self._open += piece[: max(0, room)]

    def _clean(self, line: bytes) -> str:
        text = _ESCAPES.sub("", line.decode("utf-8", "replace"))
        return _CONTROLS.sub("", text).rstrip()[: self._line_chars]
