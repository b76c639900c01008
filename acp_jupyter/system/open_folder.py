"""A folder that is held open, so that names in it are used without following links.

If the system can use names relative to an open folder (POSIX), a folder that replaces it in the
meantime is never touched. Otherwise, as on Windows, the folder is compared before and after each
use. That detects a replacement, but not one that was undone in between.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from typing import Self

from acp_jupyter.system.portable import is_portable
from acp_jupyter.system.windows.paths import extended, is_name_surrogate

__all__ = ["OpenFolder", "inside_by_any_name"]

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW
_READ = os.O_RDONLY | _BINARY | getattr(os, "O_NONBLOCK", 0) | _NO_FOLLOW
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY | _NO_FOLLOW


class OpenFolder:
    """A folder that is held open until `close`.

    Names are single components; none is followed if it is a link. Methods raise `OSError` as the
    functions of `os` do; a link in the place of a folder is a `NotADirectoryError`, and one in the
    place of a file has the error number ``ELOOP``.
    """

    __slots__ = ("_fd", "_identity", "_path")

    def __init__(self, path: str) -> None:
        self._hold(path, path, None)

    @property
    def path(self) -> str:
        """The path that it was opened by."""
        return self._path

    @property
    def fd(self) -> int | None:
        """Its descriptor; None if it is used by its path."""
        return self._fd

    def is_at_its_path(self) -> bool:
        """Return whether its path leads to it, without links."""
        try:
            held = self._identity if self._fd is None else _numbers(os.fstat(self._fd))
            return _identity(self._path) == held
        except OSError:
            return False

    def _hold(self, path: str, name: str, above: int | None) -> None:
        self._path = path
        self._fd: int | None = None
        self._identity = (0, 0)
        if is_portable():
            self._identity = _identity(path)
        else:
            self._fd = os.open(name, _FOLDER, dir_fd=above)

    def close(self) -> None:
        """Close the folder."""
        if self._fd is not None:
            os.close(self._fd)

    def below(self, name: str) -> Self:
        """Open a subfolder."""
        folder = type(self).__new__(type(self))
        folder._hold(os.path.join(self._path, name), self._at(name), self._fd)
        self._check()
        return folder

    def open_file(self, name: str) -> int:
        """Return a descriptor for reading a file; never waits for a pipe."""
        path = self._at(name)
        if self._fd is not None:
            return os.open(path, _READ, dir_fd=self._fd)
        before = os.lstat(path)
        if stat.S_ISDIR(before.st_mode):
            raise IsADirectoryError(errno.EISDIR, "is a folder", path)
        if _is_link(before):
            raise OSError(errno.ELOOP, "is a link", path)
        fd = os.open(path, _READ)
        try:
            _check_same(path, before, os.fstat(fd))
            self._check()
        except BaseException:
            os.close(fd)
            raise
        return fd

    def create_file(self, name: str, mode: int | None, group: int | None = None) -> int:
        """Return a descriptor for writing a new file.

        Parameters
        ----------
        mode
            The permission bits; None for the default ones.
        group
            The number of its group, if this user is in it; None for the default one.
        """
        path = self._at(name)
        fd = os.open(path, _CREATE, 0o666, dir_fd=self._fd)
        try:
            if sys.platform != "win32" and not is_portable() and group is not None:
                with contextlib.suppress(PermissionError):
                    os.fchown(fd, -1, group)
            if mode is not None:
                os.chmod(fd if os.chmod in os.supports_fd else path, mode)
            self._check()
        except BaseException:
            os.close(fd)
            raise
        return fd

    def mkdir(self, name: str) -> None:
        """Make a folder."""
        os.mkdir(self._at(name), dir_fd=self._fd)
        self._check()

    def symlink(self, target: str, name: str) -> None:
        """Make a symbolic link."""
        os.symlink(target, self._at(name), dir_fd=self._fd)
        self._check()

    def readlink(self, name: str) -> str:
        """Return the target of a symbolic link."""
        target = os.readlink(self._at(name), dir_fd=self._fd)
        self._check()
        return target

    def lstat(self, name: str) -> os.stat_result:
        """Return the status of a name."""
        status = os.lstat(self._at(name), dir_fd=self._fd)
        self._check()
        return status

    def is_writable(self, name: str) -> bool:
        """Return whether this user may write to a file."""
        return os.access(self._at(name), os.W_OK, dir_fd=self._fd)

    def set_times(self, name: str, accessed_ns: int, modified_ns: int) -> None:
        """Set the times of a file."""
        follows = os.utime not in os.supports_follow_symlinks
        times = (accessed_ns, modified_ns)
        os.utime(self._at(name), ns=times, dir_fd=self._fd, follow_symlinks=follows)
        self._check()

    def rename(self, name: str, new: str) -> None:
        """Rename a file, replacing an existing one."""
        os.replace(self._at(name), self._at(new), src_dir_fd=self._fd, dst_dir_fd=self._fd)
        self._check()

    def unlink(self, name: str) -> None:
        """Remove a file or a link."""
        os.unlink(self._at(name), dir_fd=self._fd)
        self._check()

    def rmdir(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(self._at(name), dir_fd=self._fd)
        self._check()

    def names(self) -> list[str]:
        """Return the names in it."""
        names = os.listdir(self._path if self._fd is None else self._fd)
        self._check()
        return names

    def walk(self) -> Iterator[str]:
        """Yield the paths of all files and links below it, and of folders that can't be read."""
        for name in self.names():
            status = self.lstat(name)
            if not stat.S_ISDIR(status.st_mode) or _is_link(status):
                yield name
                continue
            try:
                folder = self.below(name)
            except PermissionError:
                yield name  # nobody knows what is in it
                continue
            try:
                for path in folder.walk():
                    yield f"{name}/{path}"
            finally:
                folder.close()

    def _at(self, name: str) -> str:
        """Return the argument for the system call with this name."""
        if self._fd is not None:
            return name
        self._check()
        path = os.path.join(self._path, name)
        return extended(path) if sys.platform == "win32" else path

    def _check(self) -> None:
        """Check that the path still leads to this folder, if only the path is used."""
        if self._fd is None and _identity(self._path) != self._identity:
            raise NotADirectoryError(errno.ENOTDIR, "is another folder now", self._path)


def inside_by_any_name(root: str, path: str) -> str | None:
    """Return where a path is in a folder, however it calls that; None if it is elsewhere.

    Not only links give a folder another name: letters may be the same in upper and lower case, or
    composed and decomposed, and a folder can be mounted twice. Both paths have no links.
    """
    if os.path.join(path, "").startswith(os.path.join(root, "")):
        return os.path.relpath(path, root)
    names: list[str] = []
    try:
        wanted = os.stat(root)
    except OSError:
        return None
    while True:
        try:
            if os.path.samestat(os.stat(path), wanted):
                return os.path.join(*reversed(names)) if names else os.curdir
        except (OSError, ValueError):
            pass  # to be made, maybe
        path, name = os.path.split(path)
        if not name:
            return None
        names.append(name)


def _identity(path: str) -> tuple[int, int]:
    """Return the device and inode number of a folder, whose path must have no links."""
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode) or os.path.realpath(path) != os.path.normpath(path):
        raise NotADirectoryError(errno.ENOTDIR, "is no folder, or leads through a link", path)
    return _numbers(status)


def _numbers(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _check_same(path: str, before: os.stat_result, opened: os.stat_result) -> None:
    if not os.path.samestat(before, opened):
        raise OSError(errno.ELOOP, "has changed meanwhile", path)


def _is_link(status: os.stat_result) -> bool:
    """Return whether it is a symbolic link or, on Windows, a junction."""
    tag = getattr(status, "st_reparse_tag", 0)
    return stat.S_ISLNK(status.st_mode) or is_name_surrogate(tag)
