"""Pipes to a process that may not read, or may die while others hold them open; and their lines.

The length of a line is limited: a longer one is dropped, and its length reported.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Self

_CHUNK_BYTES = 64 * 1024
_AFTER_EXIT_BYTES = 4 * 1024 * 1024


class PipeReader:
    """Read end of a pipe in the running asyncio loop; owns the descriptor.

    A pipe ends when its last writer closes it, but a grandchild of the agent may keep it open
    forever. So reading ends at end of file, or when the process has exited (`process_exited`) and
    the rest of the pipe has been read, whichever comes first.
    """

    def __init__(self, fd: int) -> None:
        if sys.platform != "win32":
            os.set_blocking(fd, False)
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._exited = False
        self._ended = False
        self._left_after_exit = _AFTER_EXIT_BYTES

    def process_exited(self) -> None:
        """Note that the process has exited; read only what is left in the pipe."""
        self._exited = True
        self._wake.set()

    async def read(self) -> bytes:
        """Return the next bytes, or none at the end."""
        while not self._ended:
            try:
                chunk = os.read(self._fd, _CHUNK_BYTES)
            except BlockingIOError:
                if self._exited:
                    break
                await self._readable()
                continue
            except OSError:
                break
            if not chunk:
                break
            if self._exited:
                self._left_after_exit -= len(chunk)
                self._ended = self._left_after_exit <= 0
            return chunk
        self._ended = True
        return b""

    def close(self) -> None:
        """Close the pipe; whoever still writes to it gets SIGPIPE."""
        if self._fd < 0:
            return
        self._ended = True
        self._loop.remove_reader(self._fd)
        os.close(self._fd)
        self._fd = -1
        self._wake.set()

    async def _readable(self) -> None:
        self._wake.clear()
        self._loop.add_reader(self._fd, self._wake.set)
        try:
            await self._wake.wait()
        finally:
            if self._fd >= 0:
                self._loop.remove_reader(self._fd)


class PipeWriter(asyncio.BaseProtocol):
    """Write end of a pipe whose reader may never read; owns the file."""

    def __init__(self, unsent_bytes: int) -> None:
        self._bound = unsent_bytes
        self._written = 0
        self._flushed = asyncio.Event()
        self._flushed.set()
        self.lost = asyncio.Event()
        """Set when either end is closed."""
        self._transport: asyncio.WriteTransport

    @classmethod
    async def open(cls, file: IO[bytes], unsent_bytes: int) -> Self:
        """Take over ``file``; at most ``unsent_bytes`` wait for the reader."""
        loop = asyncio.get_running_loop()
        transport, writer = await loop.connect_write_pipe(lambda: cls(unsent_bytes), file)
        transport.set_write_buffer_limits(high=0)
        writer._transport = transport
        return writer

    def write(self, data: bytes) -> None:
        """Queue ``data``; it is written in order."""
        if self.lost.is_set() or self._transport.is_closing():
            raise ConnectionResetError("has closed its stdin")
        if self._transport.get_write_buffer_size() + len(data) > self._bound:
            raise ConnectionAbortedError("does not read its stdin")
        self._written += len(data)
        self._transport.write(data)

    async def flush(self, seconds: float) -> None:
        """Wait until everything is written."""
        while not self.lost.is_set():
            read_before = self._read_by_now()
            try:
                async with asyncio.timeout(seconds):
                    await self._flushed.wait()
            except TimeoutError:
                if self._read_by_now() == read_before:
                    raise
            else:
                break
        if self.lost.is_set():
            raise ConnectionResetError("has closed its stdin")

    def close(self) -> None:
        """Close the pipe without waiting for unread data."""
        if not self.lost.is_set() and not self._transport.is_closing():
            self._transport.abort()

    def _read_by_now(self) -> int:
        return self._written - self._transport.get_write_buffer_size()

    def pause_writing(self) -> None:
        """Implement `asyncio.BaseProtocol`: data is waiting."""
        self._flushed.clear()

    def resume_writing(self) -> None:
        """Implement `asyncio.BaseProtocol`: everything is written."""
        self._flushed.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Implement `asyncio.BaseProtocol`: wake up waiting tasks."""
        self.lost.set()
        self._flushed.set()


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
