"""The modes of a session, and which of them the administrator allows."""

from __future__ import annotations

from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.session.opening import SessionConnection
from acp_jupyter.transcript.model.session_state import ConfigOption, SessionState


def require_mode(bounds: Bounds, state: SessionState, mode_id: str) -> None:
    """Do nothing if a session may have a mode.

    Raises
    ------
    NotAllowed
        The administrator does not allow it.
    """
    bounds.require_mode(mode_id, dict(_modes(state)).get(mode_id, ""))


def require_config(bounds: Bounds, state: SessionState, config_id: str, value: str | bool) -> None:
    """Do the same for a config option, which may stand for the mode."""
    option = _mode_option(state)
    if option is not None and option.id == config_id:
        require_mode(bounds, state, str(value))


async def leave_forbidden_mode(
    connection: SessionConnection, state: SessionState, bounds: Bounds
) -> None:
    """Set another mode if the agent works in one that the administrator does not allow.

    Raises
    ------
    NotAllowed
        It has no other.
    """
    if bounds.unasked_modes or not state.unasked:
        return
    option = _mode_option(state)
    current = state.current_mode_id if option is None else str(option.current_value)
    modes = _modes(state)
    other = next((mode for mode, name in modes if not bounds.forbids_mode(mode, name)), None)
    if other is None:
        require_mode(bounds, state, current)
    elif option is None:
        await connection.set_mode(str(other))
    else:
        await connection.set_config(option.id, str(other))


def _mode_option(state: SessionState) -> ConfigOption | None:
    """Return the config option that stands for the mode, where the agent has one."""
    return next((each for each in state.config_options if each.category == "mode"), None)


def _modes(state: SessionState) -> list[tuple[str, str]]:
    """Return ids and names, from the config option or the older way."""
    option = _mode_option(state)
    if option is not None:
        return [(choice.value, choice.name) for choice in option.choices]
    return [(mode.id, mode.name) for mode in state.modes]
