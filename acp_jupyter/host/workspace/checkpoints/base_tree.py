"""The base tree of a turn's changes: the tree before the turn, with persons' saves since then.

It is stored at each save, so that it survives when the server is killed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from acp_jupyter.host.workspace.checkpoints.diff import CHANGE_TEXT_BYTES, blobs, tree_changes
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints
from acp_jupyter.host.workspace.checkpoints.saved_text import UserText, user_text
from acp_jupyter.host.workspace.checkpoints.tree_change import TreeChange
from acp_jupyter.host.workspace.running_turns import Put, SavedFile
from acp_jupyter.host.workspace.scan import SKIPPED


@dataclass(frozen=True, slots=True)
class LateSave:
    """A save during the checkpoint after the turn, which may or may not contain it."""

    path: str
    """Relative to the folder."""
    saved: SavedFile
    puts: tuple[Put, ...]


class BaseTree:
    """The base tree of one turn. Blocks; one thread at a time."""

    def __init__(self, checkpoints: Checkpoints, turn_id: str, before: str) -> None:
        self.tree = before
        self._checkpoints = checkpoints
        self._turn_id = turn_id
        self._before = before
        self._root = checkpoints.root

    def save(
        self, path: str, saved: SavedFile, puts: Sequence[Put], named: Collection[str]
    ) -> UserText:
        """Add a person's save to the base, so that it is not a change of the turn."""
        self._refresh()
        if saved.moved_to:
            return self._move(path, saved)
        there = self._checkpoints.entries(self.tree, path)
        if saved.after is None and path not in there:
            self._change(dict.fromkeys(there))  # a folder
            return UserText(None, by_person=bool(there) or saved.before is not None)
        mode, blob = there.get(path, ("", ""))
        known = self._content(blob) if blob else None
        most = CHANGE_TEXT_BYTES
        made = user_text(known, saved, puts, named, most)
        if made.content is None:
            self._change({path: None} if blob else {})
        elif made.content != known and self._is_kept(path, made.content):
            entry = (mode or _mode_of(self._root / path), self._checkpoints.blob(made.content))
            self._change({path: entry})
        return replace(made, over_others=known != saved.before)

    def settle(self, late: Iterable[LateSave], after: str) -> None:
        """Add late saves that are in the checkpoint after the turn; drop files that are in none."""
        self._refresh()
        for each in late:
            there = self._checkpoints.entries(after, each.path)
            if each.saved.moved_to:
                is_in = not there and bool(self._checkpoints.entries(self.tree, each.path))
            else:
                entry = there.get(each.path)
                content = None if entry is None else self._content(entry[1])
                is_in = content == each.saved.after
            if is_in:
                self.save(each.path, each.saved, each.puts, ())
        if self.tree == self._before:
            return
        # A person's new file that exists but isn't in the checkpoint is ignored by git.
        gone = {
            change.path
            for change in self._compared(self.tree, after, renames=False)
            if not change.new.exists and os.path.lexists(self._root / change.path)
        }
        new = {c.path for c in self.persons_changes(renames=False) if not c.old.exists}
        self._change(dict.fromkeys(gone & new))

    def persons_changes(self, *, renames: bool = True) -> list[TreeChange]:
        """Return the changes that persons have saved."""
        if self.tree == self._before:
            return []
        return self._compared(self._before, self.tree, renames=renames)

    def put_apart(self, own: Iterable[TreeChange], unknown: Iterable[TreeChange]) -> None:
        """Store trees with only these changes, as there are more than the note can list."""
        for moment, changes in (("own", own), ("unknown", unknown)):
            parts = (part for change in changes for part in change.parts())
            entries = {p.path: (p.new.mode, p.new.blob) if p.new.exists else None for p in parts}
            self._checkpoints.put(self._turn_id, moment, self.tree, entries)

    def _refresh(self) -> None:
        """Read the base again, as operations on the folder also change it."""
        found = self._checkpoints.moments(self._turn_id)
        self._before, self.tree = found["before"], found["base"]

    def _compared(self, old: str, new: str, *, renames: bool) -> list[TreeChange]:
        seconds = self._checkpoints.limits.checkpoint_seconds
        return tree_changes(self._checkpoints.git, old, new, seconds, renames=renames)

    def _content(self, blob: str) -> bytes | None:
        limits = self._checkpoints.limits
        seconds, most = limits.checkpoint_seconds, limits.checkpoint_file_bytes
        return blobs(self._checkpoints.git, (blob,), seconds, most).get(blob)

    def _move(self, path: str, saved: SavedFile) -> UserText:
        """Add a person's renaming of a file or folder to the base."""
        there = self._checkpoints.entries(self.tree, path)
        entries: dict[str, tuple[str, str] | None] = {**dict.fromkeys(there)}
        with contextlib.suppress(ValueError):
            to = PurePosixPath(saved.moved_to).relative_to(os.path.realpath(self._root)).as_posix()
            entries |= {to + old[len(path) :]: entry for old, entry in there.items()}
        self._change(entries)
        return UserText(saved.after, by_person=True)

    def _change(self, entries: Mapping[str, tuple[str, str] | None]) -> None:
        if entries:
            self.tree = self._checkpoints.put(self._turn_id, "base", self.tree, entries)

    def _is_kept(self, path: str, content: bytes) -> bool:
        """Return whether a checkpoint would contain such a file."""
        skipped = not SKIPPED.isdisjoint(path.split("/"))
        return not skipped and len(content) <= self._checkpoints.limits.checkpoint_file_bytes


def _mode_of(path: Path) -> str:
    return "100755" if os.access(path, os.X_OK) else "100644"
