"""One command that takes back what a turn changed, or puts it back: files, or parts of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from acp_jupyter.delivery.change_chains import refuse_other_counting
from acp_jupyter.delivery.change_commands import RevertReply, RevertTurn
from acp_jupyter.errors import BadRequest, ChangesGone, ChangesRefused
from acp_jupyter.host.checkpoints.folder import Checkpoints
from acp_jupyter.host.checkpoints.hunks import PartOfFile, TextSteps
from acp_jupyter.host.checkpoints.revert import Revert, refusal
from acp_jupyter.host.documents import Documents
from acp_jupyter.host.session import Session
from acp_jupyter.packets.change_notes import ChangedFile, FileHunks, TurnChanges, TurnReverted
from acp_jupyter.transcript.session_state import TurnState

__all__ = ["KeptTurn", "TakingBack", "named_files", "paths_of"]

_UNSAVED = "has changes in an editor that are not saved"


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A turn whose folder was kept."""

    session: Session
    turn: TurnState
    checkpoints: Checkpoints
    trees: tuple[str, str]
    """Before and after it; before the first of the ``earlier`` ones, if there are any."""
    earlier: tuple[tuple[Session, TurnState], ...] = ()
    """Turns whose changes go with it, the oldest first."""

    @property
    def renames(self) -> bool:
        """Whether its changes were told with renames. Those of several turns are not."""
        return not self.earlier

    def modes(self, files: Iterable[ChangedFile]) -> dict[str, int]:
        """Return the permission bits of files before it, as far as they are known."""
        first = self.earlier[0][1].changes if self.earlier else None
        told = {} if first is None else {file.path: file for file in first.files}
        before = [told.get(file.path, file) for file in files]
        return {f.old_path or f.path: f.old_mode for f in before if f.old_mode is not None}

    @property
    def made_folders(self) -> tuple[str, ...]:
        """New folders of new files."""
        turns = (*(turn for _, turn in self.earlier), self.turn)
        made = (turn.changes.made_folders for turn in turns if turn.changes is not None)
        return tuple({folder: None for folders in made for folder in folders})

    @property
    def changes(self) -> TurnChanges:
        """What it changed."""
        return self.turn.changes or TurnChanges()


class TakingBack:
    """Carries it out and tells the transcript. Lives on the host's loop, for one command.

    Parameters
    ----------
    kept
        The turn.
    command
        What is asked for.
    documents
        Open ones; what is not saved in them is not overwritten.
    """

    def __init__(self, kept: KeptTurn, command: RevertTurn, documents: Documents) -> None:
        self._kept = kept
        self._command = command
        self._documents = documents
        self._texts = TextSteps(kept.checkpoints)

    async def run(self) -> RevertReply:
        """Do all of it, or nothing.

        Raises
        ------
        ChangesRefused
            Files were changed since.
        ChangesGone
            What they were is not kept.
        BadRequest
            The turn did not change that.
        """
        command, turn_id = self._command, self._kept.turn.turn_id
        files = self._chosen()
        unsaved = await self._unsaved(files)
        if unsaved and not command.partial:
            raise refusal(unsaved)
        free = tuple(file for file in files if file.path not in unsaved)
        if command.hunks:
            asked = {each.path: each for each in command.hunks}
            parts = [_part(file, asked[file.path], undo=command.undo) for file in free]
            whole: tuple[ChangedFile, ...] = ()
        else:
            # A file of which some was taken back holds neither of the two texts that are kept.
            mixed = [f for f in free if f.reverted_hunks and f.reverted is command.undo]
            parts = [_rest(file, undo=command.undo) for file in mixed]
            whole = tuple(file for file in free if file not in mixed)
        refused = {**await asyncio.to_thread(self._work, parts, whole, bool(unsaved)), **unsaved}
        paths = tuple(file.path for file in free if file.path not in refused)
        if paths:
            hunks = tuple(each for each in command.hunks if each.path in paths)
            note = TurnReverted(turn_id=turn_id, undone=command.undo, earlier=command.earlier)
            told = {"hunks": hunks} if hunks else {"paths": paths}
            self._kept.session.journal.note(note.model_copy(update=told))
            for session, turn in () if hunks else self._kept.earlier:
                own = TurnReverted(turn_id=turn.turn_id, paths=paths, undone=command.undo)
                session.journal.note(own)
        return RevertReply(turn_id=turn_id, paths=paths, refused=refused)

    def _work(
        self, parts: list[PartOfFile], whole: tuple[ChangedFile, ...], some_left: bool
    ) -> dict[str, str]:
        """Block until it is done; return what was refused."""
        command, kept = self._command, self._kept
        steps = self._texts.plan(kept.trees, parts, renames=kept.renames)
        refused = self._texts.obstacles(steps)
        if refused and not command.partial:
            raise refusal(refused)
        steps = [step for step in steps if step.path not in refused]
        self._texts.run(steps)
        if command.hunks:
            return refused
        try:
            return {**refused, **self._files(whole, some_left)}
        except (ChangesRefused, ChangesGone):
            self._texts.undo(steps)
            raise

    def _files(self, whole: tuple[ChangedFile, ...], some_left: bool) -> dict[str, str]:
        command, kept = self._command, self._kept
        # A turn may have changed more files than it names.
        everything = command.paths is None and not some_left and kept.changes.left_out > 0
        chosen = None if everything else paths_of(whole)
        omitted = {file.path for file in kept.changes.files if file not in whole}
        omitted.add(kept.session.turn_files.own_notebook(kept.turn.turn_id))
        before, after = kept.trees
        if command.undo:
            reverting, trees = Revert(kept.checkpoints, {}, ()), (after, before)
        else:
            modes = kept.modes(whole)
            reverting = Revert(kept.checkpoints, modes, kept.made_folders)
            trees = (before, after)
        done = reverting.run_paths(
            trees, chosen, omitted, partial=command.partial, renames=kept.renames
        )
        return dict(done.refused)

    def _chosen(self) -> tuple[ChangedFile, ...]:
        command, changes = self._command, self._kept.changes
        if command.hunks:
            named = named_files(changes, tuple(each.path for each in command.hunks))
            if len(named) < len(command.hunks):
                raise BadRequest("Name each file once.")
        elif command.paths is None:
            kept = (file for file in changes.files if file.kept)
            meant = tuple(file for file in kept if file.reverted or not command.undo)
            for file in meant:
                refuse_other_counting(file, ())
            return meant
        else:
            named = named_files(changes, command.paths)
        for file in named:
            refuse_other_counting(file, command.earlier)
            if not file.kept:
                raise ChangesRefused(f"{file.path} is not taken back. {file.words}".strip())
            if not file.reverted and command.undo and not command.hunks:
                raise ChangesRefused(f"{file.path} was not taken back.")
        return named

    async def _unsaved(self, files: tuple[ChangedFile, ...]) -> dict[str, str]:
        found: dict[str, str] = {}
        root = self._kept.checkpoints.root
        for file in files:
            if not file.binary and await self._documents.read(root / file.path) is not None:
                found[file.path] = _UNSAVED
        return found


def _part(file: ChangedFile, asked: FileHunks, *, undo: bool) -> PartOfFile:
    """Return what single changes make of a file."""
    if file.reverted:
        raise ChangesRefused(f"{file.path} was taken back as a whole.")
    have = file.reverted_hunks
    if undo:
        if any(hunk not in have for hunk in asked.hunks):
            raise ChangesRefused(f"This change of {file.path} was not taken back.")
        wanted = tuple(hunk for hunk in have if hunk not in asked.hunks)
    else:
        wanted = tuple(dict.fromkeys((*have, *asked.hunks)))
    return PartOfFile(file.path, have, wanted)


def _rest(file: ChangedFile, *, undo: bool) -> PartOfFile:
    """Return what is left of a file of which some was taken back, or how it was then."""
    have = file.reverted_hunks
    return PartOfFile(file.path, None, have) if undo else PartOfFile(file.path, have, None)


def named_files(changes: TurnChanges, paths: tuple[str, ...]) -> tuple[ChangedFile, ...]:
    """Return the files of a turn that have these paths.

    Raises
    ------
    BadRequest
        It did not change one of them.
    """
    known = {file.path: file for file in changes.files}
    for path in paths:
        if path not in known:
            raise BadRequest(f"The turn did not change a file {path}.")
    return tuple(known[path] for path in dict.fromkeys(paths))


def paths_of(files: Iterable[ChangedFile]) -> tuple[str, ...]:
    """Return where files were before the turn and after it."""
    return tuple(path for file in files for path in (file.path, file.old_path) if path)
