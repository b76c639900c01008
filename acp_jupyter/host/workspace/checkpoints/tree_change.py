"""Changes of single files between two trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from acp_jupyter.protocol.host_events.session import ChangedFile

LINK = "120000"
"""The mode of a symbolic link."""

Change = Literal["added", "modified", "deleted", "renamed", "type"]
"""The kind of a file's change."""


@dataclass(frozen=True, slots=True)
class Side:
    """A file on one side of a comparison."""

    mode: str
    """Git's mode: ``100644``, ``100755``, ``120000`` for a link; zeros for no file."""
    blob: str

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return self.mode.strip("0") != ""

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return self.mode == LINK

    @property
    def is_executable(self) -> bool:
        """Whether the file is executable."""
        return self.mode == "100755"


NOTHING = Side("000000", "0" * 40)


@dataclass(frozen=True, slots=True)
class TreeChange:
    """The change of one file."""

    path: str
    change: Change
    old: Side
    new: Side
    old_path: str = ""
    added: int | None = None
    removed: int | None = None

    @property
    def binary(self) -> bool:
        """Whether git takes the file for binary."""
        return self.added is None

    def as_changed_file(self, sizes_of: Mapping[str, int]) -> ChangedFile:
        """Return the change for the turn's note; ``sizes_of`` has bytes by blob."""
        return ChangedFile(
            path=self.path,
            change=self.change,
            old_path=self.old_path,
            added=self.added,
            removed=self.removed,
            binary=self.binary,
            size=sizes_of.get((self.new if self.new.exists else self.old).blob),
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """The file's path, and its former path if it was renamed."""
        return (self.path, self.old_path) if self.old_path else (self.path,)

    def parts(self) -> tuple[TreeChange, ...]:
        """Return a rename as two changes, as on disk: one file deleted, one added."""
        if self.change != "renamed":
            return (self,)
        gone = replace(self, path=self.old_path, old_path="", change="deleted", new=NOTHING)
        return gone, replace(self, old_path="", change="added", old=NOTHING)
