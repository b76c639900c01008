"""What turns changed: read from checkpoints, and taken back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from acp_jupyter.delivery.access import may_see
from acp_jupyter.delivery.callers import Caller, KernelCaller
from acp_jupyter.delivery.change_commands import (
    ChangesReply,
    FileTexts,
    GetChanges,
    RevertReply,
    RevertTurn,
)
from acp_jupyter.errors import BadRequest, ChangesGone, ChangesRefused, NotAllowed, UnknownTurn
from acp_jupyter.host.checkpoints import Checkpoints
from acp_jupyter.host.checkpoints_read import FileSides, read_changes, read_patch
from acp_jupyter.host.checkpoints_revert import Revert
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.session import Session
from acp_jupyter.packets.change_notes import ChangedFile, TurnChanges, TurnReverted
from acp_jupyter.transcript.events import TurnState

__all__ = ["Changes"]

_NOT_KEPT = "What this turn changed is not kept."
_UNSAVED = "has changes in an editor that are not saved"


@dataclass(frozen=True, slots=True)
class _Kept:
    """A turn whose folder was kept."""

    session: Session
    turn: TurnState
    checkpoints: Checkpoints
    trees: tuple[str, str]

    @property
    def changes(self) -> TurnChanges:
        return self.turn.changes or TurnChanges()


class Changes:
    """Reads and takes back. Lives on the host's loop; the work is done in threads.

    Parameters
    ----------
    host
        Owner of the sessions.
    """

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    async def get(self, command: GetChanges, caller: Caller) -> ChangesReply:
        """Return what a turn changed.

        Raises
        ------
        UnknownTurn
            The caller does not see it.
        BadRequest
            It did not change that file.
        ChangesGone
            It can no longer be read.
        """
        session, turn = await self._settled(command.turn_id, caller)
        kept = await self._kept(session, turn)
        changes = turn.changes or TurnChanges()
        chosen = changes.files if command.path is None else _named(changes, (command.path,))
        reply = ChangesReply(
            turn_id=turn.turn_id,
            known=kept is not None,
            revertible=kept is not None and changes.revertible,
            words=changes.words,
        )
        if kept is None:
            files = tuple(FileTexts(**dict(file)) for file in chosen)
            words = changes.words or _NOT_KEPT
            return reply.model_copy(update={"files": files, "words": words})
        if command.form == "patch":
            all_of_it = command.path is None and changes.left_out > 0
            paths = () if all_of_it else _paths(chosen)
            text = ""
            if paths or all_of_it:
                text = await asyncio.to_thread(read_patch, kept.checkpoints, kept.trees, paths)
            return reply.model_copy(update={"patch": text})
        sides = await asyncio.to_thread(read_changes, kept.checkpoints, kept.trees, _paths(chosen))
        files = tuple(_with_texts(file, sides.get(file.path)) for file in chosen)
        return reply.model_copy(update={"files": files})

    async def revert(self, command: RevertTurn, caller: Caller) -> RevertReply:
        """Take back what a turn changed; all of it, or nothing.

        Raises
        ------
        UnknownTurn
            The caller does not see it.
        NotAllowed
            A kernel asked for what is not its own turn.
        ChangesRefused
            Files were changed since.
        ChangesGone
            What they were is not kept.
        """
        session, turn = await self._settled(command.turn_id, caller)
        _own_turn(turn, caller)
        if turn.status != "done" or session.state.active_turn_id is not None:
            raise ChangesRefused("A turn is running in this session. Wait for its end, or stop it.")
        kept = await self._kept(session, turn)
        if kept is None or not kept.changes.revertible:
            words = "" if turn.changes is None else turn.changes.words
            raise ChangesGone(f"{words or _NOT_KEPT} It can't be taken back.")
        files = self._chosen(kept.changes, command)
        unsaved = await self._unsaved(kept.checkpoints, files)
        if unsaved and not command.partial:
            path = next(iter(unsaved))
            raise ChangesRefused(f"Nothing was taken back: {path} {_UNSAVED}.")
        free = tuple(file for file in files if file.path not in unsaved)
        modes = {f.old_path or f.path: f.old_mode for f in free if f.old_mode is not None}
        reverting = Revert(kept.checkpoints, modes, kept.changes.made_folders)
        # A turn may have changed more files than it names.
        whole = command.paths is None and not unsaved and kept.changes.left_out > 0
        chosen = None if whole else _paths(free)
        omitted = {file.path for file in kept.changes.files if not file.kept}
        omitted.add(session.turn_files.own_notebook(turn.turn_id))
        done = await asyncio.to_thread(
            reverting.run_paths, kept.trees, chosen, omitted, partial=command.partial
        )
        paths = tuple(file.path for file in free if file.path not in done.refused)
        if paths:
            session.journal.note(TurnReverted(turn_id=turn.turn_id, paths=paths))
        refused = {**done.refused, **dict.fromkeys(unsaved, _UNSAVED)}
        return RevertReply(turn_id=turn.turn_id, paths=paths, refused=refused)

    async def _settled(self, turn_id: str, caller: Caller) -> tuple[Session, TurnState]:
        session = self._host.session_of_turn(turn_id)
        if not may_see(session, caller):
            raise UnknownTurn("This turn is not one of this notebook.")
        if session.transcript.turns[turn_id].status == "done":
            await session.turn_files.settled(turn_id)
        return session, session.transcript.turns[turn_id]

    async def _kept(self, session: Session, turn: TurnState) -> _Kept | None:
        keeper = session.turn_files.checkpoints
        if keeper is None or turn.status != "done":
            return None
        trees = await asyncio.to_thread(keeper.checkpoints.trees, turn.turn_id)
        return None if trees is None else _Kept(session, turn, keeper.checkpoints, trees)

    def _chosen(self, changes: TurnChanges, command: RevertTurn) -> tuple[ChangedFile, ...]:
        if command.paths is None:
            return tuple(file for file in changes.files if file.kept)
        files = _named(changes, command.paths)
        for file in files:
            if not file.kept:
                raise ChangesRefused(f"{file.path} is not taken back. {file.words}".strip())
        return files

    async def _unsaved(
        self, checkpoints: Checkpoints, files: tuple[ChangedFile, ...]
    ) -> dict[str, str]:
        documents = self._host.config.documents
        found: dict[str, str] = {}
        for file in files:
            if not file.binary and await documents.read(checkpoints.root / file.path) is not None:
                found[file.path] = _UNSAVED
        return found


def _own_turn(turn: TurnState, caller: Caller) -> None:
    """Let a kernel take back only what a cell of its notebook asked for."""
    if not isinstance(caller, KernelCaller):
        return
    origin = turn.origin
    same_kernel = origin is not None and origin.kernel_id == caller.kernel_id
    same_notebook = origin is not None and origin.notebook_path == caller.notebook_path != ""
    if not (same_kernel or same_notebook):
        raise NotAllowed("This turn was not sent from this notebook: take it back in the page.")


def _named(changes: TurnChanges, paths: tuple[str, ...]) -> tuple[ChangedFile, ...]:
    known = {file.path: file for file in changes.files}
    for path in paths:
        if path not in known:
            raise BadRequest(f"The turn did not change a file {path}.")
    return tuple(known[path] for path in dict.fromkeys(paths))


def _paths(files: tuple[ChangedFile, ...]) -> tuple[str, ...]:
    return tuple(path for file in files for path in (file.path, file.old_path) if path)


def _with_texts(file: ChangedFile, sides: FileSides | None) -> FileTexts:
    if sides is None:
        return FileTexts(**dict(file))
    return FileTexts(
        **{**dict(file), "binary": sides.binary},
        old_text=sides.old_text,
        new_text=sides.new_text,
        too_large=sides.too_large,
    )
