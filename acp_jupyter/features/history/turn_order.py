"""The order in which turns began: that of their session, even if the clock was set back."""

from __future__ import annotations

from collections.abc import Iterable

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.session_state import TurnState


def began_at(session: Session) -> dict[str, float]:
    """Return when each turn of a session began, in order, in seconds since the epoch.

    Times never decrease from one turn to the next.
    """
    newest = 0.0
    found: dict[str, float] = {}
    for turn_id in session.transcript.turn_order:
        newest = max(newest, session.transcript.turns[turn_id].started_at or 0.0)
        found[turn_id] = newest
    return found


def in_order(turns: Iterable[tuple[Session, TurnState]]) -> list[TurnState]:
    """Return turns in the order in which they began."""
    wanted: dict[str, tuple[Session, dict[str, TurnState]]] = {}
    for session, turn in turns:
        wanted.setdefault(session.session_id, (session, {}))[1][turn.turn_id] = turn
    found = [
        (at, of_session[turn_id])
        for session, of_session in wanted.values()
        for turn_id, at in began_at(session).items()
        if turn_id in of_session
    ]
    return [turn for _, turn in sorted(found, key=lambda each: each[0])]
