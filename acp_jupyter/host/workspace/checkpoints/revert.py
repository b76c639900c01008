"""Reverts a turn: restores files that nobody has changed since.

All files are restored, or none. Messages explain files that can't be restored, or not alone.
"""

from __future__ import annotations

import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from acp_jupyter.errors import ChangesGone, ChangesRefused, plain_reason
from acp_jupyter.host.workspace.checkpoints.diff import Side, TreeChange, blobs, tree_changes
from acp_jupyter.host.workspace.checkpoints.disk import Disk, FileOnDisk
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints
from acp_jupyter.host.workspace.checkpoints.git import GitError
from acp_jupyter.protocol.host_events.session import ChangedFile

_NAMED = 3
IN_THE_WAY = "can't be put back: something else is in its place"
SINCE = "was changed since"
LEADS_OUT = "is a link that leads out of the folder"
"""Reason for a file that is not restored."""


@dataclass(frozen=True, slots=True)
class Reverted:
    """The result of a revert."""

    paths: tuple[str, ...]
    """Restored files."""
    refused: Mapping[str, str]
    """Files that were not restored, and why."""


class Revert:
    """Reverts changes of one turn. Blocks.

    Parameters
    ----------
    checkpoints
        The folder's checkpoints.
    modes
        Known permission bits of files before the turn.
    new_folders
        Folders that the turn created; removed if they are empty.
    came_from
        Former paths of files that were moved over others and are in no checkpoint.
    """

    def __init__(
        self,
        checkpoints: Checkpoints,
        modes: Mapping[str, int],
        new_folders: Collection[str],
        came_from: Mapping[str, str],
    ) -> None:
        self._git = checkpoints.git
        self._limits = checkpoints.limits
        self._disk = Disk(checkpoints.root, self._limits.checkpoint_file_bytes)
        self._modes = modes
        self._new_folders = new_folders
        self._came_from = came_from

    def run_paths(
        self,
        trees: tuple[str, str],
        paths: Collection[str] | None,
        omitted: Collection[str] = (),
        *,
        partial: bool = False,
        renames: bool = True,
        from_elsewhere: bool = False,
    ) -> Reverted:
        """Revert the changes between two trees; see `run`.

        Parameters
        ----------
        trees
            The trees before and after the turn.
        paths
            Files to revert; None for all but the ``omitted``.
        omitted
            Files that are not reverted.
        partial
            As for `run`.
        renames
            As for `tree_changes`.
        from_elsewhere
            Whether the files were made in another folder: links that lead out of this one are
            left out then, and told as refused.

        Raises
        ------
        ChangesRefused
            As `run`.
        ChangesGone
            The trees can't be compared.
        """
        try:
            seconds = self._limits.checkpoint_seconds
            changes = tree_changes(self._git, *trees, seconds, renames=renames)
        except GitError as error:
            raise ChangesGone(f"What this turn changed can't be read: {error}.") from None
        if paths is not None:
            changes = [change for change in changes if change.path in paths]
        chosen = [change for change in changes if change.path not in omitted]
        led = self._leading_out(chosen) if from_elsewhere else frozenset()
        left_out = dict.fromkeys((each.path for each in chosen if each.path in led), LEADS_OUT)
        done = self.run((each for each in chosen if each.path not in led), partial=partial)
        return Reverted(done.paths, {**left_out, **done.refused})

    def run(self, changes: Iterable[TreeChange], *, partial: bool = False) -> Reverted:
        """Revert changes; all of them, or none.

        Parameters
        ----------
        changes
            The changes; both halves of a rename go together.
        partial
            Whether to revert some if others can't be reverted.

        Raises
        ------
        ChangesRefused
            Some files were changed since, or can't be written. Nothing was changed.
        """
        refused: dict[str, str] = {}
        free: list[TreeChange] = []
        for change in changes:
            why = self._obstacle(change.parts())
            if why:
                refused[change.path] = why
            else:
                free.append(change)
        while blocked := self._blocked(free):
            refused |= dict.fromkeys(blocked, IN_THE_WAY)
            free = [change for change in free if change.path not in blocked]
        if refused and not partial:
            raise refusal(refused)
        parts = [part for change in free for part in change.parts()]
        self._restore_all(parts)
        return Reverted(tuple(part.path for part in parts), refused)

    def _leading_out(self, changes: Collection[TreeChange]) -> frozenset[str]:
        """Return the paths that would become links that lead out of the folder."""
        links = [part for change in changes for part in change.parts() if part.old.is_link]
        seconds, most = self._limits.checkpoint_seconds, self._limits.checkpoint_file_bytes
        try:
            targets = blobs(self._git, [part.old.blob for part in links], seconds, most)
        except GitError as error:
            raise ChangesGone(f"What this turn changed can't be read: {error}.") from None
        return frozenset(
            part.path
            for part in links
            if part.old.blob not in targets
            or self._disk.leads_out(part.path, targets[part.old.blob])
        )

    def _obstacle(self, parts: tuple[TreeChange, ...]) -> str:
        """Return why a change can't be reverted; empty if it can, or need not."""
        for part in parts:
            try:
                found = self._disk.find(part.path)
                origin = self._came_from.get(part.path, "")
                there = self._disk.find(origin) if origin else FileOnDisk()
            except OSError as error:
                return f"can't be read: {plain_reason(error)}"
            if not (found.is_as(part.new) or found.is_as(part.old)):
                return SINCE
            if there.exists and found.is_as(part.new) and there.data != found.data:
                return f"came from {origin}, where another file is now"
        return ""

    def _blocked(self, changes: list[TreeChange]) -> frozenset[str]:
        """Return paths that stay blocked after all files to remove are removed."""
        parts = [(change.path, part) for change in changes for part in change.parts()]
        gone = {part.path for _, part in parts if not part.old.exists}
        back = {part.path: path for path, part in parts if part.old.exists}
        return frozenset(back[path] for path in self._disk.without_room(back, gone))

    def _restore_all(self, parts: list[TreeChange]) -> None:
        done: list[TreeChange] = []
        # Removals come first: a file may have become a folder, or a folder a file.
        gone = sorted((p for p in parts if not p.old.exists), key=_depth, reverse=True)
        back = sorted((p for p in parts if p.old.exists), key=_depth)
        try:
            for part in gone:
                if self._restore_file(part, part.new, part.old):
                    done.append(part)
            for folder in sorted(self._new_folders, key=len, reverse=True):
                self._disk.remove_folder(folder)
            for part in back:
                if self._restore_file(part, part.new, part.old):
                    done.append(part)
        except (OSError, GitError) as error:
            left = self._undo(done)
            why = plain_reason(error)
            raise ChangesRefused(
                f"{part.path} could not be reverted: {why}. "
                + (f"Left in between: {_named(left)}." if left else "Nothing was changed.")
            ) from None

    def _undo(self, done: list[TreeChange]) -> list[str]:
        left: list[str] = []
        for part in sorted(done, key=lambda each: (each.new.exists, _depth(each))):
            try:
                self._restore_file(part, part.old, part.new)
            except (OSError, GitError):
                left.append(part.path)
        return left

    def _restore_file(self, part: TreeChange, present: Side, wanted: Side) -> bool:
        """Restore a file that still is as the turn left it; return False if nothing was to do."""
        found = self._disk.find(part.path)
        if found.is_as(wanted):
            return False
        if not found.is_as(present):
            raise OSError(0, SINCE)
        if not wanted.exists:
            self._disk.remove(part.path)
            return True
        data = blobs(
            self._git,
            [wanted.blob],
            self._limits.checkpoint_seconds,
            self._limits.checkpoint_file_bytes,
        ).get(wanted.blob)
        if data is None:
            raise GitError("what it held is no longer kept")
        origin = self._came_from.get(part.path, "")
        if origin and found.data is not None:
            self._disk.put(origin, found.data, is_link=found.is_link, mode=found.mode)
        mode = None if wanted.is_link else self._mode(part, found, wanted)
        self._disk.put(part.path, data, is_link=wanted.is_link, mode=mode)
        return True

    def _mode(self, part: TreeChange, found: FileOnDisk, wanted: Side) -> int | None:
        known = self._modes.get(part.path) if wanted is part.old else None
        if known is not None and bool(known & stat.S_IXUSR) == wanted.is_executable:
            return known
        if found.data is None or found.is_link:
            return 0o755 if wanted.is_executable else None
        if bool(found.mode & stat.S_IXUSR) == wanted.is_executable:
            return found.mode
        bits = 0o111
        return found.mode | (bits & found.mode >> 2) if wanted.is_executable else found.mode & ~bits


def _depth(part: TreeChange) -> int:
    return part.path.count("/")


def refusal(refused: Mapping[str, str]) -> ChangesRefused:
    """Return the error that names the files that can't be reverted."""
    detail = "\n".join(f"{path} {why}" for path, why in refused.items())
    since = [path for path, why in refused.items() if why == SINCE]
    if since:
        verb = "was" if len(since) == 1 else "were"
        words = f"Nothing was reverted: {_named(since)} {verb} changed since the turn."
        return ChangesRefused(words, detail)
    path, why = next(iter(refused.items()))
    return ChangesRefused(f"Nothing was reverted: {path} {why}.", detail)


def _named(paths: list[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")


_SHARED = (
    "Another turn ran in this folder at the same time. Its changes can't be told apart from these."
)
NOTEBOOK = "The notebook of this turn is saved while it runs, so it is not reverted."
MARKED = (
    "The notebook of this turn is saved while it runs: only the cells that tools wrote, and "
    "nobody changed since, are reverted, while it is open."
)


def words_of(
    shared: bool, uncovered: Mapping[str, str], files: Collection[ChangedFile]
) -> Iterator[str]:
    """Yield sentences about what can't be reverted.

    Parameters
    ----------
    shared
        Whether another turn ran in the folder at the same time.
    uncovered
        Changed files without a checkpoint, and why.
    files
        The turn's listed files.
    """
    if shared:
        yield _SHARED
    yield from {file.words for file in files if file.words in {NOTEBOOK, MARKED}}
    if uncovered:
        by_why = groupby(sorted(uncovered, key=uncovered.__getitem__), uncovered.__getitem__)
        named = ", ".join(f"{_named(list(paths))} ({why})" for why, paths in by_why)
        alone = all(file.unread for file in files)
        yield f"Not kept: {named}." if alone else f"Not kept, so it can't be reverted: {named}."
