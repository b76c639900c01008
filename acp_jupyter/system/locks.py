"""Locks on open files."""

from __future__ import annotations

import errno

from portalocker import AlreadyLocked, LockException, LockFlags
from portalocker import lock as _lock

__all__ = ["lock"]


def lock(fd: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file until it is closed, or until this process ends.

    Parameters
    ----------
    fd
        Its descriptor.
    shared
        Whether others may hold the lock too, if they share it.
    wait
        Whether to wait until nobody else holds the lock.

    Raises
    ------
    BlockingIOError
        Somebody else holds the lock.
    OSError
        The file can't be locked: some disks have no locks.
    """
    flags = LockFlags.SHARED if shared else LockFlags.EXCLUSIVE
    try:
        _lock(fd, flags if wait else flags | LockFlags.NON_BLOCKING)
    except AlreadyLocked as error:
        raise BlockingIOError(errno.EWOULDBLOCK, "is locked by somebody else") from error
    except LockException as error:
        raise OSError(errno.ENOLCK, "can't be locked") from error
