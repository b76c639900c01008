"""Scans a folder to find files that were created, changed or deleted during a turn.

The protocol does not report them: most agents write with their own tools. The session's folder is
scanned before and after the turn, within limits. ``.gitignore`` is not used: a plot or table that
an agent creates is often ignored by git. A file's birth time distinguishes a move from a new file.
"""

from __future__ import annotations

import ctypes
import functools
import os
import stat
import struct
import sys
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
        ".jupyter_cache",
        ".lsp_symlink",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".venv",
        ".virtual_documents",
        "__pycache__",
        "node_modules",
    }
)
"""Folders of tools: of version control, Jupyter, jupyter-cache, jupyterlab-lsp, Python and Node."""
_ENVIRONMENT = "pyvenv.cfg"
RECORDING_FOLDER_SUFFIX = ".acp"
TEMPORARY = (".~", ".replay-", ".jupyter_ystore.db")
"""Prefixes of files that are nobody's work.

Jupyter and the replay agent write and rename them at once; the last holds jupyter-collaboration's
documents.
"""


class Signature(NamedTuple):
    """File metadata that changes whenever the content does."""

    size: int
    mtime_ns: int
    inode: int
    mode: int = 0
    """The permission bits."""


@dataclass(frozen=True, slots=True)
class FolderScan:
    """The plain files below a folder, by relative path."""

    files: Mapping[str, Signature]
    whole: bool = True
    """Whether all files were found; False if a limit was reached."""
    folders: Mapping[str, int] = field(default_factory=dict)
    """Inodes of the folders."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """Inodes of everything else: links, pipes, folders that were not scanned."""
    odd_names: Mapping[str, Signature] = field(default_factory=dict)
    """Files whose names are not UTF-8, as `os.fsdecode` has them: no checkpoint holds them."""

    def has(self, path: str) -> bool:
        """Return whether a file existed, or lay in a folder that was not scanned."""
        return path in self.files or any(each in self.unread for each in lineage(path))

    def inode(self, path: str) -> int | None:
        """Return the inode of a folder, link or pipe."""
        return self.folders.get(path, self.unread.get(path))


@dataclass(frozen=True, slots=True)
class FileChanged:
    """A changed file."""

    path: str
    """Path relative to the folder, with forward slashes."""
    how: Literal["made", "changed", "deleted"]


def scan(root: Path, limits: Limits, own: Collection[str] = ()) -> FolderScan:
    """Scan all plain files below ``root``. Blocks, at most about ``scan_seconds``.

    Links are not followed. Caches, virtual environments, version control and recordings are left
    out, and so are the folders ``own``, relative to ``root``.
    """
    deadline = time.monotonic() + limits.scan_seconds
    files: dict[str, Signature] = {}
    seen_folders: dict[str, int] = {}
    unread: dict[str, int] = {}
    odd_names: dict[str, Signature] = {}
    folders = [("", str(root))]
    seen = 0
    while folders:
        prefix, folder = folders.pop()
        entries = _entries(folder, limits.scan_files + 1)
        if entries is None or any(entry.name == _ENVIRONMENT for entry in entries):
            if (name := prefix.removesuffix("/")) in seen_folders:
                unread[name] = seen_folders.pop(name)
            continue
        for entry in entries:
            seen += 1
            if seen > limits.scan_files or time.monotonic() > deadline:
                return FolderScan(files, whole=False, unread=unread)
            path = prefix + entry.name
            text = files, seen_folders, unread
            plain, looked_in, other = text if is_utf8(path) else (odd_names, {}, {})
            if _is_folder(entry):
                if entry.name in SKIPPED or _is_recording(entry.name) or path in own:
                    other[path] = entry.inode()
                else:
                    looked_in[path] = entry.inode()
                    folders.append((f"{path}/", entry.path))
            elif signature := _signature(entry):
                plain[path] = signature
            else:
                other[path] = entry.inode()
    return FolderScan(files, folders=seen_folders, unread=unread, odd_names=odd_names)


def lineage(path: str) -> Iterator[str]:
    """Yield the folders above a path, from the top, and the path itself."""
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts) + 1))


def changes(before: FolderScan, after: FolderScan) -> tuple[FileChanged, ...]:
    """Return the changed files in the order of their paths; none if a scan is not whole."""
    if not (before.whole and after.whole):
        return ()
    return _compared(before.files, after.files)


def odd_changes(before: FolderScan, after: FolderScan) -> tuple[FileChanged, ...]:
    """Return the changed files whose names are not UTF-8."""
    if not (before.whole and after.whole):
        return ()
    return _compared(before.odd_names, after.odd_names)


def _compared(
    old: Mapping[str, Signature], new: Mapping[str, Signature]
) -> tuple[FileChanged, ...]:
    found = [FileChanged(path, "made") for path in new.keys() - old.keys()]
    found += [FileChanged(path, "deleted") for path in old.keys() - new.keys()]
    both = old.keys() & new.keys()
    found += [FileChanged(path, "changed") for path in both if old[path] != new[path]]
    return tuple(sorted(found, key=lambda change: change.path))


def is_environment(entry: os.DirEntry[str]) -> bool:
    """Return whether a folder is a virtual environment."""
    return _is_folder(entry) and os.path.exists(os.path.join(entry.path, _ENVIRONMENT))


def _entries(folder: str, most: int) -> list[os.DirEntry[str]] | None:
    try:
        with os.scandir(folder) as entries:
            return list(islice(entries, most))
    except OSError:
        return None  # deleted meanwhile, or not readable


def _is_recording(name: str) -> bool:
    return name.endswith(RECORDING_FOLDER_SUFFIX)


def is_utf8(path: str) -> bool:
    """Return whether a path of `os.fsdecode` is UTF-8 on the disk."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def readable(path: str) -> str:
    r"""Return a path as text that JSON can hold: ``caf\xe9`` for bytes that are not UTF-8."""
    return os.fsencode(path).decode(errors="backslashreplace")


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _signature(entry: os.DirEntry[str]) -> Signature | None:
    """Return the signature of a plain file; None for anything else."""
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
"""Constants of statx(2): AT_FDCWD, AT_SYMLINK_NOFOLLOW, STATX_BTIME, size of its structure."""
_BIRTH_AT = 80


_COARSE_CLOCK = 5
"""CLOCK_REALTIME_COARSE of Linux, which the `time` module has no name for."""
_TICK_SECONDS = 0.1


def next_file_time_ns() -> int:
    """Return a time after those of existing files and not after those of later files. Blocks.

    In nanoseconds since 1970. On Linux the times of files lag behind the clock, as they advance in
    ticks, which may be late.
    """
    now, end = time.time_ns(), time.monotonic() + _TICK_SECONDS
    if sys.platform == "linux":
        while time.clock_gettime_ns(_COARSE_CLOCK) < now and time.monotonic() < end:
            time.sleep(0.001)
    return now


def birthtime_ns(path: str | os.PathLike[str]) -> int | None:
    """Return a file's birth time in nanoseconds since 1970; None if unknown. Blocks.

    `os.stat` has it on macOS only; Linux has statx(2), and some file systems don't store it.
    """
    call = _statx()
    if call is None:
        try:
            seconds = getattr(os.lstat(path), "st_birthtime", None)
        except OSError:
            return None
        return None if seconds is None else int(seconds * 1e9)
    buffer = ctypes.create_string_buffer(_BYTES)
    if call(_HERE, os.fsencode(path), _NO_LINKS, _BIRTH, buffer) != 0:
        return None
    (mask,) = struct.unpack_from("=I", buffer)
    if not mask & _BIRTH:
        return None
    seconds, nanoseconds = struct.unpack_from("=qI", buffer, _BIRTH_AT)
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
