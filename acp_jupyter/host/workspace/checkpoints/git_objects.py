"""What a repository holds, read by one git process: trees of turns, their changes, files."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Self

from acp_jupyter.host.workspace.checkpoints.git import GitError, GitSlow, ShadowGit, kill_git
from acp_jupyter.host.workspace.checkpoints.tree_change import (
    LINK,
    NOTHING,
    Change,
    Side,
    TreeChange,
)

_ASKED = 100
"""Objects that are asked for together. The names of so many never fill a pipe."""
_NAME_BYTES = 20
_TREE = "40000"


class GitObjects:
    """Reads a repository. All methods block; one thread at a time.

    Parameters
    ----------
    git
        The repository.
    seconds
        For all that is read; then the process is ended.
    """

    def __init__(self, git: ShadowGit, seconds: float) -> None:
        self._git = git
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._timer: threading.Timer | None = None
        self._late = threading.Event()
        self._reading = False
        """Whether an answer was not read to its end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self._timer is not None:
            self._timer.cancel()
        if self._process is not None:
            kill_git(self._process)
            with contextlib.suppress(OSError), self._process:  # what it was asked is not read
                pass
            self._process.wait()
            self._process = None
        self._reading = False

    def named(self, names: Sequence[str]) -> list[str]:
        """Return the objects that refs name; an empty word for one that is not there.

        Raises
        ------
        GitError
            Git failed.
        """
        return [name for name, _, _ in self._read(names)]

    def blobs(self, names: Iterable[str]) -> Iterator[bytes]:
        """Yield what blobs hold, in their order.

        Raises
        ------
        GitError
            One of them is no longer kept, or git failed.
        """
        for _, kind, data in self._read(names):
            if kind != "blob":
                raise GitError("what it held is no longer kept")
            yield data

    def changes(self, before: str, after: str) -> list[TreeChange]:
        """Return what is different in two trees, in the order of the paths; renames as two changes.

        Raises
        ------
        GitError
            One of them is no longer kept, or git failed.
        """
        found: list[TreeChange] = []
        pending = [("", before, after)]
        while pending:
            folder, old_tree, new_tree = pending.pop()
            was, now = self._tree(old_tree), self._tree(new_tree)
            for name in was.keys() | now.keys():
                sides = was.get(name, NOTHING), now.get(name, NOTHING)
                if sides[0] == sides[1]:
                    continue
                below = [side.blob if side.mode == _TREE else "" for side in sides]
                old, new = (NOTHING if side.mode == _TREE else side for side in sides)
                if any(below):
                    pending.append((f"{folder}{name}/", below[0], below[1]))
                if old.exists or new.exists:
                    found.append(TreeChange(f"{folder}{name}", _change(old, new), old, new))
        return sorted(found, key=lambda change: os.fsencode(change.path))

    def _tree(self, name: str) -> dict[str, Side]:
        if not name:
            return {}
        ((_, kind, data),) = self._read([name])
        if kind != "tree":
            raise GitError("what was kept is no longer there")
        entries: dict[str, Side] = {}
        at = 0
        while at < len(data):
            mode, _, path = data[at : data.index(b"\0", at)].partition(b" ")
            at += len(mode) + len(path) + 2
            entries[os.fsdecode(path)] = Side(mode.decode(), data[at : at + _NAME_BYTES].hex())
            at += _NAME_BYTES
        return entries

    def _read(self, names: Iterable[str]) -> Iterator[tuple[str, str, bytes]]:
        """Yield the name, kind and content of objects; empty for those that are not there."""
        if self._reading:
            self.close()  # whoever asked last has stopped in the middle
        process, self._reading = self._running(), True
        assert process.stdin is not None
        assert process.stdout is not None
        left = iter(names)
        try:
            while asked := tuple(islice(left, _ASKED)):
                process.stdin.write("".join(f"{name}\n" for name in asked).encode())
                process.stdin.flush()
                for _ in asked:
                    head = process.stdout.readline().decode(errors="replace").split()
                    if not head:
                        raise self._failed()
                    if len(head) != 3 or not head[2].isdecimal():
                        yield "", "", b""
                        continue
                    size = int(head[2])
                    data = process.stdout.read(size + 1)
                    if len(data) != size + 1:
                        raise self._failed()
                    yield head[0], head[1], data[:size]
        except OSError:
            raise self._failed() from None
        self._reading = False

    def _failed(self) -> GitError:
        if self._late.is_set():
            return GitSlow(f"git took longer than {self._seconds:.0f} s")
        return GitError("git has ended")

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            process = self._process = self._git.start("cat-file", "--batch")
            self._timer = threading.Timer(self._seconds, self._end, (process,))
            self._timer.daemon = True
            self._timer.start()
        return self._process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        self._late.set()
        kill_git(process)


def _change(old: Side, new: Side) -> Change:
    if not old.exists:
        return "added"
    if not new.exists:
        return "deleted"
    return "modified" if (old.mode == LINK) is (new.mode == LINK) else "type"
