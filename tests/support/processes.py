"""Which processes are there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

import psutil

__all__ = ["alive", "all_processes", "any_alive", "family"]


def all_processes() -> Iterator[psutil.Process]:
    """Yield every process of this machine.

    ``psutil.process_iter`` keeps what it has seen: where another process has got the number of one
    that is gone, it has no children there for as long as it lives.
    """
    for pid in psutil.pids():
        with contextlib.suppress(psutil.NoSuchProcess):
            yield psutil.Process(pid)


def alive(pid: int) -> bool:
    """Return whether ``pid`` is a process that still runs; a zombie does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def family(pid: int, *, without: str = "ipykernel") -> dict[int, str]:
    """Return the processes below ``pid`` with their command lines; kernels left out."""
    found: dict[int, str] = {}
    for process in psutil.Process(pid).children(recursive=True):
        try:
            command = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if without not in command:
            found[process.pid] = command
    return found


def any_alive(pids: Iterable[int]) -> list[int]:
    """Return those that still run."""
    return [pid for pid in pids if alive(pid)]
