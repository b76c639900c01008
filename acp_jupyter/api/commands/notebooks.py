"""Turns as the outputs of notebook cells: whose they are, and what is saved of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from acp_jupyter.api.access import NotebookLookup
from acp_jupyter.api.models.turns import AttachedTurn, AttachTurn, NotebookRecord
from acp_jupyter.errors import UnknownTurn
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.session.session import Session
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

    def attach(self, command: AttachTurn) -> AttachedTurn:
        """Authority comes from the server's record of the turn, never from the output."""
        session = self._host.session_of_turn(command.turn_id)
        turn = session.transcript.turns[command.turn_id]
        origin = turn.origin
        same_cell = (
            origin is not None
            and bool(origin.cell_id)
            and origin.cell_id == command.cell_id
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

    async def saved_outputs(self, notebook_path: str) -> list[NotebookRecord]:
        """Return the turns of a notebook, oldest first within each session."""
        records: list[NotebookRecord] = []
        for session in tuple(self._host.sessions.values()):
            for turn_id in session.transcript.turn_order:
                turn = session.transcript.turns[turn_id]
                origin = turn.origin
                if origin is None or not origin.cell_id:
                    continue
                if self._same_notebook(origin.notebook_path, origin.kernel_id, notebook_path):
                    records.append(
                        NotebookRecord(
                            turn_id=turn_id,
                            session_id=session.session_id,
                            cell_id=origin.cell_id,
                            source=origin.source,
                            done=turn.status == "done",
                            bundle=await self.bundle(session, turn),
                        )
                    )
        return records

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
