"""The changes of turns: read from checkpoints, and reverted."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from acp_jupyter.api.access import Caller, KernelCaller, UserCaller, may_see
from acp_jupyter.api.commands.changes.revert import TurnRevert, require_unbroken_chain
from acp_jupyter.api.commands.changes.revert_documents import (
    CheckpointedTurn,
    named_files,
    paths_of,
)
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.turns import (
    ChangesReply,
    ChangingSessions,
    FileTexts,
    GetChanges,
    ListChangingSessions,
    RevertReply,
    RevertTurn,
)
from acp_jupyter.errors import BadRequest, ChangesGone, ChangesRefused, NotAllowed, UnknownTurn
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.workspace.checkpoints.diff import FileSides, read_changes, read_patch
from acp_jupyter.host.workspace.checkpoints.file_steps import FileNotWritten
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints
from acp_jupyter.host.workspace.checkpoints.git import GitError
from acp_jupyter.host.workspace.checkpoints.git_objects import GitObjects
from acp_jupyter.host.workspace.checkpoints.notebook_cells import edited_cells
from acp_jupyter.host.workspace.checkpoints.revert import CANT_KEEP, CANT_REVERT, text_for_copy
from acp_jupyter.host.workspace.operations.operation import FolderOperation
from acp_jupyter.protocol.host_events.session import ChangedFile, TurnChanges
from acp_jupyter.transcript.model.session_state import TurnState

_MAX_SESSIONS = 10
_NO_CHECKPOINT = "The changes of this turn are not stored."
_DISCARDED = (
    f"The changes of this variant {CANT_KEEP}: they were deleted to limit the size of the "
    "folder's checkpoints."
)
_MOVED = "the folder was moved, and a different one is in its place"


class ChangeCommands:
    """Reads and reverts changes. Lives on the host's loop; the work is done in threads."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    @handles(GetChanges)
    async def get(self, command: GetChanges, caller: Caller) -> ChangesReply:
        """Return what a turn changed."""
        session, turn = await self._settled(command.turn_id, caller)
        earlier = [await self._settled(each, caller) for each in command.earlier]
        why_not = ""
        try:
            checkpointed = await self._checkpointed(session, turn, earlier)
        except ChangesGone as error:
            checkpointed, why_not = None, error.message
        changes = turn.changes or TurnChanges()
        chosen = changes.files if command.path is None else named_files(changes, (command.path,))
        reply = ChangesReply(
            turn_id=turn.turn_id,
            known=checkpointed is not None,
            revertible=checkpointed is not None and changes.revertible,
            words=changes.words,
        )
        if checkpointed is None:
            words = why_not or self._why_gone(session, turn)
            files = tuple(FileTexts(**{**dict(file), "words": words}) for file in chosen)
            return reply.model_copy(update={"files": files, "words": words})
        if command.form == "patch":
            all_of_it = command.path is None and changes.left_out > 0
            own = (file for file in chosen if file.is_turns or command.path is not None)
            paths = () if all_of_it else paths_of(own)
            base, after = checkpointed.trees
            trees = (base, checkpointed.apart["agent"] if all_of_it else after)
            text = ""
            if paths or all_of_it:
                text = await asyncio.to_thread(read_patch, checkpointed.checkpoints, trees, paths)
            return reply.model_copy(update={"patch": text})
        paths = paths_of(chosen)
        sides = await asyncio.to_thread(
            read_changes,
            checkpointed.checkpoints,
            checkpointed.trees,
            paths,
            renames=checkpointed.renames,
        )
        files = await asyncio.to_thread(_with_all_texts, chosen, sides, turn.turn_id)
        return reply.model_copy(update={"files": files})

    @handles(ListChangingSessions)
    async def sessions(self, command: ListChangingSessions, caller: UserCaller) -> ChangingSessions:
        """Return the sessions that changed a file."""
        return ChangingSessions(session_ids=self._changed(command.path))

    def _changed(self, path: str) -> tuple[str, ...]:
        whole = os.path.normpath(self._host.config.root / path)
        last: dict[str, float] = {}
        for session in self._host.sessions.values():
            for turn_id in session.transcript.turn_order:
                turn = session.transcript.turns[turn_id]
                files = [f for f in (turn.changes or TurnChanges()).files if f.is_turns]
                if any(
                    os.path.normpath(f"{session.state.own_folder}/{f.path}") == whole for f in files
                ):
                    last[session.session_id] = turn.ended_at or 0
        return tuple(sorted(last, key=lambda each: last[each])[-_MAX_SESSIONS:])

    @handles(RevertTurn)
    async def revert(self, command: RevertTurn, caller: Caller) -> RevertReply:
        """Revert the changes of a turn, or undo that; completely, or not at all."""
        if command.in_document and isinstance(caller, KernelCaller):
            raise NotAllowed("Only the page of a document can report what was done in it.")
        named = (*command.earlier, command.turn_id)
        roots = [await self.root_of(each, caller) for each in named]
        before = self._kept_before(command, caller)
        for each in before:
            await self.root_of(each.turn_id, caller)

        kept_now: dict[tuple[str, str], ChangedFile] = {}

        async def revert(operation: FolderOperation) -> RevertReply:
            for each in before:
                await self.revert_in(operation, each, caller, kept_now)
            return await self.revert_in(operation, command, caller, kept_now)

        return await self._host.operations.run(roots, revert)

    def _kept_before(self, command: RevertTurn, caller: Caller) -> list[RevertTurn]:
        """Return earlier turns whose kept changes a turn's changes need, the oldest first.

        In a copy that lasts, a turn continues from what earlier turns left there: its version of a
        file fits the folder once their changes to the file are in it.
        A part of a file is kept alone.
        """
        session, turn = self._found(command.turn_id, caller)
        if not (turn.in_copy and command.undo) or command.earlier or turn.changes is None:
            return []
        if command.hunks:
            return []
        named = None if command.paths is None else set(command.paths)
        wanted = {
            path
            for file in turn.changes.files
            if (named is None or file.path in named) and not file.is_all_kept
            for path in (file.path, file.old_path)
        } - {""}
        order = list(session.transcript.turn_order)
        found: list[RevertTurn] = []
        for turn_id in reversed(order[: order.index(turn.turn_id)]):
            changes = session.transcript.turns[turn_id].changes or TurnChanges()
            files = [
                file
                for file in changes.files
                if file.kept and wanted.intersection({file.path, file.old_path})
            ]
            wanted.update(path for file in files for path in (file.path, file.old_path) if path)
            if paths := tuple(file.path for file in files if not file.is_all_kept):
                found.append(RevertTurn(turn_id=turn_id, paths=paths, undo=True))
        return found[::-1]

    async def root_of(self, turn_id: str, caller: Caller) -> Path:
        """Wait until a turn's changes are known; return the folder in which to revert them."""
        session, turn = await self._settled(turn_id, caller)
        _require_own_turn(turn, caller)
        if session.state.read_only:
            raise NotAllowed(f"{session.state.read_only} Its turns can't be reverted from here.")
        return self._checkpoints_of(session).root

    async def revert_in(
        self,
        operation: FolderOperation,
        command: RevertTurn,
        caller: Caller,
        kept_now: dict[tuple[str, str], ChangedFile] | None = None,
    ) -> RevertReply:
        """Revert as a part of an operation, which holds the locks of the folders."""
        found = [self._found(each, caller) for each in (*command.earlier, command.turn_id)]
        for session, turn in found:
            works = session.state.active_turn_id is not None and not command.in_document
            if turn.status != "done" or works:
                raise ChangesRefused(
                    "A turn is running in this session. Wait until it ends, or stop it."
                )
        *earlier, (session, turn) = found
        if earlier:
            paths = command.paths or tuple(each.path for each in command.hunks)
            require_unbroken_chain([each for _, each in found], paths)
        checkpoints = self._checkpoints_of(session)
        objects = operation.objects(checkpoints)
        checkpointed = await self._checkpointed(session, turn, earlier, objects)
        unknown = any(each.changes_unknown for _, each in found)
        if checkpointed is None or unknown or not checkpointed.changes.revertible:
            words = self._why_gone(session, turn)
            if CANT_REVERT not in words and CANT_KEEP not in words:
                words = f"{words} It {CANT_KEEP if turn.to_be_kept else CANT_REVERT}."
            raise ChangesGone(words)
        if command.hunks and command.earlier and turn.to_be_kept:
            raise BadRequest("What was changed in a copy is kept turn by turn.")
        documents = self._host.config.documents
        kept = {} if kept_now is None else kept_now
        reverting = TurnRevert(checkpointed, command, documents, operation, kept)
        try:
            return await reverting.run()
        except FileNotWritten as error:
            error.done = "kept" if turn.to_be_kept and command.undo else "reverted"
            raise
        except ChangesRefused as error:
            if turn.to_be_kept:
                message = text_for_copy(error.message, "keep" if command.undo else "take out")
                error = ChangesRefused(message, error.detail)
            raise error from None

    def _why_gone(self, session: Session, turn: TurnState) -> str:
        changes = turn.changes or TurnChanges()
        if turn.status == "done" and changes.revertible:
            # The repository is named after the folder's real path.
            repository = self._checkpoints_of(session).git.folder.name
            if changes.checkpoint not in {"", repository}:
                what = f"The changes of this variant {CANT_KEEP}"
                if not turn.to_be_kept:
                    what = f"The changes of this turn {CANT_REVERT}"
                return f"{what}: {_MOVED}."
            if turn.to_be_kept:
                return _DISCARDED
        return changes.words or turn.changes_unknown or _NO_CHECKPOINT

    def _found(self, turn_id: str, caller: Caller) -> tuple[Session, TurnState]:
        session = self._host.sessions.of_turn(turn_id)
        if not may_see(session, caller):
            raise UnknownTurn("This turn does not belong to this notebook.")
        return session, session.transcript.turns[turn_id]

    async def _settled(self, turn_id: str, caller: Caller) -> tuple[Session, TurnState]:
        session, turn = self._found(turn_id, caller)
        if turn.status == "done":
            await session.turn_files.settled(turn_id)
        return session, session.transcript.turns[turn_id]

    def _checkpoints_of(self, session: Session) -> Checkpoints:
        if copied := session.state.copied:
            # Changes in a copy are applied to the folder that was copied, or removed from it.
            return self._host.checkpoints.of(Path(copied))
        return session.turn_files.checkpoints.checkpoints

    async def _checkpointed(
        self,
        session: Session,
        turn: TurnState,
        earlier: Sequence[tuple[Session, TurnState]] = (),
        objects: GitObjects | None = None,
    ) -> CheckpointedTurn | None:
        if turn.status != "done":
            return None
        checkpoints = self._checkpoints_of(session)
        try:
            trees = await asyncio.to_thread(checkpoints.trees, turn.turn_id, objects)
            apart: dict[str, str] = {}
            changes = turn.changes or TurnChanges()
            if trees is not None and (changes.left_out or changes.unknown_left_out):
                found = await asyncio.to_thread(checkpoints.moments, turn.turn_id, objects)
                apart = {"agent": found["own"], "unknown": found["unknown"]}
            if trees is not None and earlier:
                first_id = earlier[0][1].turn_id
                first = await asyncio.to_thread(checkpoints.trees, first_id, objects)
                trees = None if first is None else (first[0], trees[1])
        except GitError as error:
            words = f"What this turn changed can't be read: {error}."
            if turn.to_be_kept and not checkpoints.root.is_dir():
                words += " Nothing is lost: put the folder back, then keep it."
            raise ChangesGone(words) from None
        return (
            None
            if trees is None
            else CheckpointedTurn(session, turn, checkpoints, trees, tuple(earlier), apart)
        )


def _require_own_turn(turn: TurnState, caller: Caller) -> None:
    """Check that a kernel reverts only turns that cells of its notebook sent."""
    if not isinstance(caller, KernelCaller):
        return
    origin = turn.origin
    same_kernel = origin is not None and origin.kernel_id == caller.kernel_id
    same_notebook = origin is not None and origin.notebook_path == caller.notebook_path != ""
    if not (same_kernel or same_notebook):
        raise NotAllowed("This turn was not sent from this notebook: revert it in the page.")


def _with_all_texts(
    chosen: Sequence[ChangedFile], sides: Mapping[str, FileSides], turn_id: str
) -> tuple[FileTexts, ...]:
    return tuple(_with_texts(file, sides.get(file.path), turn_id) for file in chosen)


def _with_texts(file: ChangedFile, sides: FileSides | None, turn_id: str) -> FileTexts:
    if sides is None:
        return FileTexts(**dict(file))
    notebook = sides.new_text if file.path.endswith(".ipynb") else None
    return FileTexts(
        **{**dict(file), "binary": sides.binary},
        old_text=sides.old_text,
        new_text=sides.new_text,
        too_large=sides.too_large,
        edited_cells=edited_cells(notebook or "", turn_id),
    )
