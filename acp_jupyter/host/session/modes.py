"""The mode of an agent: one that the administrator allows, and in which it asks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Literal

from acp_jupyter.errors import AgentRequestError
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.session.opening import SessionConnection
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.host_events.notes import HostNotice
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.vocabulary import UNASKED_WORDS, Unasked, asking_mode
from acp_jupyter.transcript.model.session_state import ConfigOption, SessionState

_LEFT_TO_AGENTS: dict[Policy, tuple[Unasked, ...]] = {
    "accept-edits": ("", "edits"),
    "allow-all": ("", "edits", "judged", "all"),
}
"""What an agent may do without asking, by policy; by the others nothing."""


class SessionModes:
    """Keeps the agent in a mode that the administrator allows, and in which it asks.

    An agent may open in a mode in which it asks less than the policy promises. It is then set to
    the one in which it asks, once each time that it opens; or to the one that its user chose, in
    this run of the server. A mode that it has changed to since is left as it is.

    Parameters
    ----------
    journal
        Of the session.
    bounds
        What the administrator allows.
    played
        Whether a recording is played in the agent's place: its mode is that of the recording.
    """

    def __init__(self, journal: Journal, bounds: Bounds, *, played: bool = False) -> None:
        self._journal = journal
        self._bounds = bounds
        self._played = played
        self._chosen = ""
        """The id of the mode that the user chose last, and the agent took."""
        self._choosing = 0
        """How many are about to choose one."""
        self._connection: SessionConnection | None = None
        self._opened_in = ""
        self._told: set[str] = set()

    @contextlib.contextmanager
    def choosing(self, mode_id: str | None) -> Iterator[None]:
        """Note that a user sets a mode; remember it once the agent has taken it. None is no mode.

        Raises
        ------
        NotAllowed
            The administrator does not allow it.
        """
        if mode_id is not None:
            self._bounds.require_mode(mode_id, dict(self._modes).get(mode_id, ""))
        with self.expecting(mode_id):
            yield
        self._chosen = mode_id or self._chosen

    @contextlib.contextmanager
    def expecting(self, mode_id: str | None) -> Iterator[None]:
        """Leave the mode alone: a user is about to choose ``mode_id``. None is no mode."""
        choosing = int(mode_id is not None)
        self._choosing += choosing
        try:
            yield
        finally:
            self._choosing -= choosing

    def mode_of(self, config_id: str, value: str | bool) -> str | None:
        """Return the mode that a value of a config option stands for."""
        option = _mode_option(self._state)
        return str(value) if option is not None and option.id == config_id else None

    async def settle(self, connection: SessionConnection, policy: Policy) -> None:
        """Set another mode where the agent's is not allowed, or asks less than the policy says.

        Raises
        ------
        NotAllowed
            The administrator does not allow the mode, and there is no other.
        """
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
            return  # it stands beside the policy that it asks less
        names = dict(self._modes)
        before, after = (names.get(mode) or mode for mode in (self._opened_in, other))
        words = UNASKED_WORDS[state.unasked]
        try:
            await self._set(connection, other)
        except AgentRequestError as error:
            self._tell(
                f"In the mode {before} the agent {words}. It did not change to {after}: "
                f"{error.message}",
                "warning",
            )
        else:
            self._tell(
                f"The agent started in the mode {before}, in which it {words}. The policy is "
                f"{policy}, so its mode was changed to {after}. You can choose another mode."
            )

    async def _choose_again(self, connection: SessionConnection) -> None:
        """Set the mode that the user chose before the agent was opened anew."""
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

    def _tell(self, words: str, severity: Literal["info", "warning"] = "info") -> None:
        if words not in self._told:
            self._told.add(words)
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
        """Ids and names, from the config option or the older way."""
        option = _mode_option(self._state)
        if option is not None:
            return [(choice.value, choice.name) for choice in option.choices]
        return [(mode.id, mode.name) for mode in self._state.modes]


def _mode_option(state: SessionState) -> ConfigOption | None:
    """Return the config option that stands for the mode, where the agent has one."""
    return next((each for each in state.config_options if each.category == "mode"), None)
