"""Reads trees, changes and files from a repository, with at most one git process."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
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
    seconds
        Timeout for everything; then the process is ended.
    """

    def __init__(self, git: ShadowGit, seconds: float) -> None:
        self._git = git
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._timer: threading.Timer | None = None
        self._late = threading.Event()
        self._reading = False
        """Whether an answer was not read to its end."""
        self._changes: dict[tuple[str, str], tuple[TreeChange, ...]] = {}

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
            with contextlib.suppress(OSError), self._process:  # its last answer was not read
                pass
            self._process.wait()
            self._process = None
        self._reading = False

    def named(self, names: Sequence[str]) -> list[str]:
        """Return the objects that refs name; an empty word for one that is not there."""
        return [name for name, _, _ in self._read(names)]

    def blobs(self, names: Iterable[str]) -> Iterator[bytes]:
        """Yield the contents of blobs, in order."""
        for kind, data in self._held(names):
            if kind != "blob":
                raise GitError("what it held is no longer kept")
            yield data

    def changes(self, before: str, after: str) -> list[TreeChange]:
        """Return the changes between two trees, ordered by path; renames are two changes."""
        known = self._changes.get((before, after))
        if known is None:
            known = self._changes[before, after] = tuple(self._compared(before, after))
        return list(known)

    def _compared(self, before: str, after: str) -> list[TreeChange]:
        found: list[TreeChange] = []
        folders = [("", before, after)]
        while folders:
            trees = self._trees({tree for _, *both in folders for tree in both if tree})
            below: list[tuple[str, str, str]] = []
            for folder, old_tree, new_tree in folders:
                was, now = trees.get(old_tree, {}), trees.get(new_tree, {})
                for name in was.keys() | now.keys():
                    sides = was.get(name, NOTHING), now.get(name, NOTHING)
                    if sides[0] == sides[1]:
                        continue
                    inside = [side.blob if side.mode == _TREE else "" for side in sides]
                    old, new = (NOTHING if side.mode == _TREE else side for side in sides)
                    if any(inside):
                        below.append((f"{folder}{name}/", inside[0], inside[1]))
                    if old.exists or new.exists:
                        found.append(TreeChange(f"{folder}{name}", _change(old, new), old, new))
            folders = below
        return sorted(found, key=lambda change: os.fsencode(change.path))

    def _trees(self, names: Collection[str]) -> dict[str, dict[str, Side]]:
        """Return the entries of trees; each level is requested at once."""
        found: dict[str, dict[str, Side]] = {}
        asked = list(names)
        for name, (kind, data) in zip(asked, self._held(asked), strict=True):
            if kind != "tree":
                raise GitError("what was kept is no longer there")
            found[name] = _entries(data)
        return found

    def _held(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the kind and content of objects; empty for missing ones.

        The files of a turn are mostly loose objects, which are several times faster to read here.
        """
        left = iter(names)
        while asked := tuple(islice(left, _ASKED)):
            found = {name: self._loose(name) for name in asked}
            others = [name for name, held in found.items() if held is None]
            if others:
                answers = [(kind, data) for _, kind, data in self._read(others)]
                found.update(zip(others, answers, strict=True))
            for name in asked:
                yield found[name] or ("", b"")

    def _loose(self, name: str) -> tuple[str, bytes] | None:
        """Return a loose object; None if git has to read it."""
        if not (len(name) == 2 * _NAME_BYTES and name.isalnum()):
            return None
        try:
            with open(f"{self._git.folder}/objects/{name[:2]}/{name[2:]}", "rb", 0) as file:
                head, _, data = zlib.decompress(file.read()).partition(b"\0")
        except (OSError, zlib.error):
            return None
        kind, _, size = head.decode("ascii", "replace").partition(" ")
        return (kind, data) if size == str(len(data)) else None

    def _read(self, names: Iterable[str]) -> Iterator[tuple[str, str, bytes]]:
        """Yield the name, kind and content of objects; empty for missing ones."""
        if self._reading:
            self.close()  # the last caller stopped in the middle of an answer
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


def _entries(tree: bytes) -> dict[str, Side]:
    """Return the entries of a tree by name."""
    entries: dict[str, Side] = {}
    at = 0
    while at < len(tree):
        end = tree.index(b"\0", at)
        mode, _, path = tree[at:end].partition(b" ")
        at = end + 1 + _NAME_BYTES
        entries[os.fsdecode(path)] = Side(mode.decode(), tree[end + 1 : at].hex())
    return entries


def _change(old: Side, new: Side) -> Change:
    if not old.exists:
        return "added"
    if not new.exists:
        return "deleted"
    return "modified" if (old.mode == LINK) is (new.mode == LINK) else "type"
