"""Plans how single hunks of a text file or notebook are reverted, if it was not changed since.

The expected content of a file follows from its texts before and after the turn and from the hunks
that were reverted earlier, so that nothing else has to be stored.
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
    """The hunks of a file that are reverted now, and that should be; None for the whole file."""

    path: str
    present: tuple[Hunk, ...] | None
    wanted: tuple[Hunk, ...] | None


@dataclass(frozen=True, slots=True)
class TextStep:
    """The expected and wanted content of a file."""

    path: str
    present: bytes
    wanted: bytes


def without_hunks(old: bytes, new: bytes, hunks: Iterable[Hunk]) -> bytes:
    """Return the text after the turn with some hunks reverted.

    Raises
    ------
    BadRequest
        The hunks overlap, or lie outside the text.
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
                restored[-1] = was  # its line end may differ, if it was the last line
        restored += before[hunk.old_start : hunk.old_end]
        old_at, new_at = hunk.old_end, hunk.new_end
    restored += after[new_at:]
    # A former last line may lack its line end, but is no longer the last.
    end = b"\r\n" if before and before[0].endswith(b"\r\n") else b"\n"
    whole = [line if line.endswith(b"\n") else line + end for line in restored[:-1]]
    return b"".join(whole + restored[-1:])


def _lines(text: bytes) -> list[bytes]:
    """Split a text at line feeds only, as the page does."""
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
        The contents of its checkpoints.
    """

    def __init__(self, disk: Disk, objects: GitObjects) -> None:
        self._disk = disk
        self._objects = objects

    def plan(self, changes: Iterable[TreeChange], parts: Sequence[PartOfFile]) -> list[TextStep]:
        """Return the steps for the wanted parts of files.

        Parameters
        ----------
        changes
            The turn's changes.
        parts
            The wanted parts.

        Raises
        ------
        ChangesGone
            A file's former content is no longer stored.
        ChangesRefused
            A file is not a text that was changed in place.
        BadRequest
            A file has no such hunks.
        """
        if not parts:
            return []
        known = {change.path: change for change in changes}
        try:
            return [self._step(known.get(part.path), part) for part in parts]
        except GitError as error:
            raise ChangesGone(f"What this turn changed can't be read: {error}.") from None

    def obstacles(self, steps: Iterable[TextStep]) -> dict[str, str]:
        """Return the reasons why steps can't be carried out, by path."""
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
        """Return the files to write, without those that are already as wanted."""
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
    """Return the step that replaces the text of the present file, with its permission bits."""
    mode = "100755" if found.mode & stat.S_IXUSR else "100644"
    present, wanted = (
        FileState(Side(mode, blob_name(text)), found.mode, text)
        for text in (step.present, step.wanted)
    )
    return FileStep(step.path, present, wanted)
