"""Sessions from Python: notebooks, scripts and other libraries."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.api.models.agents import AgentEntry
from acp_jupyter.api.models.sessions import CreateSession
from acp_jupyter.errors import BadRequest, FolderNotTrusted, UnknownSession
from acp_jupyter.kernel.client import HostClient
from acp_jupyter.kernel.connection import host_client
from acp_jupyter.kernel.defaults import defaults
from acp_jupyter.kernel.recording import record_wish
from acp_jupyter.kernel.session import Session
from acp_jupyter.kernel.session_choice import by_time, find_session
from acp_jupyter.kernel.surroundings import current_cell
from acp_jupyter.protocol.host_events.permissions import Policy
from acp_jupyter.transcript.model.session_state import SessionState

__all__ = ["Session", "connect", "list_agents", "list_sessions", "resume"]


def connect(
    agent: str | None = None,
    *,
    cwd: str | Path | None = None,
    session: str | None = None,
    new: bool = False,
    policy: Policy | None = None,
    trust: bool = False,
    tools: bool = True,
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
    policy
        How permission requests of prompts are answered that are sent from here and name no other;
        default: the session's policy, which is its user's.
    trust
        Whether the agent may run in the folder, whatever is in it. Without it the user is asked
        before an agent's first start in a folder.
    tools
        Whether the agent is offered tools for the notebook and its kernel.

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
    if session:
        defaults.labels.add(session)
    wish = record_wish()
    if not new and not trust and tools and wish is None and cwd is None:
        state = _taken_up(client, name, session or "")
        if state is not None:
            return Session(client, state, policy)
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
        tools=tools,
        ask_trust=client.location == "server",
    )
    try:
        return Session(client, client.create_session(command), policy)
    except FolderNotTrusted as error:
        from acp_jupyter.kernel.questions import ask_trust

        if not current_cell().can_ask or not ask_trust(error):
            raise
        trusting = command.model_copy(update={"trust": True})
        return Session(client, client.create_session(trusting), policy)


def list_agents() -> tuple[AgentEntry, ...]:
    """Return the agents: what can start, what needs a login, what is not installed."""
    return host_client().agents()


def list_sessions() -> tuple[SessionState, ...]:
    """Return the sessions of this notebook or program, also kept ones; what changed last first."""
    return tuple(by_time(host_client().sessions()))


def resume(session: str) -> Session:
    """Take up a session again, with its agent.

    Parameters
    ----------
    session
        Its id, the beginning of its id, or its title.

    Raises
    ------
    UnknownSession
        There is none.
    BadRequest
        Several are meant, or it can only be read from here.
    """
    client = host_client()
    state = find_session(client.sessions(), session)
    if state.read_only:
        raise BadRequest(state.read_only)
    return Session(client, client.resume(state.session_id))


def _taken_up(client: HostClient, agent: str, label: str) -> SessionState | None:
    """Return the session that was taken up by its id in place of the one of that name."""
    chosen = defaults.chosen.get((agent, label))
    if chosen is None:
        return None
    try:
        return client.session(chosen)
    except UnknownSession:
        return None
