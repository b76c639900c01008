"""Reverts single hunks of a text file or a notebook that nobody has changed since.

What a file should hold now follows from what it held before and after the turn, and from which
changes were taken back: nothing else has to be stored for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from acp_jupyter.errors import BadRequest, ChangesGone, ChangesRefused, plain_reason
from acp_jupyter.host.workspace.checkpoints.diff import TreeChange, blobs, tree_changes
from acp_jupyter.host.workspace.checkpoints.disk import Disk
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints
from acp_jupyter.host.workspace.checkpoints.git import GitError
from acp_jupyter.host.workspace.checkpoints.notebook_cells import is_notebook, without_cells
from acp_jupyter.host.workspace.checkpoints.revert import SINCE
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
    """Changes texts on disk, all of them or none. Blocks.

    Parameters
    ----------
    checkpoints
        Of the folder.
    """

    def __init__(self, checkpoints: Checkpoints) -> None:
        self._git = checkpoints.git
        self._limits = checkpoints.limits
        self._disk = Disk(checkpoints.root, self._limits.checkpoint_file_bytes)

    def plan(
        self, trees: tuple[str, str], parts: Sequence[PartOfFile], *, renames: bool = True
    ) -> list[TextStep]:
        """Return what is to be done.

        Parameters
        ----------
        trees
            Before and after the turn.
        parts
            Of which files.
        renames
            As for `tree_changes`.

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
        seconds = self._limits.checkpoint_seconds
        try:
            changes = tree_changes(self._git, *trees, seconds, renames=renames)
            known = {change.path: change for change in changes}
            return [self._step(known.get(part.path), part) for part in parts]
        except GitError as error:
            raise ChangesGone(f"What this turn changed can't be read: {error}.") from None

    def obstacles(self, steps: Iterable[TextStep]) -> dict[str, str]:
        """Return what can't be done, by path, and why."""
        found: dict[str, str] = {}
        for step in steps:
            try:
                data = self._disk.find(step.path).data
            except OSError as error:
                found[step.path] = f"can't be read: {plain_reason(error)}"
            else:
                if data not in (step.present, step.wanted):
                    found[step.path] = SINCE
        return found

    def run(self, steps: Sequence[TextStep]) -> None:
        """Do it.

        Raises
        ------
        ChangesRefused
            A file can't be written. Nothing was changed.
        """
        done: list[TextStep] = []
        for step in steps:
            try:
                self._write(step)
            except OSError as error:
                self.undo(done)
                raise ChangesRefused(
                    f"{step.path} could not be written: {plain_reason(error)}. Nothing was changed."
                ) from None
            done.append(step)

    def undo(self, steps: Iterable[TextStep]) -> None:
        """Make it undone, as far as that can be."""
        for step in steps:
            try:
                self._write(replace(step, present=step.wanted, wanted=step.present))
            except OSError:
                continue  # changed meanwhile by somebody: it is theirs

    def _step(self, change: TreeChange | None, part: PartOfFile) -> TextStep:
        if change is None:
            raise ChangesGone(f"What {part.path} held before is no longer kept.")
        sides = (change.old, change.new)
        one_kind = change.old.mode == change.new.mode and not change.new.is_link
        if change.change != "modified" or change.binary or not one_kind:
            raise ChangesRefused(f"{part.path} can only be reverted as a whole.")
        seconds, most = self._limits.checkpoint_seconds, self._limits.checkpoint_file_bytes
        held = blobs(self._git, {side.blob for side in sides}, seconds, 2 * most)
        if len(held) < len({side.blob for side in sides}):
            raise ChangesGone(f"What {part.path} held before is no longer kept.")
        old, new = held[change.old.blob], held[change.new.blob]
        without = without_cells if is_notebook(part.path) else without_hunks
        present, wanted = (
            old if hunks is None else without(old, new, hunks)
            for hunks in (part.present, part.wanted)
        )
        return TextStep(part.path, present, wanted)

    def _write(self, step: TextStep) -> None:
        found = self._disk.find(step.path)
        if found.data == step.wanted and not found.is_link:
            return
        if found.data != step.present or found.is_link:
            raise OSError(0, SINCE)
        self._disk.put(step.path, step.wanted, is_link=False, mode=found.mode)
