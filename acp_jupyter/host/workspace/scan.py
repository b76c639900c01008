"""Scans a folder: which files a turn made, changed and deleted, whoever did it.

The protocol does not say it: most agents write by their own tools. The session's folder is
scanned before and after the turn, within bounds. ``.gitignore`` is not asked: what an agent was
told to make, a plot or a table, is often ignored by git. A file's birth time tells a move from a
new file.
"""

from __future__ import annotations

import ctypes
import functools
import os
import stat
import struct
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from acp_jupyter.host.limits import Limits

SKIPPED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".venv",
        "__pycache__",
        "node_modules",
    }
)
_ENVIRONMENT = "pyvenv.cfg"
RECORDING_FOLDER_SUFFIX = ".acp"
TEMPORARY = (".~", ".replay-")
"""Beginnings of files that Jupyter and the replay agent write and rename at once."""


class Signature(NamedTuple):
    """What changes whenever a file's content does."""

    size: int
    mtime_ns: int
    inode: int
    mode: int = 0
    """Its permission bits."""


@dataclass(frozen=True, slots=True)
class FolderScan:
    """The plain files below a folder, by their path relative to it."""

    files: Mapping[str, Signature]
    whole: bool = True
    """Whether that is all of them; False beyond a bound."""
    folders: Mapping[str, int] = field(default_factory=dict)
    """Their inodes."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """The inodes of what is there besides: links, pipes, folders that were not looked into."""

    def has(self, path: str) -> bool:
        """Tell whether a file was there, or lay in a folder that was not looked into."""
        return path in self.files or any(each in self.unread for each in lineage(path))

    def inode(self, path: str) -> int | None:
        """Return that of a folder, a link or a pipe."""
        return self.folders.get(path, self.unread.get(path))


@dataclass(frozen=True, slots=True)
class FileChanged:
    """What became of one file."""

    path: str
    """Relative to the folder, with forward slashes."""
    how: Literal["made", "changed", "deleted"]


def scan(root: Path, limits: Limits, own: Collection[str] = ()) -> FolderScan:
    """Look at every plain file below ``root``. Blocks, at most about ``scan_seconds``.

    Links are not followed. Caches, virtual environments, version control and records of
    notebooks are left out, and so are the folders ``own``, relative to ``root``.
    """
    deadline = time.monotonic() + limits.scan_seconds
    files: dict[str, Signature] = {}
    seen_folders: dict[str, int] = {}
    unread: dict[str, int] = {}
    folders = [("", str(root))]
    seen = 0
    while folders:
        prefix, folder = folders.pop()
        entries = _entries(folder, limits.scan_files + 1)
        if entries is None or any(entry.name == _ENVIRONMENT for entry in entries):
            if name := prefix.removesuffix("/"):
                unread[name] = seen_folders.pop(name)
            continue
        for entry in entries:
            seen += 1
            if seen > limits.scan_files or time.monotonic() > deadline:
                return FolderScan(files, whole=False, unread=unread)
            if not _is_text(entry.name):
                continue
            if _is_folder(entry):
                skipped = entry.name in SKIPPED or entry.name.endswith(RECORDING_FOLDER_SUFFIX)
                if skipped or prefix + entry.name in own:
                    unread[prefix + entry.name] = entry.inode()
                else:
                    seen_folders[prefix + entry.name] = entry.inode()
                    folders.append((f"{prefix}{entry.name}/", entry.path))
            elif signature := _signature(entry):
                files[prefix + entry.name] = signature
            else:
                unread[prefix + entry.name] = entry.inode()
    return FolderScan(files, folders=seen_folders, unread=unread)


def lineage(path: str) -> Iterator[str]:
    """Yield the folders above a path, from the top, and itself."""
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts) + 1))


def changes(before: FolderScan, after: FolderScan) -> tuple[FileChanged, ...]:
    """Return what is different, in the order of the paths; nothing where a scan is not whole."""
    if not (before.whole and after.whole):
        return ()
    old, new = before.files, after.files
    found = [FileChanged(path, "made") for path in new.keys() - old.keys()]
    found += [FileChanged(path, "deleted") for path in old.keys() - new.keys()]
    both = old.keys() & new.keys()
    found += [FileChanged(path, "changed") for path in both if old[path] != new[path]]
    return tuple(sorted(found, key=lambda change: change.path))


def is_environment(entry: os.DirEntry[str]) -> bool:
    """Tell whether a folder is a virtual environment."""
    return _is_folder(entry) and os.path.exists(os.path.join(entry.path, _ENVIRONMENT))


def _entries(folder: str, most: int) -> list[os.DirEntry[str]] | None:
    try:
        with os.scandir(folder) as entries:
            return list(islice(entries, most))
    except OSError:
        return None  # gone meanwhile, or not ours to read


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _signature(entry: os.DirEntry[str]) -> Signature | None:
    """Return what is known of a plain file; None for anything else."""
    if entry.name.startswith(TEMPORARY):
        return None
    try:
        if not entry.is_file(follow_symlinks=False):
            return None
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    mode = stat.S_IMODE(status.st_mode)
    return Signature(status.st_size, status.st_mtime_ns, status.st_ino, mode)


_HERE, _NO_LINKS, _BIRTH, _BYTES = -100, 0x100, 0x800, 256
"""Of statx(2): AT_FDCWD, AT_SYMLINK_NOFOLLOW, STATX_BTIME, size of its structure."""
_BIRTH_AT = 80


def born_ns(path: str | os.PathLike[str]) -> int | None:
    """Return when a file was made, in nanoseconds since 1970; None where nobody knows. Blocks.

    `os.stat` tells it on macOS alone; Linux tells it by a call of its own, and some file systems
    don't keep it.
    """
    call = _statx()
    if call is None:
        try:
            seconds = getattr(os.lstat(path), "st_birthtime", None)
        except OSError:
            return None
        return None if seconds is None else int(seconds * 1e9)
    told = ctypes.create_string_buffer(_BYTES)
    if call(_HERE, os.fsencode(path), _NO_LINKS, _BIRTH, told) != 0:
        return None
    (mask,) = struct.unpack_from("=I", told)
    if not mask & _BIRTH:
        return None
    seconds, nanoseconds = struct.unpack_from("=qI", told, _BIRTH_AT)
    return int(seconds * 1_000_000_000 + nanoseconds)


@functools.cache
def _statx() -> Callable[..., int] | None:
    try:
        call = ctypes.CDLL(None).statx
    except (AttributeError, OSError, TypeError):
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_char_p]
    call.restype = ctypes.c_int
    return call
