"""Plans how single hunks are reverted of a text file or a notebook that nobody has changed since.

What a file should hold now follows from what it held before and after the turn, and from which
changes were taken back: nothing else has to be stored for it.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acp_jupyter.errors import BadRequest, ChangesGone, ChangesRefused, plain_reason
from acp_jupyter.host.workspace.checkpoints.diff import BINARY_PEEK
from acp_jupyter.host.workspace.checkpoints.disk import Disk, FileOnDisk, blob_name
from acp_jupyter.host.workspace.checkpoints.file_steps import SINCE, FileState, FileStep
from acp_jupyter.host.workspace.checkpoints.git import GitError
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects
from acp_jupyter.host.workspace.checkpoints.notebook_cells import is_notebook, without_cells
from acp_jupyter.host.workspace.checkpoints.tree_change import Side, TreeChange
from acp_jupyter.protocol.host_events.session import Hunk


@dataclass(frozen=True, slots=True)
class PartOfFile:
    """What is taken back of a file, and what shall be; None for all of it."""

    path: str
    present: tuple[Hunk, ...] | None
    wanted: tuple[Hunk, ...] | None


@dataclass(frozen=True, slots=True)
class TextStep:
    """A file's bytes, as they should be found and as they shall be."""

    path: str
    present: bytes
    wanted: bytes


def without_hunks(old: bytes, new: bytes, hunks: Iterable[Hunk]) -> bytes:
    """Return the text after the turn, with some changes as they were before it.

    Raises
    ------
    BadRequest
        They overlap, or lie outside the text.
    """
    before, after = _lines(old), _lines(new)
    restored: list[bytes] = []
    old_at = new_at = 0
    for hunk in sorted(hunks, key=lambda each: (each.new_start, each.old_start)):
        ordered = old_at <= hunk.old_start <= hunk.old_end <= len(before)
        if not (ordered and new_at <= hunk.new_start <= hunk.new_end <= len(after)):
            raise BadRequest("These changes are not in this file, or overlap.")
        restored += after[new_at : hunk.new_start]
        if hunk.new_start > new_at and hunk.old_start > 0:
            was = before[hunk.old_start - 1]
            if was.removesuffix(b"\n") == restored[-1].removesuffix(b"\n"):
                restored[-1] = was  # it may be the last line of one side alone
        restored += before[hunk.old_start : hunk.old_end]
        old_at, new_at = hunk.old_end, hunk.new_end
    restored += after[new_at:]
    # The last line of one side may lack its end, and is not the last one any more.
    end = b"\r\n" if before and before[0].endswith(b"\r\n") else b"\n"
    whole = [line if line.endswith(b"\n") else line + end for line in restored[:-1]]
    return b"".join(whole + restored[-1:])


def _lines(text: bytes) -> list[bytes]:
    """Split at line feeds alone, as the page does."""
    parts = text.split(b"\n")
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])


class TextSteps:
    """Plans changes of texts on disk. Blocks; changes nothing.

    Parameters
    ----------
    disk
        The folder.
    objects
        What its checkpoints hold.
    """

    def __init__(self, disk: Disk, objects: GitObjects) -> None:
        self._disk = disk
        self._objects = objects

    def plan(self, changes: Iterable[TreeChange], parts: Sequence[PartOfFile]) -> list[TextStep]:
        """Return what texts are to become.

        Parameters
        ----------
        changes
            Of the turn.
        parts
            Of which files.

        Raises
        ------
        ChangesGone
            What they held before is no longer kept.
        ChangesRefused
            One of them is no text that was changed in place.
        BadRequest
            There are no such changes.
        """
        if not parts:
            return []
        known = {change.path: change for change in changes}
        try:
            return [self._step(known.get(part.path), part) for part in parts]
        except GitError as error:
            raise ChangesGone(f"What this turn changed can't be read: {error}.") from None

    def obstacles(self, steps: Iterable[TextStep]) -> dict[str, str]:
        """Return what can't be done, by path, and why."""
        found: dict[str, str] = {}
        for step in steps:
            try:
                is_ = self._disk.find(step.path)
            except OSError as error:
                found[step.path] = f"can't be read: {plain_reason(error)}"
            else:
                known = {blob_name(step.present), blob_name(step.wanted)}
                if is_.is_link or is_.blob not in known:
                    found[step.path] = SINCE
        return found

    def file_steps(self, steps: Iterable[TextStep]) -> tuple[FileStep, ...]:
        """Return what is to be written; nothing of what is so already."""
        return tuple(
            text_step(step, self._disk.find(step.path))
            for step in steps
            if self._disk.find(step.path).blob != blob_name(step.wanted)
        )

    def _step(self, change: TreeChange | None, part: PartOfFile) -> TextStep:
        if change is None:
            raise ChangesGone(f"What {part.path} held before is no longer kept.")
        one_kind = change.old.mode == change.new.mode and not change.new.is_link
        if change.change != "modified" or not one_kind:
            raise ChangesRefused(f"{part.path} can only be reverted as a whole.")
        old, new = self._objects.blobs((change.old.blob, change.new.blob))
        if b"\0" in old[:BINARY_PEEK] or b"\0" in new[:BINARY_PEEK]:
            raise ChangesRefused(f"{part.path} can only be reverted as a whole.")
        without = without_cells if is_notebook(part.path) else without_hunks
        present, wanted = (
            old if hunks is None else without(old, new, hunks)
            for hunks in (part.present, part.wanted)
        )
        return TextStep(part.path, present, wanted)


def text_step(step: TextStep, found: FileOnDisk) -> FileStep:
    """Return the step that writes a text over the file that is there, with its permission bits."""
    mode = "100755" if found.mode & stat.S_IXUSR else "100644"
    present, wanted = (
        FileState(Side(mode, blob_name(text)), found.mode, text)
        for text in (step.present, step.wanted)
    )
    return FileStep(step.path, present, wanted)
