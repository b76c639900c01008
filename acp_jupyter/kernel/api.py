"""Sessions from Python: notebooks, scripts and other libraries."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from acp_jupyter.delivery.commands import CreateSession
from acp_jupyter.errors import EmptyPrompt
from acp_jupyter.kernel.client import HostClient
from acp_jupyter.kernel.connection import host_client
from acp_jupyter.kernel.defaults import defaults
from acp_jupyter.kernel.recording import record_wish
from acp_jupyter.kernel.surroundings import current_cell
from acp_jupyter.kernel.turn import Turn
from acp_jupyter.transcript.events import Origin, Policy, SessionState

__all__ = ["Session", "connect"]


class Session:
    """A conversation with an agent. Made by `connect`.

    Attributes
    ----------
    id
        The session's id.
    agent
        The agent's id.
    cwd
        The folder that the agent works in.
    """

    def __init__(self, client: HostClient, state: SessionState) -> None:
        self._client = client
        self.id = state.session_id
        self.agent = state.agent
        self.cwd = Path(state.cwd)

    def prompt(
        self,
        prompt: str | Sequence[dict[str, JsonValue]],
        *,
        policy: Policy | None = None,
        timeout: float | None = None,
    ) -> Turn:
        """Send a prompt and return its turn without waiting. ACP: session/prompt.

        Parameters
        ----------
        prompt
            Text, or ACP content blocks.
        policy
            How permission requests of this turn are answered; default: the session's policy.
        timeout
            Seconds after which the turn is stopped.

        Raises
        ------
        EmptyPrompt
            There is nothing to send.
        """
        if isinstance(prompt, str) and not prompt.strip():
            raise EmptyPrompt("The prompt is empty. Write what the agent shall do.")
        cell = current_cell()
        origin = Origin(
            notebook_path=self._client.notebook_path,
            # Some frontends name no cells; a turn's own view is known by its id all the same.
            cell_id=cell.cell_id or uuid.uuid4().hex,
            source=cell.source,
        )
        turn_id = self._client.prompt(
            self.id,
            prompt if isinstance(prompt, str) else tuple(prompt),
            policy=policy,
            origin=origin,
            can_ask=cell.can_ask,
        )
        try:
            detail = self._client.turn(turn_id)
        except KeyboardInterrupt:
            self._client.cancel(self.id, turn_id)
            raise
        return Turn(self._client, detail, can_ask=cell.can_ask, timeout=timeout)

    def __repr__(self) -> str:
        return f"<Session {self.id[:8]} of {self.agent}>"


def connect(
    agent: str | None = None,
    *,
    cwd: str | Path | None = None,
    session: str | None = None,
    new: bool = False,
) -> Session:
    """Return a session with an agent.

    The same one that ``%%acp`` uses: each agent has one per notebook, and more by name.

    Parameters
    ----------
    agent
        Its id; default: as chosen by ``%acp use``, or ``demo``.
    cwd
        The folder to work in; default: the git root above the notebook, else its folder.
    session
        The session's name.
    new
        Start it anew.

    Raises
    ------
    UnknownAgent
        No agent of that id is configured.
    RecordMissing
        Records are played here (``%acp replay``), and there is none of this session.

    Examples
    --------
    >>> session = connect("demo")
    >>> turn = session.prompt("What is in this folder?").wait()
    >>> print(turn.text)
    """
    client = host_client()
    command = CreateSession(
        agent=agent or defaults.agent,
        cwd=None if cwd is None else str(Path(cwd).expanduser().resolve()),
        notebook_path=client.notebook_path,
        label=session or "",
        new=new,
        start="background",
        record=record_wish(),
    )
    return Session(client, client.create_session(command))
