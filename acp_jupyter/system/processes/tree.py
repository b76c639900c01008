"""A process and all that it starts, so that it can be ended as a whole.

On POSIX systems these are the processes of its group. The portable implementation finds its
children with psutil, and by a variable in their environment those whose parent has ended. It can't
find a process whose parent has ended and that has an environment of its own.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import sys
import time
from collections.abc import Mapping

import psutil

from acp_jupyter.system.portable import is_portable

__all__ = ["ProcessTree", "kill_group", "living"]

_PREFIX = "ACP_TREE_"
_KILL_ROUNDS = 20
_KILL_ROUND_SECONDS = 0.05
_CLOCK_SECONDS = 1.0
"""How much earlier a process may seem to have started than the one that started it."""


class ProcessTree:
    """What a process starts; make it before the process, and give that its variables."""

    def __init__(self) -> None:
        self.variables: Mapping[str, str] = {}
        """For the environment of the process."""
        if is_portable():
            self.variables = {f"{_PREFIX}{secrets.token_hex(8)}": "1"}
        self._since = time.time() - _CLOCK_SECONDS

    def end(self, pid: int, *, kill: bool = True) -> None:
        """Kill the process, which has a group of its own, and all that it started; or ask them."""
        if sys.platform == "win32" or is_portable():
            for process in living(pid, next(iter(self.variables), ""), self._since):
                with contextlib.suppress(psutil.Error):
                    process.kill() if kill else process.terminate()
        else:
            with contextlib.suppress(OSError):
                os.killpg(pid, signal.SIGKILL if kill else signal.SIGTERM)


def kill_group(pid: int) -> None:
    """Kill a process that has a group of its own, and its children."""
    ProcessTree().end(pid)


def living(pid: int, mark: str, since: float) -> list[psutil.Process]:
    """Return what was started by a process, and by those with ``mark`` in their environment.

    Parameters
    ----------
    pid
        The process, which is included if it is another than this one. With a mark it must have
        that, too: its number may be another's by now.
    since
        When the first of them was started, or earlier.
    """
    processes: dict[int, psutil.Process] = {}
    children: dict[int, list[int]] = {}
    for each in psutil.pids():
        with contextlib.suppress(psutil.Error):
            processes[each] = psutil.Process(each)
            children.setdefault(processes[each].ppid(), []).append(each)
    own = os.getpid()
    unread = [each for each in processes if mark and _has(processes[each], mark, since)]
    unread += [pid] if not mark or pid == own else []
    found: set[int] = set()
    while unread:
        each = unread.pop()
        if each not in found:
            found.add(each)
            unread += children.get(each, [])
    return [processes[each] for each in found - {own} if _runs(processes.get(each))]


def _has(process: psutil.Process, mark: str, since: float) -> bool:
    with contextlib.suppress(psutil.Error, OSError):
        return process.create_time() >= since and mark in process.environ()
    return False


def _runs(process: psutil.Process | None) -> bool:
    with contextlib.suppress(psutil.Error):
        return process is not None and process.status() != psutil.STATUS_ZOMBIE
    return False
