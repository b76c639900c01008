"""Plans how single hunks of a text file or notebook are reverted, if it was not changed since.

The expected content of a file follows from its texts before and after the turn and from the hunks
that were reverted earlier, so that nothing else has to be stored. In a copy, a turn goes on from
what earlier turns left there, but any of their changes may be in the folder or not: the content
follows from all of them.
"""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from acp_jupyter.errors import BadRequest, ChangesGone, ChangesRefused, plain_reason
from acp_jupyter.host.workspace.checkpoints.diff import BINARY_PEEK
from acp_jupyter.host.workspace.checkpoints.disk import Disk, FileOnDisk, blob_name
from acp_jupyter.host.workspace.checkpoints.file_steps import SINCE, FileState, FileStep
from acp_jupyter.host.workspace.checkpoints.git import GitError
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects
from acp_jupyter.host.workspace.checkpoints.merge import lines_of
from acp_jupyter.host.workspace.checkpoints.notebook_cells import is_notebook, without_cells
from acp_jupyter.host.workspace.checkpoints.saved_text import text_with_change_apart
from acp_jupyter.host.workspace.checkpoints.tree_change import Side, TreeChange
from acp_jupyter.protocol.host_events.session import ChangedFile, Hunk

HAS_IT = "has this change already"
_NOT_THERE = "is not in the folder: keep the whole file"
_NEEDS_EARLIER = (
    "was changed in the same place by an earlier turn, which is not kept: keep that first"
)
_LATER_NEEDS = "was changed in the same place by a later turn, which is kept: undo that first"


@dataclass(frozen=True, slots=True)
class KeptHunks:
    """The hunks of a file in a copy that are in the folder."""

    hunks: tuple[Hunk, ...]


Selection = tuple[Hunk, ...] | KeptHunks | None
"""What of a file is in the folder: all but these hunks, only these, or nothing."""


def selection_of(file: ChangedFile) -> Selection:
    """Return what of a file in a copy is in the folder."""
    return KeptHunks(file.kept_hunks) if file.reverted else file.reverted_hunks


@dataclass(frozen=True, slots=True)
class OtherTurn:
    """What another turn in the same copy did to a file, and what of it is in the folder."""

    old: Side
    new: Side
    selection: Selection


@dataclass(frozen=True, slots=True)
class PartOfFile:
    """What of a file is in the folder now, and what should be."""

    path: str
    present: Selection
    wanted: Selection
    earlier: tuple[OtherTurn, ...] = ()
    """Earlier turns in the same copy, the oldest first."""
    later: tuple[OtherTurn, ...] = ()

    @property
    def is_mixed(self) -> bool:
        """Whether the file may be in neither of the two stored states."""
        parts = (self.present, self.wanted)
        hunks = (part.hunks if isinstance(part, KeptHunks) else part for part in parts)
        return bool(self.earlier or self.later or any(hunks))


@dataclass(frozen=True, slots=True)
class TextStep:
    """The expected and wanted content of a file."""

    path: str
    present: bytes
    wanted: bytes
    why_not: str = ""
    """Why it can't be done, whatever is in the folder."""


def without_hunks(old: bytes, new: bytes, hunks: Iterable[Hunk]) -> bytes:
    """Return the text after the turn with some hunks reverted."""
    before, after = lines_of(old), lines_of(new)
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


class TextSteps:
    """Plans changes of texts on disk. Blocks; changes nothing."""

    def __init__(self, disk: Disk, objects: GitObjects) -> None:
        self._disk = disk
        self._objects = objects

    def plan(self, changes: Iterable[TreeChange], parts: Sequence[PartOfFile]) -> list[TextStep]:
        """Return the steps for the wanted parts of files."""
        if not parts:
            return []
        known = {change.path: change for change in changes}
        try:
            return [self._step(known.get(part.path), part) for part in parts]
        except GitError as error:
            raise ChangesGone(f"What this turn changed can't be read: {error}.") from None

    def completed(self, changes: Iterable[TreeChange], parts: Sequence[PartOfFile]) -> set[str]:
        """Return the files to write: all of them, or none."""
        alone = [replace(part, earlier=(), later=()) for part in parts]
        ends = [replace(each, present=(), wanted=None) for each in alone]
        steps = zip(self.plan(changes, alone), self.plan(changes, ends), strict=True)
        return {step.path for step, end in steps if step.wanted in (end.present, end.wanted)}

    def beside(self, steps: Iterable[TextStep]) -> list[TextStep]:
        """Return the steps from the present files, which may have other changes elsewhere."""
        return [self._beside(step) for step in steps]

    def _beside(self, step: TextStep) -> TextStep:
        with contextlib.suppress(OSError):
            known = self._disk.read(step.path)
            if known is not None and known not in (step.present, step.wanted):
                made = text_with_change_apart(step.path, known, step.present, step.wanted)
                if made is not None:
                    return replace(step, present=known, wanted=made)
        return step

    def obstacles(self, steps: Iterable[TextStep]) -> dict[str, str]:
        """Return the reasons why steps can't be carried out, by path."""
        found: dict[str, str] = {}
        for step in steps:
            if step.why_not:
                found[step.path] = step.why_not
                continue
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
        if not (part.earlier or part.later):
            present, wanted = (
                _selected(part.path, old, new, each) for each in (part.present, part.wanted)
            )
            return TextStep(part.path, present, wanted)
        return self._of_turns(part, old, new)

    def _of_turns(self, part: PartOfFile, old: bytes, new: bytes) -> TextStep:
        """Return the step for a file that other turns in the same copy changed, too."""
        path = part.path
        before, after = (
            [self._texts_of(path, turn) for turn in turns] for turns in (part.earlier, part.later)
        )
        texts: list[bytes] = []
        for selection in (part.present, part.wanted):
            own = (old, _selected(path, old, new, selection))
            found = _joined(path, [*before, own])
            if found is None:
                there = not before or _joined(path, before) is not None
                return TextStep(path, old, new, _NEEDS_EARLIER if there else _NOT_THERE)
            found = _joined(path, [(found, found), *after])
            if found is None:
                return TextStep(path, old, new, _LATER_NEEDS)
            texts.append(found)
        present, wanted = texts
        return TextStep(path, present, wanted)

    def _texts_of(self, path: str, turn: OtherTurn) -> tuple[bytes | None, bytes | None]:
        """Return the file before the turn, and with what is selected of it."""
        old, new = (self._text(side) for side in (turn.old, turn.new))
        if old is None or new is None:
            nothing = turn.selection is None or turn.selection == KeptHunks(())
            return old, old if nothing else new
        return old, _selected(path, old, new, turn.selection)

    def _text(self, side: Side) -> bytes | None:
        if not side.exists:
            return None
        (text,) = self._objects.blobs([side.blob])
        return text


def _selected(path: str, old: bytes, new: bytes, selection: Selection) -> bytes:
    """Return the file with what is selected of a turn's changes."""
    without = without_cells if is_notebook(path) else without_hunks
    if selection is None:
        return old
    if isinstance(selection, KeptHunks):
        return without(new, old, map(_turned, selection.hunks))
    return without(old, new, selection)


def _turned(hunk: Hunk) -> Hunk:
    """Return the hunk of the change back."""
    return Hunk(
        old_start=hunk.new_start,
        old_end=hunk.new_end,
        new_start=hunk.old_start,
        new_end=hunk.old_end,
    )


def _joined(path: str, turns: Sequence[tuple[bytes | None, bytes | None]]) -> bytes | None:
    """Return the file with the changes of all turns; None if it is gone, or they don't fit."""
    text = turns[0][0]
    for old, made in turns:
        if old == made:
            continue
        if text == old:
            text = made
        elif text is None or old is None or made is None:
            return None
        else:
            text = text_with_change_apart(path, text, old, made)
            if text is None:
                return None
    return text


def text_step(step: TextStep, found: FileOnDisk) -> FileStep:
    """Return the step that replaces the text of the present file, with its permission bits."""
    mode = "100755" if found.mode & stat.S_IXUSR else "100644"
    present, wanted = (
        FileState(Side(mode, blob_name(text)), found.mode, text)
        for text in (step.present, step.wanted)
    )
    return FileStep(step.path, present, wanted)
