"""Reverts changes of a turn in open documents, keeping what their users did since."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from acp_jupyter.api.models.turns import RevertTurn
from acp_jupyter.errors import BadRequest, ChangesRefused, DocumentConflict, FileRefused
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.workspace.agent_files import Documents
from acp_jupyter.host.workspace.changed_files import input_strings
from acp_jupyter.host.workspace.checkpoints.file_steps import SINCE, FileStep, FolderSteps
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints
from acp_jupyter.host.workspace.checkpoints.git import GitError
from acp_jupyter.host.workspace.checkpoints.hunks import (
    HAS_IT,
    PartOfFile,
    TextStep,
    TextSteps,
    text_step,
)
from acp_jupyter.host.workspace.checkpoints.notebook_cells import without_marked
from acp_jupyter.host.workspace.checkpoints.revert import refusal
from acp_jupyter.host.workspace.checkpoints.saved_text import has_change, merged_file
from acp_jupyter.host.workspace.checkpoints.tree_change import TreeChange
from acp_jupyter.host.workspace.operations.operation import FolderOperation
from acp_jupyter.protocol.host_events.session import ChangedFile, TurnChanges
from acp_jupyter.transcript.model.session_state import TurnState


@dataclass(frozen=True, slots=True)
class CheckpointedTurn:
    """A turn with checkpoints."""

    session: Session
    turn: TurnState
    checkpoints: Checkpoints
    trees: tuple[str, str]
    """The trees before and after it; with ``earlier`` turns, before the first of them."""
    earlier: tuple[tuple[Session, TurnState], ...] = ()
    """Turns that are reverted together with it, the oldest first."""
    apart: Mapping[str, str] = field(default_factory=dict)
    """Trees with the changes of a single author, by author."""

    @property
    def renames(self) -> bool:
        """Whether its changes are listed with renames; those of several turns are not."""
        return not self.earlier

    def modes(self, files: Iterable[ChangedFile]) -> dict[str, int]:
        """Return the permission bits of files before the turns, as far as known."""
        first = self.earlier[0][1].changes if self.earlier else None
        known = {} if first is None else {file.path: file for file in first.files}
        before = [known.get(file.path, file) for file in files]
        return {f.old_path or f.path: f.old_mode for f in before if f.old_mode is not None}

    def new_modes(self, files: Iterable[ChangedFile]) -> dict[str, int]:
        """Return the permission bits of files after the turns, as far as known."""
        return {f.path: f.new_mode for f in files if f.new_mode is not None}

    @property
    def new_folders(self) -> tuple[str, ...]:
        """New folders that contain new files."""
        turns = (*(turn for _, turn in self.earlier), self.turn)
        created = (turn.changes.made_folders for turn in turns if turn.changes is not None)
        return tuple({folder: None for folders in created for folder in folders})

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """The ids of all turns, the oldest first."""
        return (*(turn.turn_id for _, turn in self.earlier), self.turn.turn_id)

    @property
    def own_notebooks(self) -> frozenset[str]:
        """The notebooks that sent the turns, which are saved while the turns run."""
        turns = (*self.earlier, (self.session, self.turn))
        return frozenset(session.turn_files.own_notebook(turn.turn_id) for session, turn in turns)

    @property
    def changes(self) -> TurnChanges:
        """The turn's changes."""
        return self.turn.changes or TurnChanges()

    @property
    def changed(self) -> tuple[TurnState, ...]:
        """The turns, the oldest first."""
        return (*(turn for _, turn in self.earlier), self.turn)


def named_files(changes: TurnChanges, paths: tuple[str, ...]) -> tuple[ChangedFile, ...]:
    """Return the changed files of a turn with these paths."""
    known = {file.path: file for file in changes.files}
    for path in paths:
        if path not in known:
            raise BadRequest(f"The turn did not change a file {path}.")
    return tuple(known[path] for path in dict.fromkeys(paths))


def paths_of(files: Iterable[ChangedFile]) -> tuple[str, ...]:
    """Return the paths of files before and after the turn, without those that were not read."""
    read = (file for file in files if not file.unread)
    return tuple(path for file in read for path in (file.path, file.old_path) if path)


_ON_DISK = "is not open"
"""Then the file is written on disk, beside other changes of it."""
_UNSAVED = "has changes in an editor that are not saved"
_NOT_OPEN = "is the notebook of this turn: open it, and its cells can be reverted there"


@dataclass(frozen=True, slots=True)
class DocumentStep:
    """A document's text after the turn, and the wanted text."""

    path: str
    present: str
    wanted: str
    otherwise: str
    """Why the document can't be reverted if it is not open."""


@dataclass(slots=True)
class DocumentRevert:
    """Reverts a turn in open documents. Lives on the host's loop.

    For files with unsaved changes, or that were changed on disk since: their page merges by cells
    or lines. In the turn's own notebook, only cells that tools wrote are reverted.

    Parameters
    ----------
    operation
        The operation that this belongs to; it gets each step first, and can undo them.
    """

    turn: CheckpointedTurn
    command: RevertTurn
    documents: Documents
    operation: FolderOperation
    tree_changes: Sequence[TreeChange]
    done: list[DocumentStep] = field(default_factory=list)
    already: set[str] = field(default_factory=set)
    """Paths that were already as wanted."""
    refused: dict[str, str] = field(default_factory=dict)
    """Reasons for files that were not reverted; only with ``partial``."""
    skipped: set[str] = field(default_factory=set)
    """The turn's own notebook, if it is not open and the whole turn is reverted."""

    async def run(
        self, files: Sequence[ChangedFile], part: Callable[[ChangedFile], PartOfFile]
    ) -> tuple[ChangedFile, ...]:
        """Revert files in open documents; return the files to revert on disk."""
        steps = await self._steps(files, part)
        self._require_free()
        there = {step.path for step in steps if await self._is_there(step)}
        files_then = await asyncio.to_thread(
            self._file_steps, [step for step in steps if step.path not in there]
        )
        await self.operation.write_elsewhere(self.turn.checkpoints, files_then, self.take_back)
        others = sum(file.kept for file in self.turn.changes.files) > 1
        left: set[str] = set()
        for step in steps:
            if step.path in there and self.keeps_hunks:
                self.refused[step.path] = HAS_IT
                self._require_free()
                continue
            made = await self._made(step)
            if self.keeps_hunks and step.otherwise == _UNSAVED and made.present == made.wanted:
                self.refused[step.path] = HAS_IT
                self._require_free()
                continue
            why = await self._write(step)
            if why == _ON_DISK:
                left.add(step.path)
                continue
            if why == _NOT_OPEN and others and self.command.paths is None:
                self.skipped.add(step.path)
            elif why:
                self.refused[step.path] = why
            elif step.path in there:
                self.already.add(step.path)
            else:
                self.done.append(made)
            self._require_free()
        taken = {step.path for step in steps if step.path not in left} | self.refused.keys()
        return tuple(file for file in files if file.path not in taken)

    @property
    def keeps_hunks(self) -> bool:
        """Whether hunks of a file in a copy are to be put into the folder."""
        return self.turn.turn.to_be_kept and bool(self.command.hunks) and self.command.undo

    def _require_free(self) -> None:
        if self.refused and not self.command.partial:
            raise refusal(self.refused)

    async def take_back(self) -> None:
        """Undo the steps that were done, as far as possible."""
        for step in self.done:
            await self._write(replace(step, present=step.wanted, wanted=step.present))
        self.done.clear()

    async def _is_there(self, step: DocumentStep) -> bool:
        """Return whether a document is already as wanted, so that Undo must not touch it.

        Checks disk and page, as the page may not have loaded the turn's change yet.
        """
        unsaved = await self.documents.read(self.turn.checkpoints.root / step.path)
        if unsaved == step.wanted:
            return True
        if self.keeps_hunks:
            return False

        def is_there() -> bool:
            on_disk = self.operation.disk(self.turn.checkpoints).read(step.path)
            shown = on_disk if unsaved is None else unsaved.encode()
            texts = step.present.encode(), step.wanted.encode()
            return all(
                text is not None and has_change(step.path, text, *texts)
                for text in (on_disk, shown)
            )

        with contextlib.suppress(OSError):
            return await asyncio.to_thread(is_there)
        return False

    async def _made(self, step: DocumentStep) -> DocumentStep:
        """Return the step from the present text, which may already be as wanted in part.

        Undoing the step then leaves that part alone.
        """
        unsaved = await self.documents.read(self.turn.checkpoints.root / step.path)

        def made() -> DocumentStep:
            on_disk = self.operation.disk(self.turn.checkpoints).read(step.path)
            shown = on_disk if unsaved is None else unsaved.encode()
            texts = step.present.encode(), step.wanted.encode()
            if shown is None:
                return step
            new = merged_file(step.path, shown, *texts)
            return replace(step, present=shown.decode(), wanted=new.decode())

        with contextlib.suppress(OSError, ValueError):
            return await asyncio.to_thread(made)
        return step

    def _file_steps(self, steps: Iterable[DocumentStep]) -> FolderSteps:
        disk = self.operation.disk(self.turn.checkpoints)
        found: list[FileStep] = []
        for step in steps:
            with contextlib.suppress(OSError):
                text = TextStep(step.path, step.present.encode(), step.wanted.encode())
                found.append(text_step(text, disk.find(step.path)))
        return FolderSteps(tuple(found), by_pages=True)

    async def _steps(
        self, files: Sequence[ChangedFile], part: Callable[[ChangedFile], PartOfFile]
    ) -> list[DocumentStep]:
        root = self.turn.checkpoints.root
        marked = () if self.command.hunks else self.turn.own_notebooks
        own = [file for file in files if file.path in marked]
        texts = [file for file in files if not file.binary and file not in own]
        unsaved = {f.path for f in texts if await self.documents.read(root / f.path) is not None}
        whole = [file for file in texts if file.change == "modified"]
        for path in unsaved - {file.path for file in whole}:
            self.refused[path] = _UNSAVED
        behind = await asyncio.to_thread(self._behind, [part(file) for file in whole])
        parts = [part(f) for f in whole if f.path in unsaved or f.path in behind]
        steps = await asyncio.to_thread(self._planned, parts, unsaved)
        return [*steps, *await asyncio.to_thread(self._marked, own)]

    def _texts(self) -> TextSteps:
        checkpoints = self.turn.checkpoints
        return TextSteps(self.operation.disk(checkpoints), self.operation.objects(checkpoints))

    def _behind(self, parts: Sequence[PartOfFile]) -> set[str]:
        """Return the files that are neither in the present nor in the wanted state on disk."""
        mixed = [each for each in parts if each.is_mixed]
        texts = self._texts()
        found = set(texts.obstacles(texts.plan(self.tree_changes, mixed)))
        disk = self.operation.disk(self.turn.checkpoints)
        paths = {each.path for each in parts if each not in mixed}
        for change in self.tree_changes:
            if change.path in paths:
                try:
                    is_ = disk.find(change.path)
                except OSError:
                    continue
                if not (is_.is_as(change.old) or is_.is_as(change.new)):
                    found.add(change.path)
        return found

    def _planned(self, parts: Sequence[PartOfFile], unsaved: set[str]) -> list[DocumentStep]:
        steps: list[DocumentStep] = []
        for step in self._texts().plan(self.tree_changes, parts):
            otherwise = _UNSAVED if step.path in unsaved else SINCE
            if step.why_not:
                self.refused[step.path] = step.why_not
                continue
            if otherwise == SINCE and self.turn.turn.to_be_kept:
                otherwise = _ON_DISK
            try:
                present, wanted = step.present.decode(), step.wanted.decode()
            except UnicodeDecodeError:
                self.refused[step.path] = otherwise
            else:
                steps.append(DocumentStep(step.path, present, wanted, otherwise))
        return steps

    def _marked(self, own: Sequence[ChangedFile]) -> list[DocumentStep]:
        if not own:
            return []
        turn = self.turn
        paths = {file.path for file in own}
        objects = self.operation.objects(turn.checkpoints)
        steps: list[DocumentStep] = []
        for change in self.tree_changes:
            if change.path not in paths:
                continue
            path = change.path
            try:
                old, new = map(bytes.decode, objects.blobs((change.old.blob, change.new.blob)))
            except (GitError, UnicodeDecodeError):
                self.refused[path] = "can no longer be read"
                continue
            try:
                was = without_marked(old, new, turn.turn_ids, _tool_input_strings(turn))
            except ChangesRefused as error:
                self.refused[path] = str(error)
                continue
            texts = (was, new) if self.command.undo else (new, was)
            steps.append(DocumentStep(path, *texts, _NOT_OPEN))
        return steps

    async def _write(self, step: DocumentStep) -> str:
        """Write a step; return why it failed, or an empty string."""
        path = self.turn.checkpoints.root / step.path
        try:
            written = await self.documents.write(path, step.wanted, step.present)
        except DocumentConflict:
            return SINCE
        except FileRefused as error:
            return f"could not be changed in its editor: {error}".rstrip(".")
        return "" if written else step.otherwise


def _tool_input_strings(checkpointed: CheckpointedTurn) -> set[str]:
    """Return all strings in the turns' tool calls, as they may be ids of deleted cells."""
    turns = ((checkpointed.session, checkpointed.turn), *checkpointed.earlier)
    items = (session.transcript.turn_items(turn.turn_id) for session, turn in turns)
    return {words for each in items for words in input_strings(each)}
