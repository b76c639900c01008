"""Checkpoints before and after a turn, and the turn's changes from them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from acp_jupyter.host.workspace.checkpoints.diff import blobs, sizes, tree_changes
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import (
    Checkpoint,
    CheckpointFailed,
    CheckpointStore,
)
from acp_jupyter.host.workspace.checkpoints.git import GitError, not_waiting_for_pipes
from acp_jupyter.host.workspace.checkpoints.notebook_cells import has_marked
from acp_jupyter.host.workspace.checkpoints.revert import MARKED, NOTEBOOK, words_of
from acp_jupyter.host.workspace.checkpoints.tree_change import TreeChange
from acp_jupyter.host.workspace.scan import (
    SKIPPED,
    FileChanged,
    FolderScan,
    Signature,
    born_ns,
    lineage,
    next_file_time_ns,
)
from acp_jupyter.protocol.host_events.session import ChangedFile, TurnChangesNote

_NEW_FOLDERS = 1000
_ID_CHARS = 16
_HOW = {"made": "added", "changed": "modified", "deleted": "deleted"}


@dataclass(frozen=True, slots=True)
class FolderScans:
    """The folder's scans before and after a turn."""

    before: FolderScan
    after: FolderScan
    found: tuple[FileChanged, ...]
    notebook: str = ""
    """Path of the turn's own notebook, relative to the folder."""
    names_notebook: bool = False
    """Whether a tool call names that notebook; otherwise only its page saved it."""
    edited: Collection[str] = ()
    """Paths that the agent reported as edited."""

    @property
    def whole(self) -> bool:
        """Whether both scans are whole."""
        return self.before.whole and self.after.whole

    @property
    def seen(self) -> tuple[FileChanged, ...]:
        """The changes found; if a scan is not whole, those that the agent reported."""
        if self.whole:
            return self.found
        inside = (path for path in sorted(self.edited) if not os.path.isabs(path))
        return tuple(FileChanged(path, "changed") for path in inside)

    def beyond(self, root: Path) -> tuple[FileChanged, ...]:
        """Return the agent's reported edits outside the folder. Blocks."""
        real = os.path.realpath(root)
        elsewhere = (
            path
            for path in sorted(self.edited)
            if os.path.isabs(path) and not Path(os.path.realpath(path)).is_relative_to(real)
        )
        return tuple(FileChanged(path, "changed") for path in elsewhere)


class TurnCheckpoints:
    """Makes checkpoints of a session's folder around each turn. Blocks; one thread at a time.

    Parameters
    ----------
    store
        The host's checkpoint store.
    root
        The session's folder.
    copied
        The folder that it is a copy of.
    """

    def __init__(self, store: CheckpointStore, root: Path, copied: Path | None = None) -> None:
        self.store = store
        self.checkpoints = store.of(root, copied)
        self._root = root
        self._is_copy = copied is not None
        self._before: Checkpoint | None = None
        self._there = FolderScan({})
        """The scan before the turn, with files that are in no checkpoint, too."""
        self._began_ns = 0
        """Time before the turn, as files have it."""
        self.why_not = ""
        """Why there is no checkpoint before this turn; empty if there is one."""
        self.unstored: tuple[str, ...] | None = None
        """Files that the turn has written and no checkpoint has; None if nothing is stored."""

    def before(self, turn_id: str, scan: FolderScan) -> None:
        """Make the checkpoint before a turn."""
        self.store.begin(turn_id, self._root)
        self._before, self._there, self.why_not, self.unstored = None, scan, "", None
        self._began_ns = next_file_time_ns()
        try:
            with not_waiting_for_pipes(self._root, scan):
                taken = self.checkpoints.take(turn_id, "before")
                if not scan.whole:
                    others = self.checkpoints.ignored().union(p.rstrip("/") for p in taken.nested)
                    self._there = replace(scan, unread={**dict.fromkeys(others, 0), **scan.unread})
            self._before = taken
        except CheckpointFailed as error:
            self.why_not = str(error)
        except GitError as error:
            self.why_not = f"The folder's state could not be stored: {error}."

    def after(self, turn_id: str, scans: FolderScans) -> TurnChangesNote | None:
        """Make the checkpoint after the turn; return the note of changes, None for no changes."""
        try:
            with not_waiting_for_pipes(self._root, scans.after):
                return self._after(turn_id, scans)
        finally:
            self.store.end(turn_id)

    def _after(self, turn_id: str, scans: FolderScans) -> TurnChangesNote | None:
        shared = self.store.is_shared(turn_id)
        if self._before is None:
            return self._untaken(turn_id, scans, self.why_not, shared=shared)
        limits = self.checkpoints.limits
        try:
            taken = self.checkpoints.take(turn_id, "after", self._before)
            # Operations on the folder are no changes of the turn.
            self._before = replace(self._before, tree=taken.since or self._before.tree)
            shared = self.store.is_shared(turn_id)
            git, seconds = self.checkpoints.git, limits.checkpoint_seconds
            left_out = self._before.left_out | taken.left_out
            all_changes = tree_changes(git, self._before.tree, taken.tree, seconds)
            held = self._held(self._before, all_changes)
            former = self._former(all_changes, scans, held)
            foreign = self._foreign(all_changes, scans, held)
            if former or foreign:
                taken = self.checkpoints.leave_out(turn_id, taken, former, foreign)
                former |= foreign.keys()
                all_changes = tree_changes(git, self._before.tree, taken.tree, seconds)
            marked = self._marked(turn_id, all_changes, scans.notebook)
            changes = [
                change
                for change in all_changes
                if change.path not in left_out and change.old_path not in left_out
                if change.path != scans.notebook or scans.names_notebook or marked
            ]
            listed = changes[: limits.listed_changes]
            names = {(c.new if c.new.exists else c.old).blob for c in listed}
            known = sizes(git, names, seconds)
            uncovered = self._uncovered(changes, scans, left_out, former, taken.nested)
            beyond = scans.beyond(self._root)
            uncovered |= dict.fromkeys((each.path for each in beyond), "outside this folder")
            unseen = self._unseen(scans, taken) if self._is_copy else frozenset()
        except CheckpointFailed as error:
            return self._untaken(turn_id, scans, str(error), shared=shared)
        except GitError as error:
            words = f"What changed could not be compared: {error}."
            return self._untaken(turn_id, scans, words, shared=shared)
        moved = self._moved(scans, held)
        changed = tuple(_file(change, known, scans, moved, marked=marked) for change in listed)
        # What git ignores changes all the time, whoever writes it.
        for file in changed:
            uncovered.pop(file.came_from, None)  # it goes back
        not_here = {c.path for c in scans.seen if c.how == "deleted"}.union(c.path for c in beyond)
        self.unstored = tuple(sorted(unseen.union(uncovered) - not_here))
        told = {*scans.edited, *foreign}
        unkept = [c for c in scans.seen if c.path in uncovered and c.path in told]
        unkept += beyond
        files = (*changed, *map(_unkept, unkept[: limits.listed_changes - len(changed)]))
        if not files:
            return None
        return TurnChangesNote(
            turn_id=turn_id,
            files=files,
            left_out=len(changes) - len(listed),
            revertible=bool(changed),
            words=" ".join(words_of(shared, uncovered, files)),
            checkpoint=self.checkpoints.git.folder.name,
            made_folders=_new_folders(changes, scans),
        )

    def _unseen(self, scans: FolderScans, taken: Checkpoint) -> frozenset[str]:
        """Return what a copy has that is in no checkpoint, where its scans are not whole.

        The copy began without nearly all of that.
        """
        if scans.whole:
            return frozenset()
        ignored = {p for p in self.checkpoints.ignored() if PurePosixPath(p).name not in SKIPPED}
        return taken.left_out.union(ignored, taken.nested)

    def _held(self, before: Checkpoint, changes: Iterable[TreeChange]) -> frozenset[str]:
        """Return what was kept before the turn; nothing where nothing changed."""
        if not any(changes):
            return frozenset()
        output = self.checkpoints.git.run(
            *("ls-tree", "-r", "-z", "--name-only", before.tree),
            seconds=self.checkpoints.limits.checkpoint_seconds,
        )
        return frozenset(map(os.fsdecode, output.split(b"\0")))

    def _former(
        self, changes: Iterable[TreeChange], scans: FolderScans, held: frozenset[str]
    ) -> frozenset[str]:
        """Return what is new to the checkpoint and not to the folder: it was not kept before.

        Then it was ignored by git, in a repository or an environment of its own, or it comes from
        such a place, or from another folder. Nobody could bring it back, so it must not count as
        added.
        """
        parts = (part for change in changes for part in change.parts())
        added = [part.path for part in parts if not part.old.exists]
        if not added:
            return frozenset()
        # What was kept comes back from there: what it gave way to, or was moved to, is new.
        unread = {p: inode for p, inode in self._there.unread.items() if p not in held}
        before, after = replace(self._there, unread=unread), scans.after
        moved = self._moved(scans, held)
        inodes = {inode for path, inode in unread.items() if after.inode(path) is None}
        known = {was.inode for path, was in self._there.files.items() if path in held}
        return frozenset(
            path
            for path in added
            if before.has(path)
            or _same(after.files.get(path)) in moved
            or any(after.inode(each) in inodes for each in lineage(path))
            or self._is_older(path, after.files.get(path), known)
        )

    def _foreign(
        self, changes: Iterable[TreeChange], scans: FolderScans, held: frozenset[str]
    ) -> dict[str, tuple[str, str]]:
        """Return files replaced by one from an unknown place, with their former mode and blob.

        The file was moved in, from an environment for example. To restore the old one would
        destroy it: nothing says where it could go back to.
        """
        replaced = {
            part.path: (part.old.mode, part.old.blob)
            for change in changes
            for part in change.parts()
            if part.old.exists and part.new.exists
        }
        if not replaced:
            return {}
        moved = self._moved(scans, held)
        known = {was.inode for was in self._there.files.values()}
        return {
            path: old
            for path, old in replaced.items()
            if (now := scans.after.files.get(path)) is not None
            and _same(now) not in moved
            and self._is_older(path, now, known)
        }

    def _is_older(self, path: str, now: Signature | None, known: Collection[int]) -> bool:
        """Return whether a file that is new here is older than the turn and has no other name."""
        if now is None or now.inode in known:
            return False
        with contextlib.suppress(OSError):
            born = born_ns(self._root / path)
            only = os.lstat(self._root / path).st_nlink == 1
            return born is not None and born < self._began_ns and only
        return False

    def _moved(self, scans: FolderScans, held: frozenset[str]) -> dict[Signature | None, str]:
        """Return what was there and not kept, and is elsewhere now, with where it was."""
        before, after = self._there.files, scans.after.files
        return {
            _same(was): path
            for path, was in before.items()
            if path not in held and after.get(path) != was  # another file may be there now
        }

    def _marked(self, turn_id: str, changes: Iterable[TreeChange], notebook: str) -> bool:
        """Return whether tools wrote cells of the turn's own notebook."""
        names = [c.new.blob for c in changes if c.path == notebook and c.change == "modified"]
        git, limits = self.checkpoints.git, self.checkpoints.limits
        seconds, most = limits.checkpoint_seconds, limits.change_text_bytes
        held = blobs(git, names, seconds, most) if names else {}
        return any(has_marked(data.decode(errors="replace"), {turn_id}) for data in held.values())

    def _untaken(
        self, turn_id: str, scans: FolderScans, why: str, *, shared: bool
    ) -> TurnChangesNote | None:
        """Tell what looking alone has shown."""
        most = self.checkpoints.limits.listed_changes
        found = [c for c in scans.seen if c.path != scans.notebook or scans.names_notebook]
        found += scans.beyond(self._root)
        files = tuple(map(_unkept, found[:most]))
        if not files:
            return None
        return TurnChangesNote(
            turn_id=turn_id,
            files=files,
            left_out=len(found) - len(files),
            revertible=False,
            words=" ".join((why, *words_of(shared, {}, files))),
        )

    def _uncovered(
        self,
        changes: Iterable[TreeChange],
        scans: FolderScans,
        left_out: Collection[str],
        former: Collection[str],
        nested: tuple[str, ...],
    ) -> dict[str, str]:
        """Return what changed and is not kept, and why."""
        listed = {path for change in changes for path in (change.path, change.old_path)}
        listed.add(scans.notebook)
        others = [each.path for each in scans.seen if each.path not in listed]
        if not others:
            return {}
        beyond = self._beyond_links(others)
        output = self.checkpoints.git.run(
            *("check-ignore", "-z", "--stdin", "--no-index"),
            stdin=b"".join(
                b"./" + path.encode() + b"\0"  # no magic
                for path in others
                if path not in beyond
            ),
            seconds=self.checkpoints.limits.checkpoint_seconds,
            fine=(0, 1),
        )
        ignored = {path.removeprefix("./") for path in output.decode().split("\0")}
        whys = (
            ("ignored by git", [path for path in others if path in ignored]),
            ("not kept before this turn", [path for path in others if path in former]),
            ("in a repository of its own", [path for path in others if path.startswith(nested)]),
            ("too large, or can't be read", [path for path in others if path in left_out]),
            ("not kept before this turn", sorted(beyond)),
        )
        return {path: why for why, paths in reversed(whys) for path in paths}

    def _beyond_links(self, paths: Iterable[str]) -> frozenset[str]:
        """Return what was in folders where links are now: git refuses to look there."""
        above = {path: [*lineage(path)][:-1] for path in paths}
        folders = {each for folders in above.values() for each in folders}
        links = {each for each in folders if (self._root / each).is_symlink()}
        return frozenset(path for path, folders in above.items() if links.intersection(folders))


def _file(
    change: TreeChange,
    known: dict[str, int],
    scans: FolderScans,
    moved: dict[Signature | None, str],
    *,
    marked: bool,
) -> ChangedFile:
    old = scans.before.files.get(change.old_path or change.path)
    new = scans.after.files.get(change.path)
    own = change.path == scans.notebook
    facts = {
        "old_mode": None if old is None else old.mode,
        "new_mode": None if new is None else new.mode,
        "came_from": moved.get(_same(new), ""),
        "kept": marked or not own,
        "words": "" if not own else MARKED if marked else NOTEBOOK,
        "old_text_id": change.old.blob[:_ID_CHARS],
        "new_text_id": change.new.blob[:_ID_CHARS],
    }
    return change.as_changed_file(known).model_copy(update=facts)


def _same(signature: Signature | None) -> Signature | None:
    """Return what stays of a file wherever it is moved, also with other permission bits."""
    return None if signature is None else signature._replace(mode=0)


def _unkept(change: FileChanged) -> ChangedFile:
    return ChangedFile.model_validate(
        {"path": change.path, "change": _HOW[change.how], "kept": False}
    )


def _new_folders(changes: Iterable[TreeChange], scans: FolderScans) -> tuple[str, ...]:
    """Return the new folders of new files."""
    parents = {
        str(parent)
        for change in changes
        if change.new.exists
        for parent in PurePosixPath(change.path).parents
    }
    new = sorted((scans.after.folders.keys() - scans.before.folders.keys()) & parents)
    return tuple(new[:_NEW_FOLDERS])
