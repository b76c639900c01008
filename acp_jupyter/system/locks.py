"""Locks on open files."""

from __future__ import annotations

import errno

from portalocker import AlreadyLocked, LockException, LockFlags
from portalocker import lock as _lock

__all__ = ["lock"]


def lock(fd: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file until it is closed, or until this process ends."""
    flags = LockFlags.SHARED if shared else LockFlags.EXCLUSIVE
    try:
        _lock(fd, flags if wait else flags | LockFlags.NON_BLOCKING)
    except AlreadyLocked as error:
        raise BlockingIOError(errno.EWOULDBLOCK, "is locked by somebody else") from error
    except LockException as error:
        raise OSError(errno.ENOLCK, "can't be locked") from error
