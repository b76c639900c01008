"""``%acp agents, login, logout, restart``."""

from __future__ import annotations

import time
from collections.abc import Sequence

from IPython.core.error import UsageError

from acp_jupyter.api.models.sessions import (
    AgentEntry,
    CancelLogin,
    GetSandboxes,
    Login,
    LoginReply,
    Logout,
    RestartAgent,
    SandboxesReply,
)
from acp_jupyter.errors import AgentRequestError, BadRequest, NotAllowed
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.magics.help import print_text, table
from acp_jupyter.kernel.session import defaults
from acp_jupyter.protocol.parse.login import AuthMethod
from acp_jupyter.transcript.model.session_state import SessionState

_START_SECONDS = 150.0
_POLL_SECONDS = 0.2


def list_agents(rest: Sequence[str]) -> None:
    """List the agents, and what each needs; with ``--all`` also those to be installed."""
    if rest not in ([], ["--all"]):
        raise UsageError("Type: %acp agents, or %acp agents --all")
    agents = host_client().agents()
    more = [agent for agent in agents if agent.listed]
    shown = agents if rest else [agent for agent in agents if not agent.listed]
    rows = [(a.id, a.name, a.status.replace("_", " "), _about(a)) for a in shown]
    table(("Agent", "Name", "Status", ""), rows)
    if rest and (state := host_client().registry()).date:
        if state.downloaded:
            print_text(f"The list of agents is the public registry's of {state.date}.")
        else:
            print_text(f"The list of agents came with this version and dates from {state.date}.")
        if state.failure:
            print_text(f"The list was not updated: {state.failure}")
    print_text(level_in_words(sandboxes_here(host_client())))
    if more and not rest:
        names = ", ".join(agent.id for agent in more)
        print_text(
            f"{len(more)} more can be installed: {names}. "
            "See %acp agents --all, or Add an agent… in the panel."
        )


def sandboxes_here(client: HostClient) -> SandboxesReply:
    """Return the level of sandboxes where the agents run."""
    found: SandboxesReply = client.run(GetSandboxes())
    return found


def level_in_words(here: SandboxesReply) -> str:
    """Return the level of sandboxes, and what keeps them."""
    kept = f", kept by {here.kept_by}" if here.kept_by else ""
    return f"Sandboxes where agents run: {here.level}{kept}. {here.why_not_more}".rstrip()


def login(rest: Sequence[str]) -> None:
    """Log in to the agent of a session, by a method or by the first that can be used.

    An agent's code may run in a kernel, so with a host in the server the user logs in in the page.
    """
    if len(rest) > 1:
        raise UsageError("Name one way to log in: %acp login METHOD")
    client = host_client()
    state = _session(client)
    if not client.may_answer:
        print_text(_in_the_page(state))
        return
    command = Login(session_id=state.session_id, method_id=rest[0] if rest else "")
    reply = LoginReply.model_validate(client.call(command, _START_SECONDS), from_attributes=True)
    print_text(reply.message)
    if reply.command:
        print_text(reply.command)
    _wait(client, state.session_id)


def logout(rest: Sequence[str]) -> None:
    """Log out of the agent of a session."""
    if rest:
        raise UsageError("%acp logout takes no arguments. Type: %acp logout")
    client = host_client()
    state = _session(client)
    if not client.may_answer:
        raise NotAllowed("Log out in JupyterLab: Log Out of the Agent, in the command palette.")
    reply = client.call(Logout(session_id=state.session_id), _START_SECONDS)
    print_text(LoginReply.model_validate(reply, from_attributes=True).message)


def restart(rest: Sequence[str]) -> None:
    """End an agent's processes; each session starts it again when needed."""
    if len(rest) > 1:
        raise UsageError("Name one agent: %acp restart AGENT. %acp agents lists them.")
    client = host_client()
    if not client.may_answer:
        raise NotAllowed("Restart it in JupyterLab: Restart the Agent, in the command palette.")
    reply = client.call(RestartAgent(agent=rest[0] if rest else defaults.agent), _START_SECONDS)
    print_text(LoginReply.model_validate(reply, from_attributes=True).message)


def _about(agent: AgentEntry) -> str:
    ways = ", ".join(_way(method) for method in agent.methods)
    words = [agent.detail, f"Ways: {ways}." if ways else ""]
    if agent.id == defaults.agent:
        words.append("chosen")
    return " ".join(word for word in words if word)


def _way(method: AuthMethod) -> str:
    return method.name if method.name == method.id else f"{method.name} ({method.id})"


def _session(client: HostClient) -> SessionState:
    """Return the session that needs a login, else the one that was used last."""
    sessions = sorted(client.sessions(), key=lambda state: state.updated_at or 0)
    needing = [state for state in sessions if state.needs_login]
    used = [state for state in sessions if state.session_id == defaults.session_id]
    found = [*sessions[-1:], *used, *needing[-1:]]
    if not found:
        raise BadRequest("There is no session yet. A cell that begins with %%acp starts one.")
    return found[-1]


def _in_the_page(state: SessionState) -> str:
    name = state.agent_info.name
    if not state.needs_login:
        return f"{name} needs no login now."
    buttons = [f"Log in: {m.name}" for m in state.auth_methods if m.kind in {"agent", "terminal"}]
    what = f" and press {' or '.join(buttons)}" if buttons else ""
    return f"{state.needs_login}\nOpen the session in the panel{what}."


def _wait(client: HostClient, session_id: str) -> None:
    """Wait for the end of a login; an interrupt cancels it."""
    try:
        while (state := _state(client, session_id)).login is not None:
            if state.login.state == "failed":
                raise AgentRequestError(state.login.message)
            time.sleep(_POLL_SECONDS)
    except KeyboardInterrupt:
        client.call(CancelLogin(session_id=session_id), _START_SECONDS)
        raise
    if not state.needs_login:
        print_text(f"{state.agent_info.name} is logged in.")


def _state(client: HostClient, session_id: str) -> SessionState:
    return next(state for state in client.sessions() if state.session_id == session_id)
