"""Pipes with a thread each that reads or writes, as the event loops of Windows can't wait for them.

What this can't do: it notices that the other end of a pipe was closed only when it next writes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import IO

_CHUNK_BYTES = 64 * 1024
_UNREAD_CHUNKS = 16
_AFTER_EXIT_BYTES = 4 * 1024 * 1024
_AFTER_EXIT_SECONDS = 0.5
"""How long nothing comes from a pipe until it is taken as read, once its process has exited."""
_PIECE_BYTES = 4096


class ThreadReader:
    """Read end of a pipe; see `acp_jupyter.system.processes.pipes.PipeReader`."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._chunks: deque[bytes] = deque()
        self._room = threading.Semaphore(_UNREAD_CHUNKS)
        self._wake = asyncio.Event()
        self._exited = False
        self._ended = False
        self._left_after_exit = _AFTER_EXIT_BYTES
        threading.Thread(target=self._pump, name="acp-pipe-reader", daemon=True).start()

    def process_exited(self) -> None:
        """Note that the process has exited; read only what is left in the pipe."""
        self._exited = True
        self._wake.set()

    async def read(self) -> bytes:
        """Return the next bytes, or none at the end."""
        while not self._ended:
            if not self._chunks:
                self._wake.clear()
                if not await self._is_woken():
                    break
                continue
            chunk = self._chunks.popleft()
            self._room.release()
            if not chunk:
                break
            if self._exited:
                self._left_after_exit -= len(chunk)
                self._ended = self._left_after_exit <= 0
            return chunk
        self._ended = True
        return b""

    def close(self) -> None:
        """End the reading; the thread closes the pipe once its last read returns."""
        self._ended = True
        self._room.release()
        self._wake.set()

    async def _is_woken(self) -> bool:
        """Wait for the next bytes; return False if an ended process has left none."""
        try:
            async with asyncio.timeout(_AFTER_EXIT_SECONDS if self._exited else None):
                await self._wake.wait()
        except TimeoutError:
            return False
        return True

    def _pump(self) -> None:
        while self._room.acquire() and not self._ended:
            try:
                chunk = os.read(self._fd, _CHUNK_BYTES)
            except OSError:
                chunk = b""
            if not _call(self._loop, partial(self._take, chunk)) or not chunk:
                break
        os.close(self._fd)

    def _take(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._wake.set()


class ThreadWriter:
    """Write end of a pipe; see `acp_jupyter.system.processes.pipes.PipeWriter`."""

    def __init__(self, file: IO[bytes], unsent_bytes: int) -> None:
        self._fd = os.dup(file.fileno())
        file.close()
        self._bound = unsent_bytes
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[bytes] = SimpleQueue()
        self._queued = 0
        self._written = 0
        """Counted by the thread, as the other is by the loop."""
        self._flushed = asyncio.Event()
        self._flushed.set()
        self.lost = asyncio.Event()
        """Set when this end is closed, or a write fails."""
        self._closing = False
        threading.Thread(target=self._pump, name="acp-pipe-writer", daemon=True).start()

    def write(self, data: bytes) -> None:
        """Queue ``data``; it is written in order."""
        if self._closing or self.lost.is_set():
            raise ConnectionResetError("has closed its stdin")
        if self._queued - self._written + len(data) > self._bound:
            raise ConnectionAbortedError("does not read its stdin")
        if data:
            self._queued += len(data)
            self._flushed.clear()
            self._queue.put(data)

    async def flush(self, seconds: float) -> None:
        """Wait until everything is written."""
        while not self.lost.is_set():
            read_before = self._written
            try:
                async with asyncio.timeout(seconds):
                    await self._flushed.wait()
            except TimeoutError:
                if self._written == read_before:
                    raise
            else:
                break
        if self.lost.is_set():
            raise ConnectionResetError("has closed its stdin")

    def close(self) -> None:
        """Close the pipe; a write that waits for the reader ends with it."""
        self._closing = True
        self._queue.put(b"")
        self._lose()

    def _pump(self) -> None:
        while not self._closing and (data := self._queue.get()):
            if not self._wrote(data):
                break
            _call(self._loop, self._note_written)
        with contextlib.suppress(OSError):
            os.close(self._fd)

    def _wrote(self, data: bytes) -> bool:
        """Write in pieces, so that it is seen whether the reader goes on."""
        for start in range(0, len(data), _PIECE_BYTES):
            piece = data[start : start + _PIECE_BYTES]
            while piece:
                if self._closing:
                    return False
                try:
                    count = os.write(self._fd, piece)
                except OSError:
                    _call(self._loop, self._lose)
                    return False
                piece = piece[count:]
                self._written += count
        return True

    def _note_written(self) -> None:
        if self._written == self._queued:
            self._flushed.set()

    def _lose(self) -> None:
        self.lost.set()
        self._flushed.set()


def _call(loop: asyncio.AbstractEventLoop, function: Callable[[], None]) -> bool:
    """Call a function on a loop; return False if the loop has ended."""
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:
        return False
    return True
