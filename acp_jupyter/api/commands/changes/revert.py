"""One command that reverts what a turn changed, or undoes that: whole files, or parts of them.

It does all of it or nothing, unless it may be partial. Changes of several turns go together where
each turn went on from what the one before it left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from acp_jupyter.api.commands.changes.revert_documents import (
    CheckpointedTurn,
    DocumentRevert,
    named_files,
    paths_of,
)
from acp_jupyter.api.models.turns import RevertReply, RevertTurn
from acp_jupyter.errors import BadRequest, ChangesGone, ChangesRefused
from acp_jupyter.host.workspace.agent_files import Documents
from acp_jupyter.host.workspace.checkpoints.hunks import PartOfFile, TextSteps
from acp_jupyter.host.workspace.checkpoints.revert import Revert, refusal
from acp_jupyter.protocol.host_events.session import ChangedFile, FileHunks, TurnReverted
from acp_jupyter.transcript.model.session_state import TurnState


class TurnRevert:
    """Carries it out and tells the transcript. Lives on the host's loop, for one command.

    Parameters
    ----------
    turn
        The turn.
    command
        What is asked for.
    documents
        Open ones; what is not saved in them is not overwritten.
    """

    def __init__(self, turn: CheckpointedTurn, command: RevertTurn, documents: Documents) -> None:
        self._turn = turn
        self._command = command
        self._documents = documents
        self._texts = TextSteps(turn.checkpoints)

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
        command, turn = self._command, self._turn
        files = self._chosen()
        if command.in_document:
            return await self._remember(files)
        there = DocumentRevert(turn, command, self._documents)
        on_disk = await there.run(files, self._part)
        some_left = bool(there.refused)
        try:
            refused = await asyncio.to_thread(self._work, on_disk, some_left=some_left)
        except (ChangesRefused, ChangesGone):
            await there.take_back()
            raise
        meant = tuple(file for file in files if file.path not in there.skipped)
        return self._note_reverted(meant, {**refused, **there.refused})

    async def _remember(self, files: tuple[ChangedFile, ...]) -> RevertReply:
        """Take note of what was done in open documents; what is left of a file may be nothing."""
        command, turn = self._command, self._turn
        if command.undo and command.hunks:
            self._note(paths=tuple(file.path for file in files if file.reverted), undone=True)
        parts = [self._part(file.model_copy(update={"reverted": False})) for file in files]
        whole = [replace(part, present=None) for part in parts]
        plan = partial(self._texts.plan, turn.trees, whole, renames=turn.renames)
        steps = await asyncio.to_thread(plan)
        reply = self._note_reverted(files, {})
        if command.hunks and not command.undo:
            self._note(paths=tuple(step.path for step in steps if step.present == step.wanted))
        return reply

    def _note(self, *, paths: tuple[str, ...], undone: bool = False) -> None:
        if paths:
            turn_id, earlier = self._turn.turn.turn_id, self._command.earlier
            note = TurnReverted(turn_id=turn_id, paths=paths, earlier=earlier, undone=undone)
            self._turn.session.journal.note(note)

    def _note_reverted(
        self, files: tuple[ChangedFile, ...], refused: dict[str, str]
    ) -> RevertReply:
        command, turn_id = self._command, self._turn.turn.turn_id
        paths = tuple(file.path for file in files if file.path not in refused)
        if paths:
            hunks = tuple(each for each in command.hunks if each.path in paths)
            note = TurnReverted(turn_id=turn_id, undone=command.undo, earlier=command.earlier)
            parts = {"hunks": hunks} if hunks else {"paths": paths}
            self._turn.session.journal.note(note.model_copy(update=parts))
            for session, turn in () if hunks else self._turn.earlier:
                own = TurnReverted(turn_id=turn.turn_id, paths=paths, undone=command.undo)
                session.journal.note(own)
        return RevertReply(turn_id=turn_id, paths=paths, refused=refused)

    def _work(self, files: tuple[ChangedFile, ...], *, some_left: bool) -> dict[str, str]:
        """Block until it is done; return what was refused."""
        command, turn = self._command, self._turn
        # A file of which some was taken back holds neither of the two texts that are kept.
        mixed = [f for f in files if f.reverted_hunks and f.reverted is command.undo]
        parts = [self._part(file) for file in (files if command.hunks else mixed)]
        steps = self._texts.plan(turn.trees, parts, renames=turn.renames)
        refused = self._texts.obstacles(steps)
        if refused and not command.partial:
            raise refusal(refused)
        steps = [step for step in steps if step.path not in refused]
        self._texts.run(steps)
        if command.hunks:
            return refused
        try:
            whole = tuple(file for file in files if file not in mixed)
            return {**refused, **self._files(whole, some_left=some_left)}
        except (ChangesRefused, ChangesGone):
            self._texts.undo(steps)
            raise

    def _files(self, whole: tuple[ChangedFile, ...], *, some_left: bool) -> dict[str, str]:
        command, turn = self._command, self._turn
        # A turn may have changed more files than it names.
        everything = command.paths is None and not some_left and turn.changes.left_out > 0
        chosen = None if everything else paths_of(whole)
        omitted = {file.path for file in turn.changes.files if file not in whole}
        omitted |= turn.own_notebooks
        before, after = turn.trees
        if command.undo:
            reverting = Revert(turn.checkpoints, turn.new_modes(whole), (), {})
            trees = (after, before)
        else:
            modes = turn.modes(whole)
            reverting = Revert(
                turn.checkpoints,
                modes,
                turn.new_folders,
                {file.path: file.came_from for file in whole if file.came_from},
            )
            trees = (before, after)
        done = reverting.run_paths(
            trees,
            chosen,
            omitted,
            partial=command.partial,
            renames=turn.renames,
            from_elsewhere=bool(turn.turn.variant) and command.undo,
        )
        return dict(done.refused)

    def _chosen(self) -> tuple[ChangedFile, ...]:
        command, changes = self._command, self._turn.changes
        if command.hunks:
            named = named_files(changes, tuple(each.path for each in command.hunks))
            if len(named) < len(command.hunks):
                raise BadRequest("Name each file once.")
        elif command.paths is None:
            restorable = (file for file in changes.files if file.kept)
            # What was reverted before stays as it is: its user may have edited it since.
            meant = tuple(file for file in restorable if file.reverted is command.undo)
            for file in meant:
                require_same_turns(file, ())
            return meant
        else:
            named = named_files(changes, command.paths)
        for file in named:
            require_same_turns(file, command.earlier)
            if not file.kept:
                raise ChangesRefused(f"{file.path} can't be reverted. {file.words}".strip())
            if not file.reverted and command.undo and not command.hunks:
                raise ChangesRefused(f"{file.path} was not reverted.")
        return named

    def _part(self, file: ChangedFile) -> PartOfFile:
        """Return what of a file is to be taken back, or put back."""
        have, undo = file.reverted_hunks, self._command.undo
        asked = [each for each in self._command.hunks if each.path == file.path]
        if not asked:
            # What was taken back of it before stays so.
            return PartOfFile(file.path, None, have) if undo else PartOfFile(file.path, have, None)
        return _part_of_hunks(file, asked[0], undo=undo)


def _part_of_hunks(file: ChangedFile, hunks: FileHunks, *, undo: bool) -> PartOfFile:
    """Return what single changes make of a file."""
    if file.reverted:
        raise ChangesRefused(f"{file.path} was reverted as a whole.")
    have = file.reverted_hunks
    if undo:
        if any(hunk not in have for hunk in hunks.hunks):
            raise ChangesRefused(f"This change to {file.path} was not reverted.")
        wanted = tuple(hunk for hunk in have if hunk not in hunks.hunks)
    else:
        wanted = tuple(dict.fromkeys((*have, *hunks.hunks)))
    return PartOfFile(file.path, have, wanted)


_SAME_PATH = {"added", "modified", "deleted"}


def require_same_turns(file: ChangedFile, earlier: Sequence[str]) -> None:
    """Refuse what would count lines from another text than what was taken back before.

    Raises
    ------
    ChangesRefused
        Parts of the file were taken back together with those of other turns, or without them.
    """
    if file.reverted_hunks and file.together != tuple(earlier):
        raise ChangesRefused(
            f"Parts of {file.path} were reverted in a review of other turns. Undo them there."
        )


def require_unbroken_chain(turns: Sequence[TurnState], paths: Sequence[str]) -> None:
    """Refuse files that were not handed from turn to turn as they are.

    Parameters
    ----------
    turns
        The oldest first.
    paths
        Files.

    Raises
    ------
    ChangesRefused
        Somebody else changed one of them in between, or some of it was taken back since.
    """
    for path in paths:
        files = [file for turn in turns for file in _files_of_path(turn, path)]
        whole = len(files) == len(turns) and all(
            file.kept and file.change in _SAME_PATH for file in files
        )
        handed = all(
            one.new_text_id == other.old_text_id != "" and one.reverted == other.reverted
            for one, other in pairwise(files)
        )
        if not (whole and handed) or any(file.reverted_hunks for file in files[:-1]):
            raise ChangesRefused(
                f"What these turns changed in {path} can't be reverted together. "
                "Revert them turn by turn."
            )


def _files_of_path(turn: TurnState, path: str) -> list[ChangedFile]:
    files = () if turn.changes is None or not turn.changes.revertible else turn.changes.files
    return [file for file in files if file.path == path]
