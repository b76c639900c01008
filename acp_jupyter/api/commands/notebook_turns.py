"""The turns of a notebook: which cell each belongs to, and the outputs that are saved of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
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
from acp_jupyter.host.session.session import Session
from acp_jupyter.host.store.journal import EPOCH
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.output.bundle import Bundle, build_bundle


class NotebookTurns:
    """Answers what concerns a notebook and its cells.

    Parameters
    ----------
    host
        Owner of the sessions.
    pages_and_kernels
        Pages and kernels.
    """

    def __init__(self, host: AgentHost, pages_and_kernels: NotebookLookup) -> None:
        self._host = host
        self._pages_and_kernels = pages_and_kernels
        self._secrets = host.secrets.values

    @handles(AttachTurn)
    async def attach(self, command: AttachTurn, caller: UserCaller) -> AttachedTurn:
        """Authority comes from what the server knows of the turn, never from the output."""
        session = self._host.session_of_turn(command.turn_id)
        turn = session.transcript.turns[command.turn_id]
        origin = turn.origin
        same_cell = (
            origin is not None
            and bool(command.cell_id)
            and command.cell_id in {origin.cell_id, origin.view_id}
            and self._same_notebook(origin.notebook_path, origin.kernel_id, command.notebook_path)
        )
        if not same_cell:
            raise UnknownTurn("This output does not belong to this cell.")
        return AttachedTurn(
            session_id=session.session_id,
            turn=turn,
            first_index=session.transcript.turn_first.get(command.turn_id, 0),
        )

    def _same_notebook(self, path: str, kernel_id: str, notebook_path: str) -> bool:
        """The notebook's path, or after a renaming the kernel that runs for it."""
        if path == notebook_path:
            return True
        return bool(kernel_id) and self._pages_and_kernels.kernel_of(notebook_path) == kernel_id

    @handles(GetSavedOutputs)
    async def saved_outputs(self, command: GetSavedOutputs, caller: UserCaller) -> SavedOutputs:
        """Return the turns of a notebook that have changed, oldest first within each session."""
        changed_turns = self._host.open_sessions.changed_turns
        if self._host.secrets.values is not self._secrets:
            self._secrets = self._host.secrets.values
            changed_turns.change_all()  # what was saved may hold one
        number = changed_turns.number
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
            for session, turn in tuple(self._changed(command))
            for origin in (turn.origin or Origin(),)
        ]
        return SavedOutputs(outputs=tuple(records), number=number, epoch=EPOCH)

    def _changed(self, command: GetSavedOutputs) -> Iterator[tuple[Session, TurnState]]:
        """Yield the turns that are to be told."""
        is_known = command.turn_ids is None and command.epoch == EPOCH
        changed = self._host.open_sessions.changed_turns.since(command.after if is_known else None)
        for session in tuple(self._host.sessions.values()):
            turns = session.transcript.turns
            turn_ids = None if changed is None else changed.get(session.session_id, ())
            if turn_ids is None or "" in turn_ids:
                every = map(turns.__getitem__, session.transcript.turn_order)
                found = [turn for turn in every if _is_news(turn, command)]
            else:
                found = [turns[turn_id] for turn_id in turn_ids if turn_id in turns]
                found.sort(key=lambda turn: turn.queued_at or 0.0)
            for turn in found:
                if self._is_wanted(session, turn, command):
                    yield session, turn

    def _is_wanted(self, session: Session, turn: TurnState, command: GetSavedOutputs) -> bool:
        """Return whether a turn is the notebook's, and asked for.

        What was sent in the page has no origin; then the session says whose it is.
        """
        origin, path = turn.origin, command.notebook_path
        if command.turn_ids is None:
            if origin is None or not origin.cell_id:
                return False
        elif turn.turn_id not in command.turn_ids:
            return False
        elif origin is None:
            return self._same_notebook(session.state.notebook_path, session.kernel_id, path)
        return self._same_notebook(origin.notebook_path, origin.kernel_id, path)

    async def bundle(self, session: Session, turn: TurnState) -> Bundle:
        """Return the output of a turn as it is saved; made in a thread, for it may be long."""
        return await asyncio.to_thread(
            build_bundle,
            turn,
            session.transcript.each_of_turn(turn.turn_id),
            session.state,
            redactor=session.redactor,
            home=str(Path.home()),
        )


def _is_news(turn: TurnState, command: GetSavedOutputs) -> bool:
    """Tell whether a notebook may lack the record of a turn."""
    ended, after = turn.ended_at, command.ended_after
    if command.turn_ids is not None or ended is None or after is None:
        return True
    return ended > after or turn.turn_id in command.unfinished
