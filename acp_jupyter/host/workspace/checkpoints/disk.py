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
from typing import NamedTuple

from acp_jupyter.host.workspace.checkpoints.tree_change import LINK, NOTHING, Side
from acp_jupyter.host.workspace.confined_files import beside, replace_file, replace_link
from acp_jupyter.system.open_folder import OpenFolder

_NO_NAMES = frozenset({"", ".", ".."})
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}


class _Signature(NamedTuple):
    """File metadata that changes whenever the file does."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True, slots=True)
class FileOnDisk:
    """The present file at a path."""

    blob: str = ""
    """The name that git gives its content, or a link's target; empty for no file, and for files
    that no checkpoint holds."""
    is_link: bool = False
    mode: int = 0
    is_other: bool = False
    """Whether it is a pipe, or a file too large for a checkpoint."""

    @property
    def exists(self) -> bool:
        """Whether there is anything but a folder."""
        return bool(self.blob) or self.is_other

    @property
    def side(self) -> Side:
        """The file's mode and blob, if a checkpoint could contain it."""
        if not self.blob:
            return NOTHING
        if self.is_link:
            return Side(LINK, self.blob)
        return Side("100755" if self.mode & stat.S_IXUSR else "100644", self.blob)

    def is_as(self, side: Side) -> bool:
        """Return whether it equals a file in a checkpoint."""
        if self.is_other:
            return False
        if not self.blob:
            return not side.exists
        return self.blob == side.blob and self.side.mode == side.mode


def blob_name(data: bytes) -> str:
    """Return the name that git gives some content."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


class Disk:
    """The files of one folder. All calls block."""

    def __init__(self, root: Path | str, file_bytes: int) -> None:
        self._root = os.path.realpath(root)
        self._bound = file_bytes
        self._seen: dict[str, tuple[_Signature, FileOnDisk]] = {}
        """Files read so far; a file with the same signature is not read again."""
        self._stays = False
        self._last: tuple[str, OpenFolder] | None = None
        """The folder that is kept open, with its path."""

    def find(self, path: str) -> FileOnDisk:
        """Return the file at a path; a path through a symbolic link has none."""
        try:
            with self._folder_of(path, create=False) as (folder, name):
                status = folder.lstat(name)
                if stat.S_ISLNK(status.st_mode):
                    target = os.fsencode(folder.readlink(name))
                    return FileOnDisk(blob_name(target), is_link=True)
                if stat.S_ISDIR(status.st_mode):
                    return FileOnDisk()  # a folder; its files are looked up by themselves
                if not stat.S_ISREG(status.st_mode) or status.st_size > self._bound:
                    return FileOnDisk(is_other=True)
                seen = self._seen.get(path)
                if seen is not None and seen[0] == _signature(status):
                    return seen[1]
                data, status = self._read(folder, name)
                mode = stat.S_IMODE(status.st_mode)
                found = FileOnDisk(blob_name(data), mode=mode)
                self._seen[path] = _signature(status), found
                return found
        except OSError as error:
            if error.errno in _GONE:
                return FileOnDisk()
            raise

    def read(self, path: str) -> bytes | None:
        """Return the content of a plain file; None if no checkpoint could contain it."""
        if not (found := self.find(path)).blob or found.is_link:
            return None
        with self._folder_of(path, create=False) as (folder, name):
            return self._read(folder, name)[0]

    def _read(self, folder: OpenFolder, name: str) -> tuple[bytes, os.stat_result]:
        fd = folder.open_file(name)
        try:
            status = os.fstat(fd)
            read: list[bytes] = []
            left = self._bound + 1
            most = max(status.st_size, 1) + 1
            while left > 0 and (piece := os.read(fd, min(left, most))):
                read.append(piece)
                left -= len(piece)
                if len(read) == 1 and len(piece) == status.st_size:
                    break  # the end of the file
            return b"".join(read), status
        finally:
            os.close(fd)

    def leads_out(self, path: str, target: bytes) -> bool:
        """Return whether a link with this target would lead out of the folder."""
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
            return not stat.S_ISDIR(folder.lstat(name).st_mode)
        return False

    def _holds(self, path: str, gone: Collection[str]) -> bool:
        """Return whether a folder holds files other than those in ``gone``."""
        with (
            contextlib.suppress(OSError),
            self._folder_of(f"{path}/x", create=False) as (folder, _),
        ):
            return any(f"{path}/{below}" not in gone for below in folder.walk())
        return False

    def missing_folders(self, paths: Iterable[str]) -> list[str]:
        """Return the missing folders above paths, from the top down."""
        known: dict[str, bool] = {}
        for path in paths:
            for end in range(1, path.count("/") + 1):
                folder = "/".join(path.split("/")[:end])
                if folder not in known:
                    known[folder] = os.path.isdir(os.path.join(self._root, folder))
        return sorted(folder for folder, is_there in known.items() if not is_there)

    def put(
        self,
        path: str,
        data: bytes,
        *,
        is_link: bool,
        mode: int | None,
        sync: bool = True,
        token: str = "",
    ) -> None:
        """Write a file or a link atomically, with the folders that it needs.

        With ``sync`` a file is on the disk on return, and survives a loss of power. The ``token``
        names the temporary file, so that an unfinished one can be found.
        """
        with self._folder_of(path, create=True) as (folder, name):
            try:
                _replace(folder, name, data, mode, is_link=is_link, sync=sync, token=token)
            except IsADirectoryError:
                _remove_empty(folder, name)  # what took its place
                _replace(folder, name, data, mode, is_link=is_link, sync=sync, token=token)

    def remove(self, path: str) -> None:
        """Remove a file or a link."""
        with self._folder_of(path, create=False) as (folder, name):
            folder.unlink(name)

    def remove_unfinished(self, path: str, token: str) -> None:
        """Remove the temporary file that `put` left when its program was killed."""
        with contextlib.suppress(OSError), self._folder_of(path, create=False) as (folder, name):
            folder.unlink(beside(name, token))

    def remove_folder(self, path: str) -> None:
        """Remove a folder if it is empty."""
        self._leave()
        with contextlib.suppress(OSError), self._folder_of(path, create=False) as (folder, name):
            folder.rmdir(name)

    def another(self) -> Disk:
        """Return a copy for another thread, with everything that this one has read."""
        other = Disk(self._root, self._bound)
        other._seen = self._seen
        return other

    @contextlib.contextmanager
    def staying(self) -> Iterator[None]:
        """Keep the last file's folder open within the context, for the next file in it."""
        self._stays = True
        try:
            yield
        finally:
            self._stays = False
            self._leave()

    def _leave(self) -> None:
        if self._last is not None:
            self._last[1].close()
            self._last = None

    def _folder_of(self, path: str, *, create: bool) -> _Folder:
        above, _, name = path.rpartition("/")
        if self._last is not None and self._last[0] == above and name not in _NO_NAMES:
            return _Folder(self._last[1], name, stays=True)
        self._leave()
        folder = self._opened(path, create=create)
        if self._stays:
            self._last = above, folder
        return _Folder(folder, name, stays=self._stays)

    def _opened(self, path: str, *, create: bool) -> OpenFolder:
        parts = path.split("/")
        if "\0" in path or not _NO_NAMES.isdisjoint(parts):
            raise OSError(errno.EINVAL, "is not a path below the folder")
        folder = OpenFolder(self._root)
        try:
            for part in parts[:-1]:
                if create:
                    with contextlib.suppress(FileExistsError):
                        folder.mkdir(part)
                below = folder.below(part)
                folder.close()
                folder = below
        except BaseException:
            folder.close()
            raise
        return folder


class _Folder:
    """An open folder and a name in it. A class for speed, as there are many files."""

    __slots__ = ("_entry", "_stays")

    def __init__(self, folder: OpenFolder, name: str, *, stays: bool) -> None:
        self._entry = folder, name
        self._stays = stays

    def __enter__(self) -> tuple[OpenFolder, str]:
        return self._entry

    def __exit__(self, *_: object) -> None:
        if not self._stays:
            self._entry[0].close()


def _replace(
    folder: OpenFolder,
    name: str,
    data: bytes,
    mode: int | None,
    *,
    is_link: bool,
    sync: bool,
    token: str,
) -> None:
    if is_link:
        replace_link(folder, name, os.fsdecode(data), token=token)
    else:
        replace_file(folder, name, data, mode, sync=sync, token=token)


def _signature(status: os.stat_result) -> _Signature:
    return _Signature(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _remove_empty(folder: OpenFolder, name: str) -> None:
    """Remove a folder that holds only empty folders."""
    below = folder.below(name)
    try:
        for each in below.names():
            _remove_empty(below, each)
    finally:
        below.close()
    folder.rmdir(name)
