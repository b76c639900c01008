"""Words that Tab offers and only the host knows."""

from __future__ import annotations

from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.connection import host_client
from acp_jupyter.kernel.session_choice import by_time, choose_session, short
from acp_jupyter.kernel.settings import values_of
from acp_jupyter.transcript.session_state import SessionState

__all__ = ["session_ids", "setting_words"]

_MOST = 50


def session_ids() -> list[str]:
    """Return the sessions by their short ids, what changed last first."""
    try:
        sessions = by_time(host_client().sessions())
    except AcpError:
        return []
    return [short(state.session_id) for state in sessions[:_MOST]]


def setting_words(what: str) -> list[str]:
    """Return modes, models, or options with their values, as far as they are known."""
    try:
        state = choose_session(host_client())
    except AcpError:
        return []
    if what == "config":
        return [
            f"{option.id}={value}" for option in state.config_options for value in values_of(option)
        ]
    if what == "mode" and state.modes:
        return [mode.id for mode in state.modes]
    return _choices(state, what)


def _choices(state: SessionState, category: str) -> list[str]:
    options = (option for option in state.config_options if option.category == category)
    return [value for option in options for value in values_of(option)]
