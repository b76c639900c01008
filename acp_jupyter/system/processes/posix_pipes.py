"""Pipes on POSIX systems: the event loop waits for them."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import IO, Self

assert sys.platform != "win32", "POSIX only"
_CHUNK_BYTES = 64 * 1024
_AFTER_EXIT_BYTES = 4 * 1024 * 1024


class PosixReader:
    """Read end of a pipe; see `acp_jupyter.system.processes.pipes.PipeReader`."""

    def __init__(self, fd: int) -> None:
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


class PosixWriter(asyncio.BaseProtocol):
    """Write end of a pipe; see `acp_jupyter.system.processes.pipes.PipeWriter`."""

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
