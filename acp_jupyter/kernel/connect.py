"""`connect`, `resume`, `list_sessions`, `list_agents`; and finding a session by a name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from acp_jupyter.api.models.sessions import AgentEntry, CreateSession
from acp_jupyter.errors import BadRequest, FolderNotTrusted, UnknownSession
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.client.recording import recording_options
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.execution_context import execution_context
from acp_jupyter.kernel.session import Session, check_sandbox, defaults
from acp_jupyter.protocol.host_events.session import Network, Policy, Sandbox
from acp_jupyter.transcript.model.session_state import SessionState


def connect(
    agent: str | None = None,
    *,
    cwd: str | Path | None = None,
    session: str | None = None,
    new: bool = False,
    policy: Policy | None = None,
    sandbox: Sandbox | None = None,
    trust: bool = False,
    tools: bool = True,
    network: Network | None = None,
) -> Session:
    """Return a session with an agent.

    The same one that ``%%acp`` uses: each agent has one per notebook, and more by name.

    Parameters
    ----------
    agent
        The agent's id; default: as chosen by ``%acp use``, or ``demo``.
    cwd
        The folder to work in; default: the git root above the notebook, else its folder.
    session
        The session's name.
    new
        Whether to start a new session.
    policy
        Policy for the permission requests of prompts that this object sends without a policy;
        default: the session's policy, which its user sets.
    sandbox
        Sandbox of the agent's processes for prompts that this object sends without a sandbox:
        ``off``, ``folder``, ``copy`` or ``read-only``; default: the session's sandbox. With
        ``copy`` it is a session of its own, which works in a copy of the folder as long as it
        lasts: `Turn.keep` puts what a turn has changed into the folder.
    trust
        Whether the agent may run in the folder. If False, the user is asked before an agent's
        first start in a folder.
    tools
        Whether the agent gets tools for the notebook and its kernel.
    network
        Network of the agent in its sandbox: ``all``, ``none``, or ``hosts``, which are named hosts
        and others that a user allows. It can only be restricted further here; default: the
        session's network, which its user sets.

    Raises
    ------
    UnknownAgent
        No agent of that id is configured.
    FolderNotTrusted
        The folder is not trusted, and no user can be asked, or the user refused.
    BadRequest
        There is no such sandbox.
    RecordingMissing
        Records are played here (``%acp replay``), and there is none of this session.

    Examples
    --------
    >>> session = connect("demo")
    >>> turn = session.prompt("What is in this folder?").wait()
    >>> print(turn.text)
    """
    check_sandbox(sandbox)
    client = host_client()
    name = agent or defaults.agent
    network = network or defaults.network
    trust = trust or defaults.trust
    if session:
        defaults.labels.add(session)
    options = recording_options()
    if not new and not trust and tools and options is None and cwd is None and network is None:
        state = _taken_up(client, name, session or "")
        if state is not None and state.suits(sandbox):
            return Session(client, state, policy, sandbox)
    defaults.chosen.pop((name, session or ""), None)
    command = CreateSession(
        agent=name,
        cwd=None if cwd is None else str(Path(cwd).expanduser().resolve()),
        notebook_path=client.notebook_path,
        label=session or "",
        new=new,
        # For another sandbox than the session's, the agent starts with the prompt, in that sandbox.
        start="background" if sandbox is None else "lazy",
        in_copy=None if sandbox is None else sandbox == "copy",
        record=options,
        trust=trust,
        tools=tools,
        network=network,
        ask_trust=client.location == "server",
    )
    try:
        return Session(client, client.create_session(command), policy, sandbox)
    except FolderNotTrusted as error:
        from acp_jupyter.kernel.turn.stdin_questions import ask_trust

        if not execution_context().can_type or not ask_trust(error):
            raise
        trusting = command.model_copy(update={"trust": True})
        return Session(client, client.create_session(trusting), policy, sandbox)


def list_agents() -> tuple[AgentEntry, ...]:
    """Return the agents: what can start, what needs a login, what is not installed."""
    return host_client().agents()


def list_sessions() -> tuple[SessionState, ...]:
    """Return the sessions of this notebook or program, also kept ones; what changed last first."""
    return tuple(by_time(host_client().sessions()))


def resume(session: str) -> Session:
    """Resume a session with its agent.

    Parameters
    ----------
    session
        The session's id, the beginning of its id, or its title.

    Raises
    ------
    UnknownSession
        There is no such session.
    BadRequest
        Several are meant, or it can only be read from here.
    """
    client = host_client()
    state = find_session(client.sessions(), session)
    if state.read_only:
        raise BadRequest(state.read_only)
    return Session(client, client.resume(state.session_id))


def _taken_up(client: HostClient, agent: str, label: str) -> SessionState | None:
    """Return the session that was resumed by its id in place of the one with this name."""
    chosen = defaults.chosen.get((agent, label))
    if chosen is None:
        return None
    try:
        state = client.session(chosen)
    except UnknownSession:
        return None
    if not state.continues_in or chosen in defaults.kept:
        return state
    # The user went back to before one of its turns, in the page.
    try:
        state = client.session(state.continues_in)
    except UnknownSession:
        return state
    defaults.chosen[agent, label] = state.session_id
    return _taken_up(client, agent, label)


_SHORT = 8


def short(session_id: str) -> str:
    """Return the short form of an id."""
    return session_id[:_SHORT]


def by_time(sessions: Sequence[SessionState]) -> list[SessionState]:
    """Return sessions, what changed last first."""
    return sorted(sessions, key=lambda state: state.updated_at or 0, reverse=True)


def choose_session(client: HostClient, named: str = "") -> SessionState:
    """Return the session of that name, else the one used last here, else the newest."""
    sessions = by_time(client.sessions())
    if named:
        return find_session(sessions, named)
    if not sessions:
        raise UnknownSession("There is no session yet. A cell that begins with %%acp starts one.")
    used = (state for state in sessions if state.session_id == defaults.session_id)
    return next(used, sessions[0])


def find_session(sessions: Sequence[SessionState], named: str) -> SessionState:
    """Return the session whose id begins so, or that has this title."""
    exact = [state for state in sessions if named in {state.session_id, state.title}]
    found = exact or [state for state in sessions if state.session_id.startswith(named)]
    if not found:
        raise UnknownSession(f"There is no session {named!r}. %acp sessions lists them.")
    if len(found) > 1:
        ids = ", ".join(_distinct(found))
        raise BadRequest(f"{len(found)} sessions match {named!r}: {ids}. Type one of them.")
    return found[0]


def _distinct(states: Sequence[SessionState]) -> list[str]:
    """Return the sessions' ids, shortened as far as they stay unique."""
    ids = [state.session_id for state in states]
    length = _SHORT
    while len({each[:length] for each in ids}) < len(ids) and length < max(map(len, ids)):
        length += 1
    return [each[:length] for each in ids]
