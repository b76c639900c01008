"""Copies of a folder as of one checkpoint; each variant of a prompt works in its own.

If the file system can, it shares the bytes of a file with its copy (a reflink: writing to one
separates them). Otherwise files are copied, within a limit. No hard links are made, and no links
that lead out of the folder. Each copy is compared with the checkpoint.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath

from acp_jupyter.errors import BadRequest, DiskRefused, plain_reason
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointFailed, Checkpoints
from acp_jupyter.host.workspace.checkpoints.git import GitError
from acp_jupyter.host.workspace.scan import SKIPPED, is_utf8, readable
from acp_jupyter.protocol.files import human_size
from acp_jupyter.system.shared_bytes import share_bytes

_LINK = "120000"
_PIECE_BYTES = 1024 * 1024
_BASE_SECONDS = 60.0
"""Limit for the checkpoint, as a user waits for it and sees that."""
_COMPARE_SECONDS = 120.0
"""Limit for one copy, whose files are read once."""
_NAMED = 3
_CACHES = SKIPPED - {".venv", "node_modules"}
"""Nobody misses them in a copy."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


class CopyStopped(Exception):
    """The copy is no longer needed."""


@dataclass(frozen=True, slots=True)
class FolderBase:
    """A checkpoint that copies are made from."""

    checkpoints: Checkpoints
    name: str
    """A name like a turn's id; the checkpoint is found by it."""
    tree: str
    files: tuple[str, ...]
    links: tuple[str, ...]
    folders: tuple[str, ...]
    """The folders, including empty ones."""
    odd_names: tuple[str, ...]
    """Files that no checkpoint holds, as their names are not UTF-8."""
    left_out: Mapping[str, str]
    """Other paths that are not in the checkpoint, and why."""


def take_base(checkpoints: Checkpoints, name: str) -> FolderBase:
    """Make the checkpoint that copies are made from. Blocks."""
    try:
        taken = checkpoints.take(name, "before", seconds=_BASE_SECONDS)
    except CheckpointFailed as error:
        words = str(error).removesuffix(", so changes can't be reverted.")
        raise BadRequest(f"No copy of the folder can be made. {words.rstrip('.')}.") from None
    try:
        output = checkpoints.git.run(
            *("ls-tree", "-r", "-z", taken.tree), seconds=checkpoints.limits.checkpoint_seconds
        )
        ignored = sorted(checkpoints.ignored())
    except GitError as error:
        _forget(checkpoints, name)
        raise BadRequest(f"No copy of the folder can be made: {error}.") from None
    entries = [entry.partition(b"\t") for entry in output.split(b"\0") if entry]
    modes = {os.fsdecode(path): facts[:6].decode() for facts, _, path in entries}
    left_out = {path: "ignored by git" for path in ignored if not _is_cache(path)}
    left_out |= {path.rstrip("/"): "a repository of its own" for path in taken.nested}
    odd_names = tuple(
        path
        for path in sorted(taken.left_out)
        if not is_utf8(path) and _is_small(checkpoints.root / path, checkpoints.limits)
    )
    others = sorted(taken.left_out.difference(odd_names))
    left_out |= dict.fromkeys(others, "too large, or can't be read")
    return FolderBase(
        checkpoints,
        name,
        taken.tree,
        tuple(path for path, mode in modes.items() if mode != _LINK),
        tuple(path for path, mode in modes.items() if mode == _LINK),
        tuple(checkpoints.folders({*ignored, *(path.rstrip("/") for path in taken.nested)})),
        odd_names,
        left_out,
    )


def _is_small(path: Path, limits: Limits) -> bool:
    """Return whether a checkpoint could contain a file."""
    try:
        status = path.lstat()
    except OSError:
        return False
    fits = status.st_size <= limits.checkpoint_file_bytes
    return stat.S_ISREG(status.st_mode) and fits and os.access(path, os.R_OK)


def _is_cache(path: str) -> bool:
    return PurePosixPath(path).name in _CACHES


def drop_base(base: FolderBase) -> None:
    """Forget a checkpoint that is no longer copied. Blocks; never raises."""
    _forget(base.checkpoints, base.name)


def _forget(checkpoints: Checkpoints, name: str) -> None:
    with contextlib.suppress(GitError):
        checkpoints.git.run(
            *("update-ref", "-d", f"refs/turns/{name}/before"),
            seconds=checkpoints.limits.checkpoint_seconds,
        )


class FolderCopier:
    """Makes one copy. Blocks."""

    def __init__(self, base: FolderBase, copy: Checkpoints, stop: threading.Event) -> None:
        self._base = base
        self._source = base.checkpoints.root
        self._target = copy.root
        self._git = copy.git
        self._limits = copy.limits
        self._stop = stop
        self._shares = True
        """Whether the file system shares bytes, as far as it is known."""
        self._checked = False
        """Whether all that is copied has room."""

    def run(self) -> str:
        """Make the copy; return what was left out, in words."""
        left_out = dict(self._base.left_out)
        try:
            self._target.mkdir(mode=0o700, parents=True)
            # First, because the index of a copy keeps the repository from being discarded.
            self._git.run("read-tree", self._base.tree, seconds=_COMPARE_SECONDS)
            for path in (*self._base.files, *self._base.odd_names):
                self._copy(path)
            for path in sorted(self._base.left_out):
                if self._shares and self._share_large(path):
                    del left_out[path]
            for path in self._base.links:
                if not self._copy_link(path):
                    left_out[path] = "a link that leads out of the folder"
            self._compare(left_out)
            for path in self._base.folders:
                self._make_folder(path)
            self._begin_repository()
        except OSError as error:
            raise DiskRefused(plain_reason(error)) from None
        except GitError as error:
            raise BadRequest(f"No copy of the folder can be made: {error}.") from None
        return " ".join(_words(left_out))

    def _copy(self, path: str) -> None:
        """Copy a file; if it changes meanwhile, the final comparison corrects the copy."""
        if self._stop.is_set():
            raise CopyStopped
        try:
            source = os.open(self._source / path, _FLAGS)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EACCES, errno.ENXIO}:
                return
            raise
        with os.fdopen(source, "rb") as file:
            status = os.fstat(source)
            if stat.S_ISREG(status.st_mode):
                target = self._target / path
                target.parent.mkdir(parents=True, exist_ok=True)
                with os.fdopen(os.open(target, _NEW, 0o600), "wb") as copied:
                    if not self._share(source, copied.fileno()):
                        self._must_fit()
                        shutil.copyfileobj(file, copied, _PIECE_BYTES)
                    os.chmod(
                        copied.fileno() if os.chmod in os.supports_fd else target,
                        stat.S_IMODE(status.st_mode),
                    )
                os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _share(self, source: int, target: int) -> bool:
        """Ask the file system to share the bytes; return whether it does."""
        self._shares = self._shares and share_bytes(source, target)
        return self._shares

    def _share_large(self, path: str) -> bool:
        """Share a file that is too large for a checkpoint; return whether that worked."""
        try:
            status = os.lstat(self._source / path)
        except (OSError, ValueError):
            return False
        if not stat.S_ISREG(status.st_mode) or status.st_size <= self._limits.checkpoint_file_bytes:
            return False
        if self._base.left_out[path] == "ignored by git":
            return False
        self._copy(path)
        if not self._shares:
            (self._target / path).unlink(missing_ok=True)
        return self._shares

    def _must_fit(self) -> None:
        """Check once, at the first file that can't be shared, that there is room for all."""
        if self._checked:
            return
        self._checked = True
        total = sum(self._sizes())
        if total > self._limits.copy_bytes:
            raise BadRequest(
                f"The folder has {human_size(total)} to copy, and the limit is "
                f"{human_size(self._limits.copy_bytes)}: this file system can't share files with "
                "a copy. Let git ignore what the agents don't need."
            )
        free = shutil.disk_usage(self._target).free
        if total > free:
            raise DiskRefused(
                f"a copy of the folder needs {human_size(total)}, {human_size(free)} are free"
            )

    def _sizes(self) -> Iterator[int]:
        for path in (*self._base.files, *self._base.odd_names):
            with contextlib.suppress(OSError):
                yield os.lstat(self._source / path).st_size

    def _make_folder(self, path: str) -> None:
        """Create a folder that has no files, unless something else is at its path."""
        if self._stop.is_set():
            raise CopyStopped
        with contextlib.suppress(FileExistsError, NotADirectoryError):
            (self._target / path).mkdir(parents=True, exist_ok=True)

    def _copy_link(self, path: str) -> bool:
        """Copy a link that stays in the folder; return False for any other."""
        try:
            leads_to = os.readlink(self._source / path)
        except OSError:
            return False
        beside = os.path.normpath(os.path.join(os.path.dirname(path), leads_to))
        if os.path.isabs(leads_to) or beside.split("/")[0] == "..":
            return False
        real = Path(os.path.realpath(self._source / path))
        if not real.is_relative_to(os.path.realpath(self._source)):
            return False
        target = self._target / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(leads_to)
        return True

    def _compare(self, left_out: Mapping[str, str]) -> None:
        """Make the copy equal to the checkpoint, even if the folder has changed meanwhile."""
        git, seconds = self._git, _COMPARE_SECONDS
        gone = [path for path in self._base.links if path in left_out]
        if gone:
            stdin = b"".join(os.fsencode(path) + b"\0" for path in gone)
            command = ("update-index", "--force-remove", "-z", "--stdin")
            git.run(*command, stdin=stdin, seconds=seconds)
        git.run("update-index", "-q", "--refresh", seconds=seconds, fine=(0, 1))
        others = git.run("diff-files", "-z", "--name-only", seconds=seconds)
        if others:
            for path in others.split(b"\0"):
                with contextlib.suppress(OSError):
                    if path:
                        os.unlink(self._target / os.fsdecode(path))
            git.run("checkout-index", "-f", "-z", "--stdin", stdin=others, seconds=seconds)
            git.run("update-index", "-q", "--refresh", seconds=seconds, fine=(0, 1))

    def _begin_repository(self) -> None:
        """Create an empty repository, so that git in the copy finds none above it."""
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(
                ["git", "init", "-q", "--template="],
                cwd=self._target,
                env={
                    "PATH": os.environ.get("PATH", os.defpath),
                    "HOME": str(self._target),
                    "GIT_CONFIG_GLOBAL": os.devnull,
                    "GIT_CONFIG_NOSYSTEM": "1",
                },
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self._limits.checkpoint_seconds,
                check=False,
            )


def _words(left_out: Mapping[str, str]) -> Iterable[str]:
    if not left_out:
        return
    by_why = groupby(sorted(left_out, key=left_out.__getitem__), left_out.__getitem__)
    named = ", ".join(f"{_listed([*paths])} ({why})" for why, paths in by_why)
    yield f"Not in the copy: {named}."


def _listed(paths: list[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(map(readable, paths[:_NAMED])) + (f" and {more} more" if more > 0 else "")
