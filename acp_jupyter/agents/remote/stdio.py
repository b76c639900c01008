"""Lines from stdin and to stdout: reading and writing have threads of their own.

So a slow reader can't stall the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue

_READ_BYTES = 65_536
_MAX_LINE_BYTES = 64 * 1024 * 1024
_MAX_BACKLOG_BYTES = 128 * 1024
_STDIN, _STDOUT = 0, 1


class Stdio:
    """Lines from stdin to a callback, bytes to stdout in the order they were given.

    Parameters
    ----------
    on_line
        Called in the event loop with each complete line, without its line feed.
    on_end
        Called in the event loop when stdin ends or stdout breaks.
    """

    def __init__(self, on_line: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._on_line = on_line
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[bytes] = SimpleQueue()
        self._backlog = 0
        self._moved = asyncio.Event()
        self._reading = threading.Event()
        self._reading.set()

    def start(self) -> None:
        """Start both threads; as daemons they never hold up the end of the process."""
        for target in (self._read, self._write):
            threading.Thread(target=target, name=f"stdio-{target.__name__}", daemon=True).start()

    def pause(self) -> None:
        """Read nothing until `resume`; lines that were read already still come."""
        self._reading.clear()

    def resume(self) -> None:
        """Read on."""
        self._reading.set()

    def put(self, data: bytes) -> None:
        """Hand bytes to the writer; whoever sends many awaits `drain` between them."""
        self._backlog += len(data)
        self._queue.put(data)

    async def drain(self, limit: int = _MAX_BACKLOG_BYTES) -> None:
        """Wait until at most `limit` bytes have not been written."""
        while self._backlog > limit:
            self._moved.clear()
            await self._moved.wait()

    def _read(self) -> None:
        parts: list[bytes] = []  # of the line that is not complete yet
        size = 0
        while (data := _read_some()) and size < _MAX_LINE_BYTES:
            *lines, rest = data.split(b"\n")
            for line in lines:
                self._call(partial(self._on_line, b"".join([*parts, line])))
                parts.clear()
                size = 0
            parts.append(rest)
            size += len(rest)
            self._reading.wait()
        self._call(self._on_end)

    def _write(self) -> None:
        while True:
            batch = [self._queue.get()]
            while not self._queue.empty():
                batch.append(self._queue.get())
            data = b"".join(batch)
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(_STDOUT, view) :]
            except OSError:
                self._call(self._on_end)
                return
            self._call(partial(self._written, len(data)))

    def _written(self, count: int) -> None:
        self._backlog -= count
        self._moved.set()

    def _call(self, function: Callable[[], None]) -> None:
        # A closed loop means that the process is about to end: nobody is left to tell.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function)


def _read_some() -> bytes:
    try:
        return os.read(_STDIN, _READ_BYTES)
    except OSError:
        return b""
