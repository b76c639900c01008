"""Plans how a turn is reverted: restores files that were not changed since.

Messages explain why a file can't be restored, or only together with others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from acp_jupyter.errors import ChangesGone, ChangesRefused, plain_reason
from acp_jupyter.host.workspace.checkpoints.disk import Disk, FileOnDisk
from acp_jupyter.host.workspace.checkpoints.file_steps import (
    SINCE,
    FileState,
    FileStep,
    FolderSteps,
    mode_for,
    state_of,
)
from acp_jupyter.host.workspace.checkpoints.git import GitError
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects
from acp_jupyter.host.workspace.checkpoints.tree_change import Side, TreeChange
from acp_jupyter.protocol.formatting import first_names
from acp_jupyter.protocol.host_events.session import ChangedFile

_NAMED = 3
IN_THE_WAY = "can't be put back: something else is in its place"
LEADS_OUT = "is a link that leads out of the folder"
"""Reason for a file that is not restored."""


@dataclass(frozen=True, slots=True)
class RevertPlan:
    """The steps of a revert."""

    steps: FolderSteps
    already: frozenset[str]
    """Paths that are already as wanted."""
    refused: Mapping[str, str]
    """Files that are not restored, and why."""


class Revert:
    """Plans how changes of one turn are reverted or redone. Blocks; changes nothing.

    Parameters
    ----------
    emptied
        Folders that were created with their files; removed if they are then empty.
    """

    def __init__(
        self,
        disk: Disk,
        objects: GitObjects,
        modes: Mapping[str, int],
        emptied: Collection[str] = (),
        came_from: Mapping[str, str] | None = None,
        *,
        undo: bool = False,
    ) -> None:
        self._disk = disk
        self._objects = objects
        self._modes = modes
        self._emptied = emptied
        self._came_from = came_from or {}
        self._undo = undo
        self._found: dict[str, FileOnDisk] = {}

    def plan(
        self,
        changes: Iterable[TreeChange],
        *,
        partial: bool = False,
        from_elsewhere: bool = False,
        left: Collection[str] = (),
    ) -> RevertPlan:
        """Plan the revert of all changes, or raise.

        Parameters
        ----------
        changes
            The changes; both halves of a rename go together.
        from_elsewhere
            Whether the files come from another folder: then links that lead out of this one are
            left out, and listed as refused.
        """
        with self._disk.staying():
            return self._plan(list(changes), left, partial=partial, from_elsewhere=from_elsewhere)

    def _plan(
        self,
        chosen: list[TreeChange],
        left: Collection[str],
        *,
        partial: bool,
        from_elsewhere: bool,
    ) -> RevertPlan:
        led = self._leading_out(chosen) if from_elsewhere else frozenset()
        refused: dict[str, str] = {}
        free: list[TreeChange] = []
        for change in chosen:
            if change.path in led:
                continue
            why = self._obstacle([part for part in change.parts() if part.path not in left])
            if why:
                refused[change.path] = why
            else:
                free.append(change)
        while blocked := self._blocked(free, left):
            refused |= dict.fromkeys(blocked, IN_THE_WAY)
            free = [change for change in free if change.path not in blocked]
        if refused and not partial:
            raise refusal(refused)
        parts = [part for change in free for part in change.parts() if part.path not in left]
        steps = [step for part in parts for step in self._steps(part)]
        new = [step.path for step in steps if not step.present.side.exists]
        made = self._disk.missing_folders(new)
        return RevertPlan(
            FolderSteps(tuple(steps), tuple(self._emptied), tuple(made)),
            frozenset(part.path for part in parts) - {step.path for step in steps},
            {**dict.fromkeys(sorted(led), LEADS_OUT), **refused},
        )

    def _wanted(self, part: TreeChange) -> Side:
        return part.new if self._undo else part.old

    def _present(self, part: TreeChange) -> Side:
        return part.old if self._undo else part.new

    def _leading_out(self, changes: Collection[TreeChange]) -> frozenset[str]:
        """Return the paths that would become links to somewhere outside the folder."""
        parts = [(change.path, part) for change in changes for part in change.parts()]
        links = [(path, part) for path, part in parts if self._wanted(part).is_link]
        try:
            targets = [*self._objects.blobs(self._wanted(part).blob for _, part in links)]
        except GitError as error:
            raise ChangesGone(f"What this turn changed can't be read: {error}.") from None
        return frozenset(
            path
            for (path, part), target in zip(links, targets, strict=True)
            if self._disk.leads_out(part.path, target)
        )

    def _obstacle(self, parts: Sequence[TreeChange]) -> str:
        """Return why a change can't be reverted; empty if it can, or is already."""
        for part in parts:
            try:
                found = self._found[part.path] = self._disk.find(part.path)
                origin = self._came_from.get(part.path, "")
                there = self._disk.find(origin) if origin else None
            except OSError as error:
                return f"can't be read: {plain_reason(error)}"
            is_there = found.is_as(self._present(part))
            if not (is_there or found.is_as(self._wanted(part))):
                return SINCE
            if there and there.exists and is_there and there.blob != found.blob:
                return f"came from {origin}, where another file is now"
        return ""

    def _blocked(self, changes: list[TreeChange], left: Collection[str]) -> frozenset[str]:
        """Return paths that stay blocked after all files to remove are removed."""
        parts = [
            (change.path, part)
            for change in changes
            for part in change.parts()
            if part.path not in left
        ]
        gone = {part.path for _, part in parts if not self._wanted(part).exists}
        # Where a file exists now, nothing else blocks its path.
        back = {
            part.path: path
            for path, part in parts
            if self._wanted(part).exists and not self._found[part.path].exists
        }
        return frozenset(back[path] for path in self._disk.without_room(back, gone))

    def _steps(self, part: TreeChange) -> Iterator[FileStep]:
        """Yield the steps to restore a file; none if it is already as wanted."""
        wanted = self._wanted(part)
        found = self._found[part.path]
        if found.is_as(wanted):
            return
        origin = self._came_from.get(part.path, "")
        if origin and not self._disk.find(origin).exists:
            yield FileStep(origin, FileState(), state_of(found))
        mode = None
        if wanted.exists and not wanted.is_link:
            mode = mode_for(found, wanted, self._modes.get(part.path))
        yield FileStep(part.path, state_of(found), FileState(wanted, mode))


def with_renames(changes: Iterable[TreeChange], files: Iterable[ChangedFile]) -> list[TreeChange]:
    """Join the two changes of each renamed file."""
    by_path = {change.path: change for change in changes}
    for file in files:
        gone, new = by_path.get(file.old_path), by_path.get(file.path)
        if file.change == "renamed" and gone is not None and new is not None:
            del by_path[file.old_path]
            one = replace(new, change="renamed", old=gone.old, old_path=file.old_path)
            by_path[file.path] = one
    return list(by_path.values())


def refusal(refused: Mapping[str, str]) -> ChangesRefused:
    """Return the error that names the files that can't be reverted."""
    detail = "\n".join(f"{path} {why}" for path, why in refused.items())
    since = [path for path, why in refused.items() if why == SINCE]
    if since:
        verb = "was" if len(since) == 1 else "were"
        words = f"Nothing was reverted: {first_names(since, _NAMED)} {verb} changed since the turn."
        return ChangesRefused(words, detail)
    path, why = next(iter(refused.items()))
    return ChangesRefused(f"Nothing was reverted: {path} {why}.", detail)


_SHARED = "Another turn ran in this folder at the same time. Changes that it made are not reverted."
YOURS = "You saved it while the turn ran: it is not reverted."
RUN_FOR_YOU = "A command that you had run changed it: it is not reverted."
YOURS_TOO = "Other changes that you saved during the turn are kept."
CHANGED_BY_ANOTHER = "Another turn that ran at the same time changed it: revert it there."
NOTEBOOK = "The notebook of this turn is saved while it runs, so it is not reverted."
NAME_NOT_UTF8 = "Its name is not in UTF-8."
NOT_UTF8 = "its name is not in UTF-8"
"""Reason for a file that no checkpoint holds."""
MARKED = (
    "The notebook of this turn is saved while it runs: only the cells that tools wrote, and "
    "nobody changed since, are reverted, while it is open."
)


def words_of(
    shared: bool, uncovered: Mapping[str, str], files: Collection[ChangedFile]
) -> Iterator[str]:
    """Yield sentences about what can't be reverted."""
    if shared:
        yield _SHARED
    yield from {file.words for file in files if file.words in {NOTEBOOK, MARKED}}
    if uncovered:
        by_why = groupby(sorted(uncovered, key=uncovered.__getitem__), uncovered.__getitem__)
        named = ", ".join(f"{first_names(list(paths), _NAMED)} ({why})" for why, paths in by_why)
        alone = all(file.unread for file in files)
        yield f"Not kept: {named}." if alone else f"Not kept, so it can't be reverted: {named}."


CANT_REVERT = "can't be reverted"
CANT_KEEP = "can't be kept"
_FOR_COPY = {
    "keep": (
        ("Not kept, so it can't be reverted:", "Not stored, so it can't be kept:"),
        ("Nothing was reverted:", "Nothing was kept:"),
        (" since the turn.", " since the copy was made."),
        ("was not reverted.", "is kept already."),
        ("was reverted as a whole.", "can only be kept as a whole."),
        (CANT_REVERT, CANT_KEEP),
        ("can only be reverted", "can only be kept"),
    ),
    "take out": (
        ("Nothing was reverted:", "Nothing was undone:"),
        (" since the turn.", " since."),
        ("can only be reverted", "can only be taken out"),
    ),
}


def text_for_copy(text: str, operation: Literal["keep", "take out"]) -> str:
    """Return a message about a revert for a turn in a copy.

    Its changes are kept, which is a revert in reverse, and what was kept is taken out again.
    """
    for words, instead in _FOR_COPY[operation]:
        text = text.replace(words, instead)
    return text
