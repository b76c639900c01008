"""Locks on open files.

Some network folders have no locks. There, programs of one machine exclude each other by a file on
its own disk; programs of several machines do not.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

from portalocker import AlreadyLocked, LockException, LockFlags
from portalocker import lock as _lock

__all__ = ["lock", "open_lock"]

_NAME_CHARS = 32


def lock(fd: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file until it is closed, or until this process ends."""
    flags = LockFlags.SHARED if shared else LockFlags.EXCLUSIVE
    try:
        _lock(fd, flags if wait else flags | LockFlags.NON_BLOCKING)
    except AlreadyLocked as error:
        raise BlockingIOError(errno.EWOULDBLOCK, "is locked by somebody else") from error
    except LockException as error:
        raise OSError(errno.ENOLCK, "can't be locked") from error


def open_lock(path: Path, *, shared: bool = False, wait: bool = False) -> int:
    """Open a lock file, and lock it until the returned descriptor is closed."""
    try:
        return _opened(path, shared=shared, wait=wait)
    except BlockingIOError:
        raise
    except OSError as error:
        if error.errno != errno.ENOLCK:
            raise
    return _opened(_stand_in(path), shared=shared, wait=wait)


def _opened(path: Path, *, shared: bool, wait: bool) -> int:
    fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        lock(fd, shared=shared, wait=wait)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _stand_in(path: Path) -> Path:
    """Return the file on this machine's disk that is locked in place of one that can't be."""
    if sys.platform == "win32":
        folder = Path(tempfile.gettempdir(), "acp-jupyter-locks")  # it is the user's own
        folder.mkdir(exist_ok=True)
    else:
        folder = Path(tempfile.gettempdir(), f"acp-jupyter-locks-{os.getuid()}")
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise NotADirectoryError(errno.ENOTDIR, "is somebody else's", str(folder))
    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:_NAME_CHARS]
    return folder / name
