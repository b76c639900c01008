"""A process that tries one alteration and ends."""

from __future__ import annotations

import contextlib
import os
import signal
import traceback
from collections.abc import Callable

__all__ = ["begin", "end"]

_LIVES = "lives"


def begin(run: Callable[[], str]) -> tuple[int, int]:
    """Fork; return the pipe that the name of a failing test comes through, and the process id.

    An error of ``run`` itself is printed, and is no test that fails.
    """
    ours, theirs = os.pipe()
    if pid := os.fork():
        os.close(theirs)
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        return ours, pid
    try:
        os.setpgid(0, 0)
        test = run() or _LIVES
    except BaseException:  # noqa: BLE001 - nothing may leave the child
        traceback.print_exc()
        test = _LIVES
    try:
        os.write(theirs, test.encode())
    finally:
        os._exit(0)


def end(pipe: int, pid: int) -> str:
    """Wait for a process and kill what its tests have left; return the failing test, or nothing."""
    with os.fdopen(pipe) as file:
        test = file.read()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "" if test == _LIVES else test or "it did not end"
