"""The turns of a notebook: the cells that sent them, and their saved outputs."""

from __future__ import annotations

import asyncio
from pathlib import Path

from acp_jupyter.api.access import NotebookLookup, UserCaller
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.turns import (
    AttachedTurn,
    AttachTurn,
    GetSavedOutputs,
    SavedOutput,
    SavedOutputs,
)
from acp_jupyter.errors import UnknownTurn
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.journal import EPOCH
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.output.bundle import Bundle, build_bundle


class NotebookTurns:
    """Carries out commands about a notebook and its cells."""

    def __init__(self, host: AgentHost, pages_and_kernels: NotebookLookup) -> None:
        self._host = host
        self._pages_and_kernels = pages_and_kernels
        self._secrets_at: dict[str, float] = {}
        """When each session's redactor got its newest secret, as of the last answer."""

    @handles(AttachTurn)
    async def attach(self, command: AttachTurn, caller: UserCaller) -> AttachedTurn:
        """Check that a cell sent a turn: by the server's own records, never by the output."""
        session = self._host.sessions.of_turn(command.turn_id)
        turn = session.transcript.turns[command.turn_id]
        origin = turn.origin
        same_cell = (
            origin is not None
            and bool(command.cell_id)
            and command.cell_id in {origin.cell_id, origin.view_id}
            and self._same_notebook(_now(session, origin), origin.kernel_id, command.notebook_path)
        )
        if not same_cell:
            raise UnknownTurn("This output does not belong to this cell.")
        return AttachedTurn(
            session_id=session.session_id,
            turn=turn,
            first_index=session.transcript.turn_first.get(command.turn_id, 0),
        )

    def _same_notebook(self, path: str, kernel_id: str, notebook_path: str) -> bool:
        """Return whether it is the same notebook, by its path or, after a rename, its kernel."""
        if path == notebook_path:
            return True
        return bool(kernel_id) and self._pages_and_kernels.kernel_of(notebook_path) == kernel_id

    @handles(GetSavedOutputs)
    async def saved_outputs(self, command: GetSavedOutputs, caller: UserCaller) -> SavedOutputs:
        """Return the turns of a notebook that have changed, oldest first within each session."""
        self._find_secrets()
        number = self._host.sessions.changed_turns.number
        records = [
            SavedOutput(
                turn_id=turn.turn_id,
                session_id=session.session_id,
                cell_id=origin.cell_id,
                source=origin.source,
                done=turn.status == "done",
                queued_at=turn.queued_at,
                ended_at=turn.ended_at,
                bundle=await self.bundle(session, turn),
            )
            for session, turn in self._requested_turns(command)
            for origin in (turn.origin or Origin(),)
        ]
        return SavedOutputs(outputs=tuple(records), number=number, epoch=EPOCH)

    def _find_secrets(self) -> None:
        """Count turns as changed if their records may contain a secret that was learned later."""
        newest = {name: each.redactor.newest_at for name, each in self._host.sessions.items()}
        for session_id, at in newest.items():
            if at > self._secrets_at.get(session_id, 0.0):
                turns = self._host.sessions[session_id].transcript.turns.items()
                older = [name for name, turn in turns if turn.ended_at and turn.ended_at <= at]
                self._host.sessions.changed_turns.add_turns(session_id, older)
        self._secrets_at = newest

    def _requested_turns(self, command: GetSavedOutputs) -> list[tuple[Session, TurnState]]:
        """Return the turns for the answer, and the newest turns of their cells."""
        is_known = command.turn_ids is None and command.epoch == EPOCH
        changed = self._host.sessions.changed_turns.since(command.after if is_known else None)
        told: list[tuple[Session, TurnState]] = []
        every: list[tuple[Session, TurnState]] = []
        for session in tuple(self._host.sessions.values()):
            turns = session.transcript.turns
            turn_ids = None if changed is None else changed.get(session.session_id, set())
            if turn_ids is None or "" in turn_ids:
                of_session = [
                    (session, turn)
                    for turn in map(turns.__getitem__, session.transcript.turn_order)
                    if self._is_wanted(session, turn, command)
                ]
                every += of_session
                told += [each for each in of_session if self._is_news(*each, command)]
            else:
                found = [turns[turn_id] for turn_id in turn_ids if turn_id in turns]
                found.sort(key=lambda turn: turn.queued_at or 0.0)
                told += [(session, t) for t in found if self._is_wanted(session, t, command)]
        return told if command.turn_ids is not None else _with_newest(told, every)

    def _is_news(self, session: Session, turn: TurnState, command: GetSavedOutputs) -> bool:
        """Return whether the notebook may lack the turn's record, or have an older one."""
        ended, after = turn.ended_at, command.ended_after
        if command.turn_ids is not None or ended is None or after is None:
            return True
        changed = self._host.sessions.changed_turns.changed_at(session.session_id, turn.turn_id)
        return max(ended, changed) > after or turn.turn_id in command.unfinished

    def _is_wanted(self, session: Session, turn: TurnState, command: GetSavedOutputs) -> bool:
        """Return whether the command asks for a turn, and the turn is the notebook's.

        A prompt from the page has no origin; then the notebook is that of the session.
        """
        origin, path = turn.origin, command.notebook_path
        if command.turn_ids is None:
            if origin is None or not origin.cell_id:
                return False
        elif turn.turn_id not in command.turn_ids:
            return False
        elif origin is None:
            return self._same_notebook(session.state.notebook_path, session.kernel_id, path)
        return self._same_notebook(_now(session, origin), origin.kernel_id, path)

    async def bundle(self, session: Session, turn: TurnState) -> Bundle:
        """Return the saved output of a turn; made in a thread, as it may be long."""
        return await asyncio.to_thread(
            build_bundle,
            turn,
            session.transcript.each_of_turn(turn.turn_id),
            session.state,
            redactor=session.redactor,
            home=str(Path.home()),
        )


def _with_newest(
    told: list[tuple[Session, TurnState]], every: list[tuple[Session, TurnState]]
) -> list[tuple[Session, TurnState]]:
    """Add the newest turn of each cell, so that an older one doesn't replace it."""
    newest: dict[str, tuple[Session, TurnState]] = {}
    for each in every:
        cell_id = each[1].origin.cell_id if each[1].origin else ""
        former = newest.get(cell_id)
        if former is None or (each[1].queued_at or 0.0) >= (former[1].queued_at or 0.0):
            newest[cell_id] = each
    cells = {turn.origin.cell_id for _, turn in told if turn.origin}
    known = {turn.turn_id for _, turn in told}
    more = (each for cell_id, each in newest.items() if cell_id in cells)
    return [*told, *(each for each in more if each[1].turn_id not in known)]


def _now(session: Session, origin: Origin) -> str:
    """Return the present path of a turn's notebook, which may have been renamed since."""
    path, state = origin.notebook_path, session.state
    return state.notebook_path if path in state.former_paths else path
