"""What is different between two checkpoints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from acp_jupyter.host.checkpoints.git import GitError, ShadowGit

__all__ = ["NOTHING", "Side", "TreeChange", "blobs", "sizes", "tree_changes"]

_LINK = "120000"
_COMPARED_NAMES = "-l200"
"""Beyond so many new and gone files nobody looks which were renamed."""

Change = Literal["added", "modified", "deleted", "renamed", "type"]
_CHANGES: dict[str, Change] = {
    "A": "added",
    "D": "deleted",
    "M": "modified",
    "R": "renamed",
    "T": "type",
}


@dataclass(frozen=True, slots=True)
class Side:
    """A file on one side of a comparison."""

    mode: str
    """As git has it: ``100644``, ``100755``, ``120000`` for a link; zeros for nothing."""
    blob: str

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return self.mode.strip("0") != ""

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return self.mode == _LINK

    @property
    def is_executable(self) -> bool:
        """Whether its user may run it."""
        return self.mode == "100755"


NOTHING = Side("000000", "0" * 40)


@dataclass(frozen=True, slots=True)
class TreeChange:
    """What became of one file."""

    path: str
    change: Change
    old: Side
    new: Side
    old_path: str = ""
    added: int | None = None
    removed: int | None = None

    @property
    def binary(self) -> bool:
        """Whether git takes it for no text."""
        return self.added is None

    def parts(self) -> tuple[TreeChange, ...]:
        """Return a rename as what it is on disk: one file gone, one new."""
        if self.change != "renamed":
            return (self,)
        gone = replace(self, path=self.old_path, old_path="", change="deleted", new=NOTHING)
        return gone, replace(self, old_path="", change="added", old=NOTHING)


def tree_changes(
    git: ShadowGit, before: str, after: str, seconds: float, *, renames: bool = True
) -> list[TreeChange]:
    """Compare two trees.

    Parameters
    ----------
    git
        Where they are kept.
    before, after
        Their names.
    seconds
        For all of it.
    renames
        Whether a file that is gone and a new one like it are told as one change.

    Raises
    ------
    GitError
        One of them is no longer kept, or it took too long.
    """
    looking = ("-M", _COMPARED_NAMES) if renames else ("--no-renames",)
    command = ("diff-tree", "-r", "-z", "--raw", "--numstat", *looking, "--no-abbrev")
    said = git.run(*command, before, after, seconds=seconds)
    return list(_changes(said.split(b"\0")))


def _changes(fields: list[bytes]) -> Iterator[TreeChange]:
    """Read ``:modes blobs letter``, path, for each file; then its numbers in the same order."""
    position = 0
    raw: dict[str, TreeChange] = {}
    while position < len(fields) and fields[position].startswith(b":"):
        old_mode, new_mode, old_blob, new_blob, letter = fields[position][1:].decode().split()
        change = _CHANGES.get(letter[0], "modified")
        paths = [os.fsdecode(path) for path in fields[position + 1 : position + 3]]
        renamed = change == "renamed"
        path = paths[1] if renamed else paths[0]
        old, new = Side(old_mode, old_blob), Side(new_mode, new_blob)
        raw[path] = TreeChange(path, change, old, new, paths[0] if renamed else "")
        position += 3 if renamed else 2
    while position < len(fields) and fields[position].count(b"\t") == 2:
        added, removed, name = fields[position].split(b"\t")
        position += 1
        if not name:
            name = fields[position + 1]
            position += 2
        path = os.fsdecode(name)
        if path in raw and added != b"-":
            raw[path] = replace(raw[path], added=int(added), removed=int(removed))
    yield from raw.values()


def sizes(git: ShadowGit, names: Iterable[str], seconds: float) -> dict[str, int]:
    """Return how large blobs are; those that are not kept are not in it."""
    wanted = "".join(f"{name}\n" for name in names).encode()
    if not wanted:
        return {}
    said = git.run("cat-file", "--batch-check", stdin=wanted, seconds=seconds).decode()
    parts = (line.split() for line in said.splitlines())
    return {part[0]: int(part[2]) for part in parts if len(part) == 3 and part[1] == "blob"}


def blobs(
    git: ShadowGit, names: Iterable[str], seconds: float, most_bytes: int
) -> dict[str, bytes]:
    """Return what blobs hold, the first ones that fit within ``most_bytes`` together.

    Raises
    ------
    GitError
        They could not be read.
    """
    room = most_bytes
    fitting: list[str] = []
    for name, size in sizes(git, names, seconds).items():
        if size <= room:
            room -= size
            fitting.append(name)
    if not fitting:
        return {}
    wanted = "".join(f"{name}\n" for name in fitting).encode()
    bound = most_bytes + 100 * len(fitting)
    said = git.run("cat-file", "--batch", stdin=wanted, seconds=seconds, most_bytes=bound)
    found: dict[str, bytes] = {}
    position = 0
    for name in fitting:
        end = said.index(b"\n", position)
        head = said[position:end].split()
        if len(head) != 3:
            raise GitError("what was kept is no longer there")
        start, size = end + 1, int(head[2])
        found[name] = said[start : start + size]
        position = start + size + 1
    return found
