"""Reads and replaces files on disk without following any link."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.host.workspace.checkpoints.diff import Side
from acp_jupyter.host.workspace.workspace_files import replace_file, replace_link

_FOLLOWED = os.O_CLOEXEC | os.O_NOFOLLOW
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | _FOLLOWED
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}


@dataclass(frozen=True, slots=True)
class FileOnDisk:
    """The present file at a path; ``data`` of a link is its target."""

    data: bytes | None = None
    """The content; None for no file, and for files that no checkpoint holds."""
    is_link: bool = False
    mode: int = 0
    is_other: bool = False
    """Whether it is a pipe, or a file too large for a checkpoint."""

    @property
    def exists(self) -> bool:
        """Whether there is anything but a folder."""
        return self.data is not None or self.is_other

    def is_as(self, side: Side) -> bool:
        """Return whether it equals a file in a checkpoint."""
        if self.data is None:
            return not side.exists and not self.is_other
        head = b"blob %d\0" % len(self.data)
        name = hashlib.sha1(head + self.data, usedforsecurity=False).hexdigest()
        runs = self.is_link or side.is_executable == bool(self.mode & stat.S_IXUSR)
        return side.exists and self.is_link == side.is_link and name == side.blob and runs


class Disk:
    """The files of one folder. All calls block.

    Parameters
    ----------
    root
        The folder.
    file_bytes
        Largest file in a checkpoint.
    """

    def __init__(self, root: Path, file_bytes: int) -> None:
        self._root = os.path.realpath(root)
        self._bound = file_bytes

    def find(self, path: str) -> FileOnDisk:
        """Return the file at a path; a path through a symbolic link has none.

        Raises
        ------
        OSError
            The path can't be read.
        """
        try:
            with self._folder_of(path, create=False) as (folder, name):
                status = os.lstat(name, dir_fd=folder)
                if stat.S_ISLNK(status.st_mode):
                    return FileOnDisk(os.fsencode(os.readlink(name, dir_fd=folder)), is_link=True)
                if stat.S_ISDIR(status.st_mode):
                    return FileOnDisk()  # a folder; its files are looked up by themselves
                if not stat.S_ISREG(status.st_mode) or status.st_size > self._bound:
                    return FileOnDisk(is_other=True)
                fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _FOLLOWED, dir_fd=folder)
                with os.fdopen(fd, "rb") as file:
                    data = file.read(self._bound + 1)
                    mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                return FileOnDisk(data, mode=mode)
        except OSError as error:
            if error.errno in _GONE:
                return FileOnDisk()
            raise

    def leads_out(self, path: str, target: bytes) -> bool:
        """Return whether a link there would lead out of the folder."""
        to = os.fsdecode(target)
        beside = os.path.normpath(os.path.join(os.path.dirname(path), to))
        if os.path.isabs(to) or beside.split("/")[0] == "..":
            return True
        real = os.path.realpath(os.path.join(self._root, os.path.dirname(path), to))
        return os.path.commonpath([real, self._root]) != self._root

    def without_room(self, paths: Iterable[str], gone: Collection[str]) -> Iterator[str]:
        """Yield the paths that other files block; files in ``gone`` do not block."""
        above: dict[str, bool] = {}
        for path in paths:
            folders = ["/".join(path.split("/")[:end]) for end in range(1, path.count("/") + 1)]
            for folder in folders:
                if folder not in above:
                    above[folder] = folder not in gone and self._is_file(folder)
            if any(above[folder] for folder in folders) or self._holds(path, gone):
                yield path

    def _is_file(self, path: str) -> bool:
        """Return whether there is anything but a folder."""
        with contextlib.suppress(OSError), self._folder_of(path, create=False) as (folder, name):
            return not stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode)
        return False

    def _holds(self, path: str, gone: Collection[str]) -> bool:
        """Return whether a folder holds files other than those in ``gone``."""
        with (
            contextlib.suppress(OSError),
            self._folder_of(f"{path}/x", create=False) as (folder, _),
        ):
            for at, folders, files, fd in os.fwalk(".", dir_fd=folder):
                links = [each for each in folders if _is_link(each, fd)]
                below = os.path.normpath(os.path.join(path, at))
                if any(f"{below}/{name}" not in gone for name in (*files, *links)):
                    return True
        return False

    def put(self, path: str, data: bytes, *, is_link: bool, mode: int | None) -> None:
        """Write a file or a link atomically, with the folders that it needs.

        Raises
        ------
        OSError
            The file can't be written, or a link or a file is in the way.
        """
        with self._folder_of(path, create=True) as (folder, name):
            with contextlib.suppress(OSError):
                _remove_empty(folder, name)  # what took its place
            if is_link:
                replace_link(folder, name, os.fsdecode(data))
            else:
                replace_file(folder, name, data, mode)

    def remove(self, path: str) -> None:
        """Remove a file or a link.

        Raises
        ------
        OSError
            The file can't be removed.
        """
        with self._folder_of(path, create=False) as (folder, name):
            os.unlink(name, dir_fd=folder)

    def remove_folder(self, path: str) -> None:
        """Remove a folder if it is empty."""
        with contextlib.suppress(OSError), self._folder_of(path, create=False) as (folder, name):
            os.rmdir(name, dir_fd=folder)

    @contextlib.contextmanager
    def _folder_of(self, path: str, *, create: bool) -> Iterator[tuple[int, str]]:
        parts = path.split("/")
        if any(part in {"", ".", ".."} or "\0" in part for part in parts):
            raise OSError(errno.EINVAL, "is not a path below the folder")
        folder = os.open(self._root, _FOLDER)
        try:
            for part in parts[:-1]:
                if create:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, dir_fd=folder)
                below = os.open(part, _FOLDER, dir_fd=folder)
                os.close(folder)
                folder = below
            yield folder, parts[-1]
        finally:
            os.close(folder)


def _is_link(name: str, folder: int) -> bool:
    return stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode)


def _remove_empty(folder: int, name: str) -> None:
    """Remove a folder that holds only empty folders."""
    below = os.open(name, _FOLDER, dir_fd=folder)
    try:
        for each in os.listdir(below):
            _remove_empty(below, each)
    finally:
        os.close(below)
    os.rmdir(name, dir_fd=folder)
