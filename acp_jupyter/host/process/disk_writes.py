"""How much a process and its children have written to disks, if the system reports it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from typing import NamedTuple

_MAX_PROCESSES = 500
_COUNT = b"write_bytes:"


class Written(NamedTuple):
    """What was written up to a moment."""

    at: float
    """Wall clock, seconds since the epoch: all that was written before is counted."""
    size: int | None
    """In bytes; None if the system does not report it."""


class DiskWrites:
    """How much an agent's processes have written. Used on the host's loop.

    Parameters
    ----------
    pid
        Id of the process above all of them.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._reading: asyncio.Task[Written] | None = None

    async def read(self) -> Written:
        """Return what was written up to now; those who ask at the same time share one answer."""
        if self._reading is not None:
            await asyncio.wait((self._reading,))  # it may have looked before this call
        if self._reading is None:
            self._reading = asyncio.create_task(self._read(), name="acp-disk-writes")
        return await asyncio.shield(self._reading)

    async def _read(self) -> Written:
        at = time.time()
        try:
            return Written(at, await asyncio.to_thread(written_bytes, self._pid))
        finally:
            self._reading = None


def written_bytes(pid: int) -> int | None:
    """Return the bytes that a process and its past and present descendants wrote. Blocks.

    Linux counts when a page of a file becomes dirty, and adds a child's count to its parent's when
    the child has ended. It does not report which file it was, nor deleting and renaming.
    """
    total: int | None = None
    pids, seen = [pid], 0
    while pids and seen < _MAX_PROCESSES:
        seen += 1
        each = pids.pop()
        count = _count(each)
        if count is not None:
            total = count + (total or 0)
        pids += _children(each)
    return total


def _count(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/io", "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    return next((int(line[len(_COUNT) :]) for line in lines if line.startswith(_COUNT)), None)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError, ValueError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return found
