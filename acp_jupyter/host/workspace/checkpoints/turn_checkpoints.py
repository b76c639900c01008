"""Checkpoints before and after a turn, and the turn's changes from them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath

from acp_jupyter.host.workspace.authors import AuthorEvidence, Authors
from acp_jupyter.host.workspace.checkpoints.base_tree import BaseTree, LateSave
from acp_jupyter.host.workspace.checkpoints.checkpoint import Checkpoint
from acp_jupyter.host.workspace.checkpoints.diff import (
    CHANGE_TEXT_BYTES,
    blobs,
    sizes,
    tree_changes,
)
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import (
    CheckpointFailed,
    CheckpointStore,
)
from acp_jupyter.host.workspace.checkpoints.git import GitError, not_waiting_for_pipes
from acp_jupyter.host.workspace.checkpoints.notebook_cells import has_marked
from acp_jupyter.host.workspace.checkpoints.open_turns import OpenTurn
from acp_jupyter.host.workspace.checkpoints.revert import (
    CHANGED_BY_ANOTHER,
    MARKED,
    NAME_NOT_UTF8,
    NOT_UTF8,
    NOTEBOOK,
    RUN_FOR_YOU,
    YOURS,
    YOURS_TOO,
    text_for_copy,
    words_of,
)
from acp_jupyter.host.workspace.checkpoints.saved_text import UserText, user_text
from acp_jupyter.host.workspace.checkpoints.tree_change import Change, TreeChange
from acp_jupyter.host.workspace.running_turns import Put, SavedFile
from acp_jupyter.host.workspace.scan import (
    SKIPPED,
    FileChanged,
    FolderScan,
    Signature,
    birthtime_ns,
    is_utf8,
    lineage,
    next_file_time_ns,
    odd_changes,
    readable,
)
from acp_jupyter.protocol.host_events.session import (
    Author,
    ChangedFile,
    TurnChangesNote,
    TurnChangesUnknown,
)
from acp_jupyter.system.open_folder import inside_by_any_name

_NEW_FOLDERS = 1000
_ID_CHARS = 16
_HOW: dict[str, Change] = {"made": "added", "changed": "modified", "deleted": "deleted"}


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
    own: AuthorEvidence = AuthorEvidence("", alone=True)  # noqa: RUF009 - it never changes
    """The evidence about the turn."""
    others: tuple[AuthorEvidence, ...] = ()
    """The evidence about turns that ran in the folder at the same time."""
    late: Sequence[LateSave] = ()
    """Persons' saves during the scan, to which later ones are added."""

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

    @property
    def odd(self) -> tuple[FileChanged, ...]:
        """The changes found of files whose names are not UTF-8."""
        return odd_changes(self.before, self.after)

    def beyond(self, root: Path) -> tuple[FileChanged, ...]:
        """Return the agent's reported edits outside the folder. Blocks."""
        real = os.path.realpath(root)
        elsewhere = (
            path
            for path in sorted(self.edited)
            if os.path.isabs(path) and inside_by_any_name(real, os.path.realpath(path)) is None
        )
        return tuple(FileChanged(path, "changed") for path in elsewhere)


@dataclass(frozen=True, slots=True)
class _Found:
    """The difference between the checkpoints of a turn."""

    changes: list[TreeChange]
    tree: str
    """The tree after the turn."""
    authors: Authors
    persons: list[TreeChange]
    """The changes that persons saved during the turn."""
    held: frozenset[str]
    foreign: dict[str, tuple[str, str]]
    uncovered: dict[str, str]
    odd: tuple[FileChanged, ...]
    """Changes of files whose names are not UTF-8, without ignored ones."""
    unseen: frozenset[str]
    marked: bool


@dataclass(frozen=True, slots=True)
class _Listed:
    files: tuple[ChangedFile, ...]
    left_out: int
    unknown_left_out: int


class TurnCheckpoints:
    """Makes checkpoints of a session's folder around each turn. Blocks; one thread at a time."""

    def __init__(self, store: CheckpointStore, root: Path, copied: Path | None = None) -> None:
        self.store = store
        self.checkpoints = store.of(root, copied)
        self._root = root
        self._is_copy = copied is not None
        self._before: Checkpoint | None = None
        self.base: BaseTree | None = None
        """The base of the turn's changes."""
        self._there = FolderScan({})
        """The scan before the turn, including files that are in no checkpoint."""
        self._began_ns = 0
        """A time before the turn, on the clock of file times."""
        self.why_not = ""
        """Why there is no checkpoint before this turn; empty if there is one."""
        self.overlooks = False
        """Whether some files that git ignores could not be scanned."""
        self.unstored: tuple[str, ...] | None = None
        """Files that the turn wrote but that no checkpoint has; None if nothing is stored."""

    def before(self, turn_id: str, scan: FolderScan, session_id: str = "") -> None:
        """Make the checkpoint before a turn, and record the turn as open."""
        self.store.begin(turn_id, self._root)
        self._before, self._there, self.why_not, self.unstored = None, scan, "", None
        self.base, self.overlooks = None, False
        self._began_ns = next_file_time_ns()
        try:
            with not_waiting_for_pipes(self._root, scan):
                taken = self.checkpoints.take(turn_id, "before")
                if not scan.whole:
                    others = self.checkpoints.ignored().union(p.rstrip("/") for p in taken.nested)
                    self.overlooks = not all(PurePosixPath(p).name in SKIPPED for p in others)
                    self._there = replace(scan, unread={**dict.fromkeys(others, 0), **scan.unread})
            self._before, self.base = taken, BaseTree(self.checkpoints, turn_id, taken.tree)
        except CheckpointFailed as error:
            self.why_not = str(error)
        except GitError as error:
            self.why_not = f"The folder's state could not be stored: {error}."
        if self._is_copy:
            self.why_not = text_for_copy(self.why_not, "keep")
        folder = self.checkpoints.root
        self.store.open_turns.add(
            OpenTurn(
                *(turn_id, session_id, folder, self._before, self._there),
                *(self._began_ns, self.why_not, self.overlooks),
            )
        )

    def save(
        self, path: str, saved: SavedFile, puts: Sequence[Put], named: Collection[str]
    ) -> UserText:
        """Add a person's save during the turn to the base; see `BaseTree.save`."""
        with contextlib.suppress(CheckpointFailed, GitError):
            if self.base is not None:
                return self.base.save(path, saved, puts, named)
        most = CHANGE_TEXT_BYTES
        return user_text(saved.before, saved, puts, named, most)

    def resume(self, turn_id: str) -> FolderScan | None:
        """Restore the state of a turn that a killed server left open; return the scan before it.

        None if the folder's state before the turn is unknown.
        """
        turn = self.store.open_turns.read(turn_id)
        if turn is None:
            return None
        self._before, self._there, self._began_ns = turn.before, turn.scan, turn.began_ns
        self.why_not, self.overlooks, self.unstored = turn.why_not, turn.overlooks, None
        self.base = None
        if turn.before is not None:
            self.base = BaseTree(self.checkpoints, turn_id, turn.before.tree)
        return turn.scan

    def after(
        self, turn_id: str, scans: FolderScans
    ) -> TurnChangesNote | TurnChangesUnknown | None:
        """Make the checkpoint after the turn; return the note of changes, None for no changes."""
        try:
            with not_waiting_for_pipes(self._root, scans.after):
                note = self._after(turn_id, scans)
        finally:
            self.store.end(turn_id)
        if note is None or not self._is_copy:
            return note
        return note.model_copy(update={"words": text_for_copy(note.words, "keep")})

    def _after(
        self, turn_id: str, scans: FolderScans
    ) -> TurnChangesNote | TurnChangesUnknown | None:
        shared = self.store.is_shared(turn_id)
        if self._before is None or self.base is None:
            return self._untaken(turn_id, scans, self.why_not, shared=shared)
        try:
            found = self._found(turn_id, scans, self._before, self.base)
            shared = self.store.is_shared(turn_id)
            listed = self._listed(turn_id, scans, found, self.base)
        except CheckpointFailed as error:
            return self._untaken(turn_id, scans, str(error), shared=shared)
        except GitError as error:
            words = f"What changed could not be compared: {error}."
            return self._untaken(turn_id, scans, words, shared=shared)
        uncovered, most = found.uncovered, self.checkpoints.limits.listed_changes
        # A revert puts a file back to where it came from.
        for file in listed.files:
            uncovered.pop(file.came_from, None)
        beyond, odd = scans.beyond(self._root), found.odd
        uncovered |= {readable(change.path): NOT_UTF8 for change in odd}
        not_here = {readable(c.path) for c in (*scans.seen, *odd) if c.how == "deleted"}
        not_here.update(c.path for c in beyond)
        unseen = {readable(path) for path in found.unseen}
        self.unstored = tuple(sorted(unseen.union(uncovered) - not_here))
        reported = {*scans.edited, *found.foreign}
        # Ignored files change all the time: of these, list only those that the agent reported.
        unkept = [c for c in scans.seen if c.path in uncovered and c.path in reported]
        unkept += (*odd, *beyond)
        files = (*listed.files, *_unkept(unkept[: most - len(listed.files)], found.authors))
        told = {path for c in found.changes for path in (c.path, c.old_path)} | {scans.notebook}
        yours = (_yours(change) for change in found.persons if change.path not in told)
        if all(file.author in {"another", "you"} for file in files):
            return None  # no change can be the turn's
        files += tuple(islice(yours, most - len(files)))
        return TurnChangesNote(
            turn_id=turn_id,
            files=files,
            left_out=listed.left_out,
            unknown_left_out=listed.unknown_left_out,
            revertible=any(file.author != "another" for file in listed.files),
            words=" ".join(words_of(shared, uncovered, files)),
            checkpoint=self.checkpoints.git.folder.name,
            made_folders=_new_folders(found.changes, scans),
        )

    def _found(
        self, turn_id: str, scans: FolderScans, before: Checkpoint, base: BaseTree
    ) -> _Found:
        """Make the checkpoint after the turn, and compare it with the base."""
        taken = self.checkpoints.take(turn_id, "after", before)
        # Operations on the folder are not changes of the turn.
        before = replace(before, tree=taken.since or before.tree)
        git, seconds = self.checkpoints.git, self.checkpoints.limits.checkpoint_seconds
        left_out = before.left_out | taken.left_out
        base.settle(scans.late, taken.tree)
        all_changes = tree_changes(git, base.tree, taken.tree, seconds)
        held = self._held(before, all_changes)
        former = self._former(all_changes, scans, held)
        foreign = self._foreign(all_changes, scans, held)
        if former or foreign:
            taken = self.checkpoints.leave_out(turn_id, taken, former, foreign)
            former |= foreign.keys()
            all_changes = tree_changes(git, base.tree, taken.tree, seconds)
        marked = self._marked(turn_id, all_changes, scans.notebook)
        changes = [
            change
            for change in all_changes
            if change.path not in left_out and change.old_path not in left_out
            if change.path != scans.notebook or scans.names_notebook or marked
        ]
        uncovered = self._uncovered(changes, scans, left_out, former, taken.nested)
        uncovered |= dict.fromkeys(
            (each.path for each in scans.beyond(self._root)), "outside this folder"
        )
        return _Found(
            changes,
            taken.tree,
            Authors(self._root, scans.own, scans.others, scans.notebook),
            base.persons_changes(),
            held,
            foreign,
            uncovered,
            tuple(each for each in scans.odd if each.path in left_out),
            self._unseen(scans, taken) if self._is_copy else frozenset(),
            marked=marked,
        )

    def _listed(self, turn_id: str, scans: FolderScans, found: _Found, base: BaseTree) -> _Listed:
        """Return the files for the note, the turn's own first."""
        limits = self.checkpoints.limits
        by: dict[Author, list[TreeChange]] = {"agent": [], "unknown": [], "you": [], "another": []}
        for change in found.changes:
            by[found.authors.of(change.path, change.old_path)].append(change)
        authors = {change.path: author for author, group in by.items() for change in group}
        ordered = [change for group in by.values() for change in group]
        chosen = ordered[: limits.listed_changes]
        named = {change.path for change in chosen}
        left = {author: sum(c.path not in named for c in group) for author, group in by.items()}
        if left["agent"] or left["unknown"]:
            base.put_apart(by["agent"], by["unknown"])
        blob_names = {(c.new if c.new.exists else c.old).blob for c in chosen}
        known = sizes(self.checkpoints.git, blob_names, limits.checkpoint_seconds)
        moved = self._moved(scans, found.held)
        saved = {part.path for change in found.persons for part in change.parts()}
        files = (
            _by(_file(c, known, scans, moved, marked=found.marked), authors[c.path], saved)
            for c in chosen
        )
        return _Listed(tuple(files), left["agent"], left["unknown"])

    def _unseen(self, scans: FolderScans, taken: Checkpoint) -> frozenset[str]:
        """Return files of a copy that are in no checkpoint, if its scans are incomplete.

        The copy began without nearly all of them.
        """
        if scans.whole:
            return frozenset()
        ignored = {p for p in self.checkpoints.ignored() if PurePosixPath(p).name not in SKIPPED}
        return taken.left_out.union(ignored, taken.nested)

    def _held(self, before: Checkpoint, changes: Iterable[TreeChange]) -> frozenset[str]:
        """Return the files in the checkpoint before the turn; none if nothing changed."""
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
        """Return files that are new in the checkpoint, but not in the folder.

        They were ignored by git, in a nested repository or in an environment, or were moved from
        such a place or from another folder. A revert would delete them for good, so they must not
        count as added.
        """
        parts = (part for change in changes for part in change.parts())
        added = [part.path for part in parts if not part.old.exists]
        if not added:
            return frozenset()
        # A file in the earlier checkpoint can be restored, so its replacement does count as new.
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

        The new file was moved in, for example from an environment. Restoring the old one would
        destroy it, as its former place is unknown.
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
            born = birthtime_ns(self._root / path)
            only = os.lstat(self._root / path).st_nlink == 1
            return born is not None and born < self._began_ns and only
        return False

    def _moved(self, scans: FolderScans, held: frozenset[str]) -> dict[Signature | None, str]:
        """Return the former paths of files that were in no checkpoint and may have been moved."""
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
        seconds, most = limits.checkpoint_seconds, CHANGE_TEXT_BYTES
        held = blobs(git, names, seconds, most) if names else {}
        return any(has_marked(data.decode(errors="replace"), {turn_id}) for data in held.values())

    def _untaken(
        self, turn_id: str, scans: FolderScans, why: str, *, shared: bool
    ) -> TurnChangesNote | TurnChangesUnknown | None:
        """Return the note without a checkpoint, from the scans; None if they saw no change."""
        most = self.checkpoints.limits.listed_changes
        found = [c for c in scans.seen if c.path != scans.notebook or scans.names_notebook]
        found += (*scans.odd, *scans.beyond(self._root))
        authors = Authors(self._root, scans.own, scans.others, scans.notebook)
        every = _unkept(found, authors)
        files = tuple(sorted(every, key=lambda file: not file.is_turns)[:most])
        if not files:
            return None if scans.whole else TurnChangesUnknown(turn_id=turn_id, words=why)
        left = [file.author for file in every if file not in files]
        return TurnChangesNote(
            turn_id=turn_id,
            files=files,
            left_out=left.count("agent"),
            unknown_left_out=left.count("unknown"),
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
        """Return the changed files that are in no checkpoint, and why."""
        listed = {path for change in changes for path in (change.path, change.old_path)}
        listed.add(scans.notebook)
        others = [each.path for each in scans.seen if each.path not in listed]
        if not others:
            return {}
        beyond = self._beyond_links(others)
        output = self.checkpoints.git.run(
            *("check-ignore", "-z", "--stdin", "--no-index"),
            stdin=b"".join(
                b"./" + path.encode() + b"\0"  # not a pathspec with magic
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
        """Return paths below folders that are links now, where git refuses to look."""
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
    """Return the part of a signature that stays when a file is moved or its mode changes."""
    return None if signature is None else signature._replace(mode=0)


def _by(file: ChangedFile, author: Author, by_persons: Collection[str]) -> ChangedFile:
    """Add the author to a changed file."""
    update: dict[str, object] = {"author": author, "yours_too": file.path in by_persons}
    if author == "another":
        update |= {"kept": False, "words": CHANGED_BY_ANOTHER}
    elif author == "you":
        update |= {"kept": False, "words": RUN_FOR_YOU}
    elif update["yours_too"] and not file.words:
        update["words"] = YOURS_TOO
    return file.model_copy(update=update)


def _yours(change: TreeChange) -> ChangedFile:
    """Return the entry for a file that only a person changed."""
    update = {"author": "you", "kept": False, "words": YOURS}
    return change.as_changed_file({}).model_copy(update=update)


def _unkept(changes: Iterable[FileChanged], authors: Authors) -> list[ChangedFile]:
    """Return the entries for files that are in no checkpoint."""
    return [
        ChangedFile(
            path=readable(change.path),
            change=_HOW[change.how],
            kept=False,
            words="" if is_utf8(change.path) else NAME_NOT_UTF8,
            author=authors.of(change.path, is_compared=False),
        )
        for change in changes
    ]


def _new_folders(changes: Iterable[TreeChange], scans: FolderScans) -> tuple[str, ...]:
    """Return new folders that contain new files."""
    parents = {
        str(parent)
        for change in changes
        if change.new.exists
        for parent in PurePosixPath(change.path).parents
    }
    new = sorted((scans.after.folders.keys() - scans.before.folders.keys()) & parents)
    return tuple(new[:_NEW_FOLDERS])
