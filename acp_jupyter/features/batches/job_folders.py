"""The folders that jobs run in; making one removes those that killed processes left."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from acp_jupyter.system.locks import lock

_PREFIX = "acp-batch-"
_OPEN = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_OWNER = ".owner"
"""Locked by the process that has made the folder, as long as that lives. It says on which machine:
not every shared disk has locks that hold for all of them."""


@contextlib.contextmanager
def job_folder() -> Iterator[Path]:
    """Make a folder for one job, and remove it at the end."""
    _remove_abandoned()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    owner = -1
    try:
        owner = _own(folder)
        yield folder
    finally:
        _remove(folder)
        if owner != -1:
            os.close(owner)


def _own(folder: Path) -> int:
    """Lock a folder; its lock file gets its final name only once it is locked."""
    new = folder / f"{_OWNER}.new"
    owner = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with contextlib.suppress(OSError):  # without locks no other process gets one either
            lock(owner)
        os.write(owner, platform.node().encode())
        new.rename(folder / _OWNER)
    except BaseException:
        os.close(owner)
        raise
    return owner


def _remove_abandoned() -> None:
    """Remove this user's folders that an ended process has left."""
    for owner_file in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_OWNER}"):
        folder = owner_file.parent
        with contextlib.suppress(OSError):
            if folder.is_symlink() or not _is_own(folder):
                continue
            owner = os.open(owner_file, _OPEN)
            try:
                lock(owner)
                is_same = os.path.samestat(os.fstat(owner), owner_file.lstat())
                if is_same and os.read(owner, 1024) == platform.node().encode():
                    _remove(folder)
            finally:
                os.close(owner)


def _is_own(folder: Path) -> bool:
    """Return whether this user made a folder; Windows has temporary folders for each user."""
    return sys.platform == "win32" or folder.lstat().st_uid == os.getuid()


def _remove(folder: Path) -> None:
    """Remove a folder, its lock file last, so that a later call finds what remains."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.name == _OWNER:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()
        if [path.name for path in folder.iterdir()] in ([], [_OWNER]):
            shutil.rmtree(folder, ignore_errors=True)
