"""The option ``--rewind`` in the first line of a cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from acp_jupyter.features.history.commands import RewindSession
    from acp_jupyter.kernel.execution_context import ExecutionContext
    from acp_jupyter.kernel.session import Session
    from acp_jupyter.transcript.model.session_state import TurnState


class _Rewind:
    """A `CellFeature`, and what it does: a `Preparation`."""

    after = "--new"
    options = ("--rewind",)
    flags = ("--rewind",)
    choices: Mapping[str, tuple[str, ...]] = {}

    def add_arguments(self, group: argparse._ArgumentGroup) -> None:
        """Add the option to the parser."""
        group.add_argument(
            "--rewind",
            action="store_true",
            help="if this cell has run before, go back to before that first, with the files and "
            "what the agent remembers",
        )

    def read(self, given: argparse.Namespace, rest: list[str]) -> None:
        """It runs no cell."""

    def prepare(self, given: argparse.Namespace) -> _Rewind | None:
        """Go back first, if that was asked for."""
        return self if given.rewind else None

    def in_kernel(self, session: Session, cell: ExecutionContext) -> Session:
        """Return a session that continues from before the cell's earlier run; else the same one."""
        from acp_jupyter.features.history.kernel import gone_back

        turns = session._client.turns(session.id)
        back = self.command(session.id, turns, cell.cell_id)
        return session if back is None else gone_back(session, back.turn_id)

    def command(
        self, session_id: str, turns: Iterable[TurnState], cell_id: str
    ) -> RewindSession | None:
        """Return the command that goes back to before the cell's earlier run."""
        from acp_jupyter.features.history.commands import RewindSession

        sent = [turn for turn in turns if turn.started_at is not None and _is_of(turn, cell_id)]
        if not sent:
            return None
        newest = max(sent, key=lambda turn: turn.started_at or 0.0)
        return RewindSession(session_id=session_id, turn_id=newest.turn_id)


REWIND = _Rewind()


def _is_of(turn: TurnState, cell_id: str) -> bool:
    ids = {each.cell_id for each in (turn.origin, turn.copy_of) if each is not None}
    return bool(cell_id) and cell_id in ids
