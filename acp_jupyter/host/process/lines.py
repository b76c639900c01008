"""Lines of a process's output.

The length of a line is limited: a longer one is dropped, and its length reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OverlongLine:
    """A line that was dropped because it is longer than the limit."""

    size: int
    start: bytes


class LineSplitter:
    """Splits chunks at newlines and never holds more than ``limit`` bytes."""

    _START_BYTES = 200

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._start = b""

    def feed(self, chunk: bytes) -> Iterator[bytes | OverlongLine]:
        """Yield the lines that end in ``chunk``."""
        *whole, rest = chunk.split(b"\n")
        if whole:
            self._extend(whole[0])
            yield from self.finish()
        for piece in whole[1:]:
            if len(piece) > self._limit:
                yield OverlongLine(len(piece), piece[: self._START_BYTES])
            elif piece:
                yield piece
        self._extend(rest)

    def finish(self) -> Iterator[bytes | OverlongLine]:
        """Yield the last line if it has no newline."""
        if self._size > self._limit:
            yield OverlongLine(self._size, self._start)
        elif self._size:
            yield b"".join(self._parts)
        self._parts = []
        self._size = 0
        self._start = b""

    def _extend(self, piece: bytes) -> None:
        if not piece:
            return
        if len(self._start) < self._START_BYTES:
            self._start += piece[: self._START_BYTES - len(self._start)]
        self._size += len(piece)
        if self._size > self._limit:
            self._parts = []
        else:
            self._parts.append(piece)
