"""Keeps an agent in a mode that the administrator allows, and in which it asks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Literal

from acp_jupyter.errors import AgentRequestError
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.sessions.opening import SessionConnection
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.host_events.notes import HostNotice
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.vocabulary import UNASKED_WORDS, Unasked, asking_mode
from acp_jupyter.transcript.model.session_state import ConfigOption, SessionState

_LEFT_TO_AGENTS: dict[Policy, tuple[Unasked, ...]] = {
    "accept-edits": ("", "edits"),
    "allow-all": ("", "edits", "judged", "all"),
}
"""What an agent may do without asking, by policy; nothing under other policies."""


class SessionModes:
    """Keeps the agent in a mode that the administrator allows, and in which it asks.

    An agent may open a session in a mode in which it asks less than the policy promises. Then its
    mode is changed once per opening: to the one that the user chose in this run of the server, else
    to one in which it asks. A mode that the agent changes to later is left alone.

    Parameters
    ----------
    played
        Whether a recording is played in place of the agent; it also sets the mode.
    """

    def __init__(self, journal: Journal, bounds: Bounds, *, played: bool = False) -> None:
        self._journal = journal
        self._bounds = bounds
        self._played = played
        self._chosen = ""
        """The id of the mode that the user chose last and that the agent accepted."""
        self._choosing = 0
        """How many callers are about to choose a mode."""
        self._connection: SessionConnection | None = None
        self._opened_in = ""
        self._noticed: set[str] = set()

    @contextlib.contextmanager
    def choosing(self, mode_id: str | None) -> Iterator[None]:
        """Let a user set a mode; remember it if the agent accepts it. None: not a mode."""
        if mode_id is not None:
            self._bounds.require_mode(mode_id, dict(self._modes).get(mode_id, ""))
        with self.expecting(mode_id):
            yield
        self._chosen = mode_id or self._chosen

    @contextlib.contextmanager
    def expecting(self, mode_id: str | None) -> Iterator[None]:
        """Leave the mode alone while a user is about to choose ``mode_id``. None: not a mode."""
        choosing = int(mode_id is not None)
        self._choosing += choosing
        try:
            yield
        finally:
            self._choosing -= choosing

    def mode_of(self, config_id: str, value: str | bool) -> str | None:
        """Return the mode that this value of a config option sets; None for other options."""
        option = _mode_option(self._state)
        return str(value) if option is not None and option.id == config_id else None

    async def apply(self, connection: SessionConnection, policy: Policy) -> None:
        """Change the agent's mode if it is not allowed, or asks less than the policy promises."""
        if self._played:
            return
        await self._leave_forbidden(connection)
        if connection is not self._connection:
            self._connection, self._opened_in = connection, self._current
            await self._choose_again(connection)
        if self._choosing or self._current == self._chosen or self._current != self._opened_in:
            return
        state = self._state
        if state.unasked in _LEFT_TO_AGENTS.get(policy, ("",)):
            return
        other = asking_mode(self._modes)
        if other is None:
            return  # the page says beside the policy that the agent asks less
        names = dict(self._modes)
        before, after = (names.get(mode) or mode for mode in (self._opened_in, other))
        words = UNASKED_WORDS[state.unasked]
        try:
            await self._set(connection, other)
        except AgentRequestError as error:
            self._notice(
                f"In the mode {before} the agent {words}. It did not change to {after}: "
                f"{error.message}",
                "warning",
            )
        else:
            self._notice(
                f"The agent started in the mode {before}, in which it {words}. The policy is "
                f"{policy}, so its mode was changed to {after}. You can choose another mode."
            )

    async def _choose_again(self, connection: SessionConnection) -> None:
        """Set the mode that the user chose before the session was opened again."""
        if self._chosen not in {"", self._current} and self._chosen in dict(self._modes):
            with contextlib.suppress(AgentRequestError):
                await self._set(connection, self._chosen)

    async def _leave_forbidden(self, connection: SessionConnection) -> None:
        if self._bounds.unasked_modes or not self._state.unasked:
            return
        allowed = [each for each in self._modes if not self._bounds.forbids_mode(*each)]
        other = asking_mode(allowed) or next((mode for mode, _ in allowed), None)
        if other is None:
            names = dict(self._modes)
            self._bounds.require_mode(self._current, names.get(self._current, ""))
        else:
            await self._set(connection, other)

    async def _set(self, connection: SessionConnection, mode_id: str) -> None:
        option = _mode_option(self._state)
        if option is None:
            await connection.set_mode(mode_id)
        else:
            await connection.set_config(option.id, mode_id)

    def _notice(self, words: str, severity: Literal["info", "warning"] = "info") -> None:
        if words not in self._noticed:
            self._noticed.add(words)
            self._journal.note(HostNotice(text=words, severity=severity))

    @property
    def _state(self) -> SessionState:
        return self._journal.transcript.session

    @property
    def _current(self) -> str:
        option = _mode_option(self._state)
        return self._state.current_mode_id if option is None else str(option.current_value)

    @property
    def _modes(self) -> list[tuple[str, str]]:
        """Ids and names of modes, from the config option or ACP's older ``modes``."""
        option = _mode_option(self._state)
        if option is not None:
            return [(choice.value, choice.name) for choice in option.choices]
        return [(mode.id, mode.name) for mode in self._state.modes]


def _mode_option(state: SessionState) -> ConfigOption | None:
    """Return the config option that sets the mode, if the agent has one."""
    return next((each for each in state.config_options if each.category == "mode"), None)
