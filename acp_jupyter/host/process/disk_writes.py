"""How much a process and its children have written to disks, if the system reports it."""

from __future__ import annotations

import contextlib
import os

_MAX_PROCESSES = 500
_COUNT = b"write_bytes:"


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
