"""One process at a time keeps a folder: a server and the hosts in kernels may share it."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["locked"]

_PAUSE_SECONDS = 0.02


@contextlib.contextmanager
def locked(path: Path, deadline: float) -> Iterator[None]:
    """Hold a lock, until ``deadline`` on the monotonic clock at the latest to get it.

    The system lets go of it when the process ends. Where there is no such lock there is none.

    Raises
    ------
    TimeoutError
        Another process has it.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise TimeoutError from None
                time.sleep(_PAUSE_SECONDS)
        yield
    finally:
        os.close(fd)
