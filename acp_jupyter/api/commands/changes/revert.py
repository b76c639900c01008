"""Carries out one command that reverts a turn's changes or undoes that: whole files or hunks.

It does everything or nothing, unless ``partial`` is set. Changes of several turns can be reverted
together if each turn began with the file as the one before it left it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
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
from acp_jupyter.host.workspace.checkpoints.disk import blob_name
from acp_jupyter.host.workspace.checkpoints.file_steps import FolderSteps
from acp_jupyter.host.workspace.checkpoints.git import GitError
from acp_jupyter.host.workspace.checkpoints.hunks import (
    HAS_IT,
    KeptHunks,
    OtherTurn,
    PartOfFile,
    Selection,
    TextStep,
    TextSteps,
    selection_of,
)
from acp_jupyter.host.workspace.checkpoints.revert import (
    Revert,
    RevertPlan,
    refusal,
    with_renames,
)
from acp_jupyter.host.workspace.checkpoints.tree_change import NOTHING, TreeChange
from acp_jupyter.host.workspace.operations.operation import FolderOperation
from acp_jupyter.protocol.host_events.session import (
    ChangedFile,
    FileHunks,
    TurnChanges,
    TurnReverted,
)
from acp_jupyter.transcript.model.session_state import TurnState


class TurnRevert:
    """Reverts a turn as a part of an operation. Lives on the host's loop, for one command."""

    def __init__(
        self,
        turn: CheckpointedTurn,
        command: RevertTurn,
        documents: Documents,
        operation: FolderOperation,
        kept_now: dict[tuple[str, str], ChangedFile],
    ) -> None:
        self._turn = turn
        self._command = command
        self._documents = documents
        self._operation = operation
        self._disk = operation.disk(turn.checkpoints)
        self._objects = operation.objects(turn.checkpoints)
        self._texts = TextSteps(self._disk, self._objects)
        self._kept_now = kept_now
        self._earlier: dict[str, tuple[OtherTurn, ...]] = {}
        """What other turns in the same copy did to files, by path."""
        self._later: dict[str, tuple[OtherTurn, ...]] = {}
        self._in_copy = turn.turn.to_be_kept
        self._keeps_hunks = bool(self._in_copy and command.hunks and command.undo)
        self._is_forward = command.undo is turn.turn.to_be_kept
        """Whether this is not an Undo; keeping changes of a copy is a revert in reverse."""

    async def run(self) -> RevertReply:
        """Carry out the command, or raise."""
        command, turn = self._command, self._turn
        files = self._chosen()
        changes = await asyncio.to_thread(self._changes)
        if command.in_document:
            return await self._remember(files, changes)
        if turn.turn.in_copy:
            known = self._of_others({file.path for file in files if not file.binary})
            await asyncio.to_thread(self._find_others, known, changes)
        there = DocumentRevert(turn, command, self._documents, self._operation, changes)
        mine = tuple(file for file in files if file.path not in self._left)
        on_disk = await there.run(mine, self._part)
        some_left = bool(there.refused)
        plan = await asyncio.to_thread(self._plan, changes, on_disk, some_left=some_left)
        await self._operation.write(turn.checkpoints, plan.steps)
        meant = tuple(file for file in files if file.path not in there.skipped)
        refused = {**plan.refused, **there.refused}
        made = plan.steps.made
        whole = await self._completed(changes, meant)
        return self._note_reverted(meant, refused, plan.already | there.already, made, whole)

    async def _completed(
        self, changes: Sequence[TreeChange], files: Iterable[ChangedFile]
    ) -> frozenset[str]:
        """Return the files in a copy that a command for hunks keeps, or takes out, to the end."""
        if not (self._in_copy and self._command.hunks):
            return frozenset()
        parts = [self._part(file) for file in files]
        return frozenset(await asyncio.to_thread(self._texts.completed, changes, parts))

    @property
    def _left(self) -> frozenset[str]:
        """Paths that Undo leaves alone: they were already in that state before the revert."""
        return frozenset() if self._is_forward else frozenset(self._turn.changes.already)

    def _changes(self) -> list[TreeChange]:
        turn = self._turn
        try:
            changes = self._objects.changes(*turn.trees)
        except GitError as error:
            raise ChangesGone(f"What this turn changed can't be read: {error}.") from None
        return with_renames(changes, turn.changes.files if turn.renames else ())

    def _of_others(self, paths: set[str]) -> list[tuple[int, str, ChangedFile]]:
        """Return what other turns of the session did to files: -1 for earlier ones, 1 for later."""
        session, own = self._turn.session, self._turn.turn.turn_id
        order = session.transcript.turn_order
        at, found = order.index(own), list[tuple[int, str, ChangedFile]]()
        for number, turn_id in enumerate(order):
            changes = session.transcript.turns[turn_id].changes
            if changes is None or number == at:
                continue
            for file in changes.files:
                if file.kept and paths.intersection({file.path, file.old_path}):
                    now = self._kept_now.get((turn_id, file.path), file)
                    found.append((-1 if number < at else 1, turn_id, now))
        return found

    def _find_others(
        self, others: Iterable[tuple[int, str, ChangedFile]], changes: Iterable[TreeChange]
    ) -> None:
        """Read what other turns did to files that this one changed in place. Blocks."""
        in_place = {
            each.path
            for each in changes
            if each.change == "modified" and each.old.mode == each.new.mode and not each.new.is_link
        }
        for when, turn_id, file in others:
            try:
                trees = self._turn.checkpoints.trees(turn_id, self._objects)
                known = {} if trees is None else {c.path: c for c in self._objects.changes(*trees)}
            except GitError as error:
                raise ChangesGone(f"What these turns changed can't be read: {error}.") from None
            for path in in_place.intersection({file.path, file.old_path}):
                change = known.get(path)
                if change is None:
                    continue
                new = NOTHING if path == file.old_path != file.path else change.new
                other = OtherTurn(change.old, new, selection_of(file))
                found = self._earlier if when < 0 else self._later
                found[path] = (*found.get(path, ()), other)

    async def _remember(
        self, files: tuple[ChangedFile, ...], changes: Sequence[TreeChange]
    ) -> RevertReply:
        """Note reverts that a page made in open documents; a file may be reverted completely."""
        command = self._command
        if self._in_copy:
            completed = await self._completed(changes, files)
            return self._note_reverted(files, {}, frozenset(), whole=completed)
        if command.undo and command.hunks:
            self._note(paths=tuple(file.path for file in files if file.reverted), undone=True)
        parts = [self._part(file.model_copy(update={"reverted": False})) for file in files]
        whole = [replace(part, present=None) for part in parts]
        steps = await asyncio.to_thread(self._texts.plan, changes, whole)
        reply = self._note_reverted(files, {}, frozenset())
        if command.hunks and not command.undo:
            self._note(paths=tuple(step.path for step in steps if step.present == step.wanted))
        return reply

    def _note(self, *, paths: tuple[str, ...], undone: bool = False) -> None:
        if paths:
            turn_id, earlier = self._turn.turn.turn_id, self._command.earlier
            note = TurnReverted(turn_id=turn_id, paths=paths, earlier=earlier, undone=undone)
            self._operation.note(self._turn.session.journal, note)

    def _note_reverted(
        self,
        files: tuple[ChangedFile, ...],
        refused: dict[str, str],
        already: frozenset[str],
        made: tuple[str, ...] = (),
        whole: Collection[str] = (),
    ) -> RevertReply:
        command, turn_id = self._command, self._turn.turn.turn_id
        done = tuple(file for file in files if file.path not in refused)
        paths = tuple(file.path for file in done)
        if paths:
            hunks = tuple(each for each in command.hunks if each.path in paths)
            note = TurnReverted(turn_id=turn_id, undone=command.undo, earlier=command.earlier)
            told: dict[str, object] = {"paths": paths}
            if hunks:
                parts = tuple(each for each in hunks if each.path not in whole)
                told = {"hunks": parts, "paths": tuple(sorted(whole))}
            now = self._for_undo(self._turn.changes, done, already, made)
            note = note.model_copy(update={**told, **now})
            self._operation.note(self._turn.session.journal, note)
            for session, turn in () if hunks else self._turn.earlier:
                own = TurnReverted(turn_id=turn.turn_id, paths=paths, undone=command.undo)
                now = self._for_undo(turn.changes or TurnChanges(), done, already, made)
                self._operation.note(session.journal, own.model_copy(update=now))
            if not hunks:
                now_kept = {"reverted": not command.undo, "reverted_hunks": (), "kept_hunks": ()}
                for file in done if self._in_copy else ():
                    self._kept_now[turn_id, file.path] = file.model_copy(update=now_kept)
        return RevertReply(turn_id=turn_id, paths=paths, refused=refused)

    def _for_undo(
        self,
        changes: TurnChanges,
        done: Iterable[ChangedFile],
        already: frozenset[str],
        made: tuple[str, ...],
    ) -> dict[str, tuple[str, ...]]:
        """Return the changed fields of `TurnChanges` that a later Undo needs."""
        concerned = {path for file in done for path in (file.path, file.old_path)}
        stays = [
            f for f in changes.files if f.reverted is self._command.undo and f.path not in concerned
        ]
        if self._command.paths is None and not self._command.hunks:
            concerned.update(changes.already)
        now = {path for path in changes.already if path not in concerned}
        folders = {*changes.put_folders, *made}
        if self._is_forward:
            now |= already
        else:
            paths = [path for file in stays for path in (file.path, file.old_path)]
            folders = {f for f in folders if any(path.startswith(f"{f}/") for path in paths)}
        known = {"already": changes.already, "put_folders": changes.put_folders}
        becomes = {"already": tuple(sorted(now)), "put_folders": tuple(sorted(folders))}
        return {name: paths for name, paths in becomes.items() if set(paths) != set(known[name])}

    def _plan(
        self, changes: Sequence[TreeChange], files: tuple[ChangedFile, ...], *, some_left: bool
    ) -> RevertPlan:
        """Plan hunks and whole files. Blocks."""
        command = self._command
        mixed = [file for file in files if self._is_mixed(file, changes)]
        parts = [self._part(file) for file in (files if command.hunks else mixed)]
        texts = self._texts.plan(changes, parts)
        if self._in_copy:
            texts = self._texts.beside(texts)
        refused = self._texts.obstacles(texts)
        if self._keeps_hunks:
            refused |= {text.path: HAS_IT for text in texts if self._is_there(text)}
        if refused and not command.partial:
            raise refusal(refused)
        steps = self._texts.file_steps(text for text in texts if text.path not in refused)
        written = {step.path for step in steps} | refused.keys()
        already = frozenset(text.path for text in texts) - written
        if command.hunks:
            return RevertPlan(FolderSteps(steps), already, refused)
        apart = {file.path for file in mixed}
        whole = tuple(file for file in files if file.path not in apart)
        plan = self._whole(changes, whole, some_left=some_left)
        return RevertPlan(
            replace(plan.steps, files=(*steps, *plan.steps.files)),
            already | plan.already,
            {**refused, **plan.refused},
        )

    def _is_mixed(self, file: ChangedFile, changes: Iterable[TreeChange]) -> bool:
        """Return whether a file may equal neither of the two stored texts."""
        if not self._in_copy:
            return bool(file.reverted_hunks) and file.reverted is self._command.undo
        if self._part(file).is_mixed:
            return True
        if not self._turn.turn.in_copy:
            return False  # of a variant, a file that was changed since is not kept
        # A person may have changed other lines of it.
        change = next((each for each in changes if each.path == file.path), None)
        if change is None or file.binary or file.change != "modified":
            return False
        try:
            found = self._disk.find(file.path)
        except OSError:
            return False
        is_text = found.exists and not (found.is_link or found.is_other)
        in_place = change.old.mode == change.new.mode and not change.new.is_link
        return is_text and in_place and not (found.is_as(change.old) or found.is_as(change.new))

    def _is_there(self, text: TextStep) -> bool:
        with contextlib.suppress(OSError):
            return not text.why_not and self._disk.find(text.path).blob == blob_name(text.wanted)
        return False

    def _whole(
        self, changes: Sequence[TreeChange], whole: tuple[ChangedFile, ...], *, some_left: bool
    ) -> RevertPlan:
        command, turn = self._command, self._turn
        # A turn may have changed more files than its note lists.
        more = {"agent": turn.changes.left_out, "unknown": turn.changes.unknown_left_out}
        everything = (
            command.paths is None
            and not some_left
            and any(more[author] for author in command.authors)
        )
        chosen = self._of_authors() if everything else frozenset(paths_of(whole))
        omitted = {file.path for file in turn.changes.files} - {file.path for file in whole}
        omitted |= turn.own_notebooks
        wanted = [
            change for change in changes if change.path in chosen and change.path not in omitted
        ]
        if command.undo:
            modes = turn.new_modes(whole)
            reverting = Revert(self._disk, self._objects, modes, self._emptied, undo=True)
        else:
            came_from = {file.path: file.came_from for file in whole if file.came_from}
            modes = turn.modes(whole)
            reverting = Revert(self._disk, self._objects, modes, self._emptied, came_from)
        return reverting.plan(
            wanted,
            partial=command.partial,
            from_elsewhere=turn.turn.to_be_kept and command.undo,
            left=self._left,
        )

    @property
    def _emptied(self) -> tuple[str, ...]:
        """Folders to remove when empty: those that the turn, or the undone revert, created."""
        if not self._is_forward:
            return self._turn.changes.put_folders
        return () if self._turn.turn.to_be_kept else self._turn.new_folders

    def _of_authors(self) -> frozenset[str]:
        """Return the paths of all changes by the command's authors, listed or not."""
        base, apart = self._turn.trees[0], self._turn.apart
        changes = (self._objects.changes(base, apart[each]) for each in self._command.authors)
        return frozenset(change.path for each in changes for change in each)

    def _chosen(self) -> tuple[ChangedFile, ...]:
        command, changes = self._command, self._turn.changes
        asked: tuple[str, ...] = command.authors
        if command.hunks:
            named = named_files(changes, tuple(each.path for each in command.hunks))
            if len(named) < len(command.hunks):
                raise BadRequest("Name each file once.")
        elif command.paths is None:
            restorable = (f for f in changes.files if f.kept and (f.author or "agent") in asked)
            # Skip files that were reverted before, as the user may have edited them since.
            if self._in_copy:
                meant = tuple(
                    file
                    for file in restorable
                    if not (file.is_all_kept if command.undo else file.is_not_kept)
                )
            else:
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
            is_back = file.is_all_kept if self._in_copy else not file.reverted
            if is_back and command.undo and not command.hunks:
                raise ChangesRefused(f"{file.path} was not reverted.")
        return named

    def _part(self, file: ChangedFile) -> PartOfFile:
        """Return the hunks of a file to revert or to restore."""
        have, undo = file.reverted_hunks, self._command.undo
        asked = [each for each in self._command.hunks if each.path == file.path]
        if self._in_copy:
            wanted: Selection = () if undo else None
            if asked:
                if not self._command.in_document:
                    _require_other_state(file, asked[0], keeps=undo)
                wanted = _wanted_in_folder(file, asked[0], keeps=undo)
            earlier, later = (each.get(file.path, ()) for each in (self._earlier, self._later))
            return PartOfFile(file.path, selection_of(file), wanted, earlier, later)
        if not asked:
            # Hunks that were reverted before stay reverted.
            return PartOfFile(file.path, None, have) if undo else PartOfFile(file.path, have, None)
        return _part_of_hunks(file, asked[0], undo=undo)


def _require_other_state(file: ChangedFile, hunks: FileHunks, *, keeps: bool) -> None:
    """Check that none of some hunks is already as a command wants it."""
    known = file.kept_hunks if file.reverted else file.reverted_hunks
    if any((hunk in known) is (file.reverted is keeps) for hunk in hunks.hunks):
        state = "kept already" if keeps else "not kept"
        raise ChangesRefused(f"This change to {file.path} is {state}.")


def _wanted_in_folder(file: ChangedFile, hunks: FileHunks, *, keeps: bool) -> Selection:
    """Return what of a file in a copy is in the folder after a command for single hunks."""
    known = file.kept_hunks if file.reverted else file.reverted_hunks
    adds = file.reverted is keeps
    others = tuple(hunk for hunk in known if hunk not in hunks.hunks)
    wanted = (*others, *dict.fromkeys(hunks.hunks)) if adds else others
    return KeptHunks(wanted) if file.reverted else wanted


def _part_of_hunks(file: ChangedFile, hunks: FileHunks, *, undo: bool) -> PartOfFile:
    """Return the hunks of a file that are reverted after a command for single hunks."""
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
    """Check that earlier reverted hunks have the same line numbers as those of the command."""
    if file.reverted_hunks and file.together != tuple(earlier):
        raise ChangesRefused(
            f"Parts of {file.path} were reverted in a review of other turns. Undo them there."
        )


def require_unbroken_chain(turns: Sequence[TurnState], paths: Sequence[str]) -> None:
    """Check that each turn began with the files as the turn before it left them."""
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
