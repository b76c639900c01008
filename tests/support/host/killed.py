"""Kill -9 in one process: the folders as they are at one step of the disk are put back later.

A host that is stopped afterwards may do whatever it does then: the next one finds the disk as the
killed one left it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

__all__ = ["DiskSteps"]

_CHANGING = frozenset({"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.symlink"})
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class DiskSteps:
    """Counts changes of the disk by this process's threads, and takes a picture before one of them.

    Parameters
    ----------
    store
        Where the picture is.
    folders
        What it shows.
    """

    _all: DiskSteps | None = None

    def __init__(self, store: Path, *folders: Path) -> None:
        self._store = store
        self._folders = folders
        self._lock = threading.Lock()
        self._left = -1
        self._busy = False
        self.count = 0
        self.taken = False

    @contextlib.contextmanager
    def watched(self, kill_before: int = -1) -> Iterator[None]:
        """Count steps meanwhile; take a picture before the step of this number, from 0 on."""
        self.count, self._left, self.taken = 0, kill_before, False
        _Hook.steps = self
        _Hook.install()
        try:
            yield
        finally:
            _Hook.steps = None

    def step(self) -> None:
        """Count one."""
        with self._lock:
            if self._busy:
                return
            self.count += 1
            if self.count - 1 != self._left:
                return
            self._busy = True
            try:
                self.take()
            finally:
                self._busy = False

    def take(self) -> None:
        """Take a picture now."""
        shutil.rmtree(self._store, ignore_errors=True)
        for number, folder in enumerate(self._folders):
            _copy(folder, self._store / str(number))
        self.taken = True

    def put_back(self) -> None:
        """Make the folders what the picture shows; no host may run. Its servers have died."""
        for number, folder in enumerate(self._folders):
            shutil.rmtree(folder, ignore_errors=True)
            _copy(self._store / str(number), folder)
            shutil.rmtree(folder / "servers", ignore_errors=True)


class _Hook:
    steps: DiskSteps | None = None
    installed = False
    thread = threading.local()

    @classmethod
    def install(cls) -> None:
        if not cls.installed:
            cls.installed = True
            sys.addaudithook(cls.hear)

    @classmethod
    def hear(cls, event: str, args: tuple[object, ...]) -> None:
        steps = cls.steps
        if steps is None or getattr(cls.thread, "busy", False):
            return
        writes = event == "open" and isinstance(args[2], int) and args[2] & _WRITING
        if writes or event in _CHANGING:
            cls.thread.busy = True
            try:
                steps.step()
            finally:
                cls.thread.busy = False


def _copy(folder: Path, to: Path) -> None:
    """Copy what is there; a file that goes meanwhile is as if it had gone before."""
    with contextlib.suppress(shutil.Error):
        shutil.copytree(folder, to, symlinks=True)
