"""`Session`: one conversation with an agent, as Python sees it."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import JsonValue

from acp_jupyter.api.models.sessions import SetConfig
from acp_jupyter.errors import EmptyPrompt
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.execution_context import execution_context
from acp_jupyter.kernel.session.settings import Settings, defaults
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.json import clean_json
from acp_jupyter.transcript.model.session_state import SessionState

if TYPE_CHECKING:
    from acp_jupyter.kernel.execution.variables import Described
    from acp_jupyter.kernel.turn.widgets import SessionWidget


_MOST_TURNS = 50
_TURNS: dict[str, deque[Turn]] = {}
"""Of each session that was used here: a cell and a program may hold two objects of one."""


class Session:
    """A conversation with an agent. Made by `connect`.

    As a context manager it is closed at the end; what was said is kept.

    Attributes
    ----------
    id
        The session's id.
    agent
        The agent's id.
    cwd
        The folder that the agent works in.
    """

    def __init__(
        self, client: HostClient, state: SessionState, policy: Policy | None = None
    ) -> None:
        self._client = client
        self._policy: Policy | None = policy
        self._turns = _TURNS.setdefault(state.session_id, deque(maxlen=_MOST_TURNS))
        self._widget: SessionWidget | None = None
        defaults.session_id = state.session_id
        self.id = state.session_id
        self.agent = state.agent
        self.cwd = Path(state.cwd)

    def prompt(
        self,
        prompt: str | Sequence[dict[str, JsonValue]],
        *,
        policy: Policy | None = None,
        allow: Sequence[str] = (),
        deny: Sequence[str] = (),
        timeout: float | None = None,
    ) -> Turn:
        """Send a prompt and return its turn without waiting. ACP: session/prompt.

        Parameters
        ----------
        prompt
            Text, or ACP content blocks.
        policy
            How permission requests of this turn are answered; default: as
            `connect` was told, else the session's policy.
        allow, deny
            Rules for this turn, e.g. ``execute:git status *``, ``edit:src/**``, ``read`` or
            ``fetch:https://docs.python.org/*``. What is denied is rejected, whatever allows it.
        timeout
            Seconds after which the turn is stopped.

        Raises
        ------
        EmptyPrompt
            There is nothing to send.
        """
        if isinstance(prompt, str) and not prompt.strip():
            raise EmptyPrompt("The prompt is empty. Write what the agent should do.")
        cell = execution_context()
        origin = Origin(
            notebook_path=self._client.notebook_path,
            # Some frontends name no cells; a turn's own view is known by its id all the same.
            cell_id=cell.cell_id or uuid.uuid4().hex,
            source=clean_json(cell.source),
        )
        turn_id = self._client.prompt(
            self.id,
            clean_json(prompt) if isinstance(prompt, str) else tuple(map(clean_json, prompt)),
            policy=policy or self._policy,
            allow=tuple(allow),
            deny=tuple(deny),
            origin=origin,
            can_ask=cell.can_ask,
        )
        try:
            detail = self._client.turn(turn_id)
        except KeyboardInterrupt:
            self._client.cancel(self.id, turn_id)
            raise
        turn = Turn(self._client, detail, can_ask=cell.can_ask, timeout=timeout)
        self._turns.append(turn)
        if self._widget is not None:
            self._widget.add(turn)
        return turn

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The last turns that were sent from this program, oldest first; 50 at most."""
        return tuple(self._turns)

    def with_context(
        self, prompt: str, paths: Sequence[str], variables: Sequence[Described] = ()
    ) -> tuple[dict[str, JsonValue], ...]:
        """Return a prompt with files from the session's folder and with described variables.

        Each as the agent can take it.

        Raises
        ------
        UsageError
            A file is not there, lies outside the folder, or is too large.
        """
        from acp_jupyter.kernel.execution.variables import variable_blocks
        from acp_jupyter.kernel.session.attachments import with_attachments

        # What it takes is known once it runs.
        state = self._client.resume(self.id)
        takes = state.prompt_capabilities
        return (
            *with_attachments(prompt, paths, Path(state.cwd), takes),
            *variable_blocks(variables, takes),
        )

    @property
    def state(self) -> SessionState:
        """What is true of the session now: title, status, mode, options, what waits."""
        return self._client.session(self.id)

    def configure(
        self,
        *,
        mode: str | None = None,
        model: str | None = None,
        title: str | None = None,
        **config: str | bool,
    ) -> SessionState:
        """Change mode, model or other options, by their ids or names; return the state.

        The agent is started for it.

        Raises
        ------
        BadRequest
            The agent does not offer it; the message says what it offers.
        """
        given = tuple((name, str(value)) for name, value in config.items())
        self.apply(Settings(mode, model, given))
        if title is not None:
            self._client.set_config(SetConfig(session_id=self.id, title=title))
        return self.state

    def apply(self, settings: Settings) -> None:
        """Change what differs from some settings."""
        if settings.is_empty:
            return
        state = self._client.resume(self.id)
        if changes := settings.changes(state):
            self._client.set_config(
                SetConfig(session_id=self.id, mode=changes.mode, config=changes.config)
            )

    def cancel(self) -> None:
        """Stop what runs and what waits. ACP: session/cancel."""
        state = self.state
        for queued in reversed(state.queue):
            self._client.cancel(self.id, queued.turn_id)
        if state.active_turn_id is not None:
            self._client.cancel(self.id, state.active_turn_id)

    def fork(self) -> Session:
        """Return a new session that goes on from where this one is. ACP: session/fork.

        Raises
        ------
        NotSupported
            The agent can't do that.
        """
        return Session(self._client, self._client.fork(self.id), self._policy)

    def close(self) -> None:
        """End the session and its agent; it is kept, and the next prompt takes it up again."""
        self._client.close_session(self.id)

    def delete(self) -> None:
        """End the session and remove what is kept of it."""
        self._client.delete_session(self.id)

    def to_markdown(self, *, thoughts: bool = False) -> str:
        """Return the whole session as Markdown."""
        return str(self._client.transcript(self.id, "markdown", thoughts=thoughts)["markdown"])

    def to_html(self, *, thoughts: bool = False) -> str:
        """Return the whole session as one HTML file, which needs nothing else."""
        return str(self._client.transcript(self.id, "html", thoughts=thoughts)["html"])

    @property
    def widget(self) -> SessionWidget:
        """The turns sent from here and a message box as an ipywidget, for any layout."""
        if self._widget is None:
            from acp_jupyter.kernel.turn.widgets import SessionWidget

            self._widget = SessionWidget(self)
        return self._widget

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Session {self.id[:8]} of {self.agent}>"
