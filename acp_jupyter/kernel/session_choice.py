"""Which session a line magic means."""

from __future__ import annotations

from collections.abc import Sequence

from acp_jupyter.errors import BadRequest, UnknownSession
from acp_jupyter.kernel.client import HostClient
from acp_jupyter.kernel.defaults import defaults
from acp_jupyter.transcript.model.session_state import SessionState

__all__ = ["by_time", "choose_session", "find_session", "short"]

_SHORT = 8


def short(session_id: str) -> str:
    """Return an id as it is shown."""
    return session_id[:_SHORT]


def by_time(sessions: Sequence[SessionState]) -> list[SessionState]:
    """Return sessions, what changed last first."""
    return sorted(sessions, key=lambda state: state.updated_at or 0, reverse=True)


def choose_session(client: HostClient, named: str = "") -> SessionState:
    """Return the session of that name, else the one used last here, else the newest.

    Raises
    ------
    UnknownSession
        There is none.
    """
    sessions = by_time(client.sessions())
    if named:
        return find_session(sessions, named)
    if not sessions:
        raise UnknownSession("There is no session yet. A cell that begins with %%acp starts one.")
    used = (state for state in sessions if state.session_id == defaults.session_id)
    return next(used, sessions[0])


def find_session(sessions: Sequence[SessionState], named: str) -> SessionState:
    """Return the session whose id begins so, or that has this title.

    Raises
    ------
    UnknownSession
        There is none.
    BadRequest
        There are several.
    """
    exact = [state for state in sessions if named in {state.session_id, state.title}]
    found = exact or [state for state in sessions if state.session_id.startswith(named)]
    if not found:
        raise UnknownSession(f"There is no session {named!r}. %acp sessions lists them.")
    if len(found) > 1:
        ids = ", ".join(_distinct(found))
        raise BadRequest(f"{len(found)} sessions are meant by {named!r}: {ids}. Type one of them.")
    return found[0]


def _distinct(states: Sequence[SessionState]) -> list[str]:
    """Return their ids, as short as tells them apart."""
    ids = [state.session_id for state in states]
    length = _SHORT
    while len({each[:length] for each in ids}) < len(ids) and length < max(map(len, ids)):
        length += 1
    return [each[:length] for each in ids]
