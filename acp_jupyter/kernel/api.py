"""Sessions from Python: notebooks, scripts and other libraries."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from acp_jupyter.delivery.commands import CreateSession, SetConfig
from acp_jupyter.errors import EmptyPrompt, FolderNotTrusted, UnknownSession
from acp_jupyter.kernel.client import HostClient
from acp_jupyter.kernel.connection import host_client
from acp_jupyter.kernel.defaults import defaults
from acp_jupyter.kernel.recording import record_wish
from acp_jupyter.kernel.settings import Settings
from acp_jupyter.kernel.surroundings import current_cell
from acp_jupyter.kernel.turn import Turn
from acp_jupyter.packets.notes import Origin, Policy
from acp_jupyter.transcript.session_state import SessionState

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
            How permission requests of this turn are answered; default: the session's policy.
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
        return Turn(self._client, detail, can_ask=cell.can_ask, timeout=timeout)

    def with_files(self, prompt: str, paths: Sequence[str]) -> tuple[dict[str, JsonValue], ...]:
        """Return a prompt with files from the session's folder, as its agent can take them.

        Raises
        ------
        UsageError
            A file is not there, lies outside the folder, or is too large.
        """
        from acp_jupyter.kernel.attachments import with_attachments

        # What it takes is known once it runs.
        state = self._client.resume(self.id)
        return with_attachments(prompt, paths, Path(state.cwd), state.prompt_capabilities)

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

    def __repr__(self) -> str:
        return f"<Session {self.id[:8]} of {self.agent}>"


def connect(
    agent: str | None = None,
    *,
    cwd: str | Path | None = None,
    session: str | None = None,
    new: bool = False,
    trust: bool = False,
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
    trust
        Whether the agent may run in the folder, whatever is in it. Without it the user is asked
        before an agent's first start in a folder.

    Raises
    ------
    UnknownAgent
        No agent of that id is configured.
    FolderNotTrusted
        The folder is not trusted, and nobody can be asked, or they said no.
    RecordMissing
        Records are played here (``%acp replay``), and there is none of this session.

    Examples
    --------
    >>> session = connect("demo")
    >>> turn = session.prompt("What is in this folder?").wait()
    >>> print(turn.text)
    """
    client = host_client()
    name = agent or defaults.agent
    wish = record_wish()
    if not new and not trust and wish is None and cwd is None:
        state = _taken_up(client, name, session or "")
        if state is not None:
            return Session(client, state)
    defaults.chosen.pop((name, session or ""), None)
    command = CreateSession(
        agent=name,
        cwd=None if cwd is None else str(Path(cwd).expanduser().resolve()),
        notebook_path=client.notebook_path,
        label=session or "",
        new=new,
        start="background",
        record=wish,
        trust=trust,
        ask_trust=client.place == "server",
    )
    try:
        return Session(client, client.create_session(command))
    except FolderNotTrusted as error:
        from acp_jupyter.kernel.questions import ask_trust

        if not current_cell().can_ask or not ask_trust(error):
            raise
        trusting = command.model_copy(update={"trust": True})
        return Session(client, client.create_session(trusting))


def _taken_up(client: HostClient, agent: str, label: str) -> SessionState | None:
    """Return the session that was taken up by its id in place of the one of that name."""
    chosen = defaults.chosen.get((agent, label))
    if chosen is None:
        return None
    try:
        return client.session(chosen)
    except UnknownSession:
        return None
