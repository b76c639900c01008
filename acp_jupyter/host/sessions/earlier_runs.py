"""Finds the earlier run of a cell that is run again, which the agent still remembers."""

from __future__ import annotations

from dataclasses import dataclass

from acp_jupyter.protocol.host_events.notes import HostNotice
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.model.state import Transcript


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """The newest earlier turn of the same cell."""

    turn_id: str
    later: int
    """How many turns the agent has had since."""


def earlier_run(transcript: Transcript, turn_id: str) -> EarlierRun | None:
    """Return the newest earlier run of the cell that sent a turn; None if there is none."""
    turns = transcript.turns
    origin = turns[turn_id].origin
    if origin is None or not origin.cell_id:
        return None
    later = 0
    order = tuple(transcript.turn_order)
    for name in reversed(order[: order.index(turn_id)]):
        turn = turns[name]
        if not turn.was_sent:
            continue
        if origin.cell_id in _cells(turn):
            return EarlierRun(name, later)
        later += 1
    return None


def remembered_notice(transcript: Transcript, turn_id: str) -> HostNotice | None:
    """Return a notice if the agent remembers an earlier run of the cell and later turns."""
    found = earlier_run(transcript, turn_id)
    session = transcript.session
    if found is None or not found.later or session.history == "without":
        return None
    turns = "the turn" if found.later == 1 else f"the {found.later} turns"
    return HostNotice(
        text=(
            f"This cell has run before. {session.agent_info.name} remembers that run and {turns} "
            "after it. To go back to before it, start the cell with %%acp --rewind."
        ),
        offers="rewind",
        target=found.turn_id,
    )


def _cells(turn: TurnState) -> tuple[str, ...]:
    own = "" if turn.origin is None else turn.origin.cell_id
    return (own, "" if turn.copy_of is None else turn.copy_of.cell_id)
