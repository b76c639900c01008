"""A disk on which writing fails as a test says, and perhaps what would mend it too."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.wait import PATIENCE_SECONDS

__all__ = ["FailingDisk", "failing_disk"]


class FailingDisk:
    """Stands where a module has ``os``; all but writing is the real one.

    Attributes
    ----------
    room
        How many bytes it still takes; None for any number.
    error
        What it says then.
    broken
        Whether files can't be cut either, as on a disk that has turned read-only.
    short
        Takes at most so many bytes at once; 0 for any number.
    answers
        Writing waits until this is set, as on a network disk that has gone away.
    patience
        Longest time in seconds that a write waits for it: a disk is only slow then.
    """

    def __init__(self) -> None:
        self.room: int | None = None
        self.error = 0
        self.broken = False
        self.short = 0
        self.answers = threading.Event()
        self.answers.set()
        self.patience = 2 * PATIENCE_SECONDS

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def write(self, fd: int, data: bytes) -> int:
        self.answers.wait(self.patience)
        piece = data[: self.short] if self.short else data
        if self.room is not None:
            if not self.room:
                raise OSError(self.error, os.strerror(self.error))
            piece = piece[: self.room]
            self.room -= len(piece)
        return os.write(fd, piece)

    def ftruncate(self, fd: int, size: int) -> None:
        if self.room is not None and self.broken:
            raise OSError(self.error, os.strerror(self.error))
        os.ftruncate(fd, size)


@contextmanager
def failing_disk(module: str) -> Iterator[FailingDisk]:
    """Put one below a module, by its name."""
    disk = FailingDisk()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{module}.os", disk)
        yield disk
