"""A folder as it was: what it holds, kept as a tree of git in a repository outside it.

The protocol does not say which files an agent changed, and most change them by their own tools. So
the folder is kept before and after each turn, whoever writes in it meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.host.checkpoints_git import GitError, GitMissing, GitSlow, GitTooMuch, ShadowGit
from acp_jupyter.host.checkpoints_lock import locked
from acp_jupyter.host.file_changes import RECORDS, SKIPPED, TEMPORARY, is_environment
from acp_jupyter.host.limits import Limits
from acp_jupyter.packets.display import human_size

__all__ = ["Checkpoints", "NotKept", "Taken"]

_BATCH_BYTES = 32 * 1024 * 1024
_BATCH_FILES = 2000
_PATH_BYTES = 400
"""Of a path and its mark, on average, at most."""


class NotKept(Exception):
    """The folder could not be kept; the message is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A folder that was kept."""

    tree: str
    left_out: frozenset[str] = frozenset()
    """Files that are not in it: too large, not readable, no plain files."""
    nested: tuple[str, ...] = ()
    """Folders with a repository of their own; they are not entered."""


@dataclass(slots=True)
class _Listed:
    paths: list[tuple[str, int]]
    """What must be looked at, with its size."""
    left_out: set[str]
    nested: list[str]


class Checkpoints:
    """Keeps one folder, again and again. Its calls block, one at a time.

    Parameters
    ----------
    root
        The folder.
    folder
        Where the repository is.
    limits
        See `Limits`.
    excluded
        Folders below ``root`` that are never kept.
    """

    def __init__(
        self, root: Path, folder: Path, limits: Limits, excluded: Iterable[Path] = ()
    ) -> None:
        self.git = ShadowGit(root, folder)
        self.limits = limits
        self.root = root
        self._excluded = tuple(excluded)
        self._lock = threading.Lock()

    def take(self, turn_id: str, moment: str, earlier: Taken | None = None) -> Taken:
        """Keep the folder as it is now.

        Parameters
        ----------
        turn_id, moment
            What it can be found by again: ``before`` and ``after`` a turn.
        earlier
            Taken before in the same turn; what is left out there is left out here.

        Raises
        ------
        NotKept
            It has too much in it, git is missing, or it took too long.
        """
        deadline = time.monotonic() + self.limits.checkpoint_seconds
        with self._mine(deadline):
            try:
                self.git.prepare(_left(deadline))
                listed = self._listed(
                    deadline, frozenset() if earlier is None else earlier.left_out
                )
                for batch in _batches(listed.paths):
                    self._enter(batch, deadline)
                tree = self._said("write-tree", deadline=deadline)
                self._said("update-ref", _ref(turn_id, moment), tree, deadline=deadline)
            except GitMissing:
                raise NotKept(
                    "Git is not installed here, so changes can't be taken back."
                ) from None
            except GitSlow:
                raise NotKept(
                    "Keeping the folder took longer than "
                    f"{self.limits.checkpoint_seconds:g} s, so changes can't be taken back."
                ) from None
            except GitTooMuch:
                raise self._too_many() from None
            except GitError as error:
                raise NotKept(f"The folder could not be kept: {error}.") from None
        return Taken(tree, frozenset(listed.left_out), tuple(listed.nested))

    def trees(self, turn_id: str) -> tuple[str, str] | None:
        """Return the trees before and after a turn; None if they are no longer kept."""
        refs = (_ref(turn_id, "before"), _ref(turn_id, "after"))
        seconds = self.limits.checkpoint_seconds
        try:
            said = self.git.run(
                "rev-parse", "--verify", "--end-of-options", refs[0], seconds=seconds
            )
            more = self.git.run(
                "rev-parse", "--verify", "--end-of-options", refs[1], seconds=seconds
            )
        except GitError:
            return None
        return said.decode().strip(), more.decode().strip()

    def forget(self, turn_ids: Iterable[str]) -> None:
        """Keep what these turns changed no longer. Never raises."""
        refs = [_ref(turn_id, moment) for turn_id in turn_ids for moment in ("before", "after")]
        deadline = time.monotonic() + self.limits.checkpoint_seconds
        with contextlib.suppress(GitError, NotKept), self._mine(deadline):
            lines = "".join(f"delete {ref}\n" for ref in refs)
            self.git.run("update-ref", "--stdin", stdin=lines.encode(), seconds=_left(deadline))
            self.git.run("gc", "-q", "--prune=now", seconds=_left(deadline))

    @contextlib.contextmanager
    def _mine(self, deadline: float) -> Iterator[None]:
        if not self._lock.acquire(timeout=max(0.0, _left(deadline))):
            raise NotKept("Another session was keeping this folder for too long.")
        try:
            with locked(self.git.folder.with_suffix(".lock"), deadline):
                yield
        except TimeoutError:
            raise NotKept("Another program was keeping this folder for too long.") from None
        finally:
            self._lock.release()

    def _listed(self, deadline: float, also_left_out: frozenset[str]) -> _Listed:
        """Return what is new, changed or gone since the last time."""
        said = self.git.run(
            *("ls-files", "-z", "-t", "--others", "--modified", "--deleted"),
            f"--exclude-from={self._excludes()}",
            "--exclude-standard",
            seconds=_left(deadline),
            most_bytes=self.limits.checkpoint_files * _PATH_BYTES,
        )
        entries = {os.fsdecode(line[2:]) for line in said.split(b"\0") if line}
        if len(entries) > self.limits.checkpoint_files:
            raise self._too_many()
        listed = _Listed([], set(), [])
        for path in sorted(entries):
            if path.endswith("/"):
                listed.nested.append(path)
            elif path in also_left_out or (size := self._size(path)) is None:
                listed.left_out.add(path)
            else:
                listed.paths.append((path, size))
        total = sum(size for _, size in listed.paths)
        if total > self.limits.checkpoint_bytes:
            raise NotKept(
                f"The folder has more than {human_size(self.limits.checkpoint_bytes)} in it, "
                "so changes can't be taken back."
            )
        return listed

    def _size(self, path: str) -> int | None:
        """Return how much there is to keep; None for what can't be kept."""
        try:
            path.encode()
            status = os.lstat(self.root / path)
        except (FileNotFoundError, NotADirectoryError):
            return 0  # it is gone, which is kept
        except (OSError, UnicodeEncodeError):
            return None
        if stat.S_ISDIR(status.st_mode) or stat.S_ISLNK(status.st_mode):
            return 0
        if not stat.S_ISREG(status.st_mode) or not os.access(self.root / path, os.R_OK):
            return None
        return status.st_size if status.st_size <= self.limits.checkpoint_file_bytes else None

    def _enter(self, paths: list[str], deadline: float) -> None:
        stdin = b"".join(path.encode() + b"\0" for path in paths)
        command = ("update-index", "-z", "--add", "--remove", "--replace", "--stdin")
        self.git.run(*command, stdin=stdin, seconds=_left(deadline))

    def _said(self, *args: str, deadline: float) -> str:
        return self.git.run(*args, seconds=_left(deadline)).decode().strip()

    def _excludes(self) -> Path:
        """Write what is never kept, whatever the folder's own ``.gitignore`` says."""
        lines = [f"{name}/" for name in sorted(SKIPPED)]
        lines += [f"*{RECORDS}/", *(f"{start}*" for start in TEMPORARY)]
        with contextlib.suppress(OSError), os.scandir(self.root) as entries:
            lines += [f"/{_escaped(e.name)}/" for e in entries if is_environment(e)]
        lines += [
            f"/{_escaped(folder.relative_to(self.root).as_posix())}/"
            for folder in self._excluded
            if folder.is_relative_to(self.root)
        ]
        path = self.git.folder / "excluded"
        path.write_bytes(b"".join(os.fsencode(line) + b"\n" for line in lines))
        return path

    def _too_many(self) -> NotKept:
        return NotKept(
            f"The folder has more than {self.limits.checkpoint_files:,} files, "
            "so changes can't be taken back."
        )


def _ref(turn_id: str, moment: str) -> str:
    if not turn_id.isalnum():
        raise GitError("this is no turn")
    return f"refs/turns/{turn_id}/{moment}"


def _left(deadline: float) -> float:
    return deadline - time.monotonic()


def _batches(paths: list[tuple[str, int]]) -> Iterator[list[str]]:
    """Cut what must be read into pieces, each of which stays read if time runs out."""
    batch: list[str] = []
    room = _BATCH_BYTES
    for path, size in paths:
        batch.append(path)
        room -= size
        if room <= 0 or len(batch) == _BATCH_FILES:
            yield batch
            batch, room = [], _BATCH_BYTES
    if batch:
        yield batch


def _escaped(name: str) -> str:
    return "".join(f"\\{char}" if char in "\\*?[ " else char for char in name)
