"""``%acp mode, model, config, policy, sandbox`` and ``%acp agents, login, logout, restart``."""

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
    SetConfig,
)
from acp_jupyter.errors import AgentRequestError, BadRequest, NotAllowed
from acp_jupyter.kernel.client.connection import host_client
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.connect import connect
from acp_jupyter.kernel.magics.cell_options import (
    POLICIES,
    SANDBOXES,
    named_network,
    named_sandbox,
)
from acp_jupyter.kernel.magics.help import print_text, table
from acp_jupyter.kernel.session import defaults
from acp_jupyter.kernel.settings import Settings, split_setting, values_of
from acp_jupyter.protocol.host_events.session import Network
from acp_jupyter.protocol.parse.login import AuthMethod
from acp_jupyter.protocol.vocabulary import UNASKED_WORDS
from acp_jupyter.transcript.model.session_state import ConfigOption, SessionState


def mode(rest: Sequence[str]) -> None:
    """Change the session's mode; without a mode, say which there are."""
    client, state = _started()
    if not rest:
        _show_modes(state)
        return
    _apply(client, state, Settings(mode=_one(rest, "mode MODE")))


def model(rest: Sequence[str]) -> None:
    """Change the session's model; without a model, say which there are."""
    client, state = _started()
    if not rest:
        option = _of_category(state, "model")
        if option is None:
            print_text(_none(state, "model", state.model))
        else:
            _show_choices(option)
        return
    _apply(client, state, Settings(model=_one(rest, "model MODEL")))


def config(rest: Sequence[str]) -> None:
    """Change other options of the session; without any, say which there are."""
    client, state = _started()
    if rest:
        _apply(client, state, Settings(config=tuple(split_setting(each) for each in rest)))
        return
    if not state.config_options:
        print_text(f"{state.agent_info.name} has no options.")
        return
    rows = [
        (option.id, option.name, _now(option), ", ".join(values_of(option)))
        for option in state.config_options
    ]
    table(("Option", "Name", "Value", "Choices"), rows)


def policy(rest: Sequence[str]) -> None:
    """Show or set the policy for cells that name none."""
    if not rest:
        chosen = defaults.policy
        print_text(
            f"Cells that name no policy use {chosen}."
            if chosen
            else "Cells that name no policy use that of their session, which the panel shows. "
            f"%acp policy POLICY chooses another: {', '.join(POLICIES)}."
        )
        return
    named = _one(rest, "policy POLICY")
    if named == "default":
        defaults.policy = None
        print_text("Cells that name no policy now use that of their session.")
        return
    found = next((each for each in POLICIES if each == named), None)
    if found is None:
        raise UsageError(
            f"There is no policy {named!r}. Type one of: {', '.join(POLICIES)}, default."
        )
    defaults.policy = found
    print_text(f"Cells of this notebook that name no policy now use {found}.")


def sandbox(rest: Sequence[str]) -> None:
    """Show the sandbox and its level, or set the sandbox for cells that name none."""
    if not rest:
        _show_sandbox(host_client())
        return
    named = _one(rest, "sandbox SANDBOX")
    if named == "default":
        defaults.sandbox = None
        print_text("Cells that name no sandbox now use that of their session.")
        return
    defaults.sandbox = named_sandbox(named, "default")
    print_text(f"Cells of this notebook that name no sandbox now use {named}.")


def _show_sandbox(client: HostClient) -> None:
    chosen = defaults.sandbox
    print_text(
        f"Cells that name no sandbox use {chosen}."
        if chosen
        else "Cells that name no sandbox use that of their session, which the panel shows. "
        f"%acp sandbox SANDBOX chooses another: {', '.join(SANDBOXES)}."
    )
    used = (each for each in client.sessions() if each.session_id == defaults.session_id)
    if (state := next(used, None)) is not None:
        walls, name = state.walls, state.agent_info.name or state.agent
        if walls is None:
            print_text(f"{name} has no sandbox now.")
        elif walls.level == "none":
            print_text(f"{name} has no sandbox: {walls.sandbox} is not kept. {walls.why}".rstrip())
        else:
            print_text(f"{name} is in the sandbox {walls.sandbox}, level: {walls.level}.")
    print_text(_level_in_words(sandboxes_here(client)))


def sandboxes_here(client: HostClient) -> SandboxesReply:
    """Return the level of sandboxes where the agents run."""
    found: SandboxesReply = client.run(GetSandboxes())
    return found


def _level_in_words(here: SandboxesReply) -> str:
    kept = f", kept by {here.kept_by}" if here.kept_by else ""
    return f"Sandboxes where agents run: {here.level}{kept}. {here.why_not_more}".rstrip()


def network(rest: Sequence[str]) -> None:
    """Show or set which network the session's agent can reach from its sandbox."""
    client = host_client()
    used = [state for state in client.sessions() if state.session_id == defaults.session_id]
    state = used[0] if used else connect().state
    if not rest:
        print_text(f"In a sandbox the network is {state.network}: {_NETWORKS[state.network]}.")
        return
    found = named_network(_one(rest, "network NETWORK"))
    client.set_config(SetConfig(session_id=state.session_id, network=found))
    print_text(f"From the next turn on the network is {found}: {_NETWORKS[found]}.")


_NETWORKS: dict[Network, str] = {
    "all": "the agent reaches everything",
    "hosts": "the agent reaches hosts that are named; about others you are asked",
    "none": "the agent reaches nothing",
}


def _started() -> tuple[HostClient, SessionState]:
    """Return the next cell's session; start its agent, so that its options are known."""
    client = host_client()
    used = [state for state in client.sessions() if state.session_id == defaults.session_id]
    state = used[0] if used else connect().state
    if not state.modes and not state.config_options:
        state = client.resume(state.session_id)
    return client, state


def _apply(client: HostClient, state: SessionState, settings: Settings) -> None:
    changes = settings.changes(state)
    if changes:
        state = client.set_config(
            SetConfig(session_id=state.session_id, mode=changes.mode, config=changes.config)
        )
    facts = []
    if settings.mode is not None:
        facts.append(f"mode {_mode_of(state)}")
    if settings.model is not None and (option := _of_category(state, "model")):
        facts.append(f"model {_now(option)}")
    named = {name for name, _ in settings.config}
    facts += [f"{o.id} {_now(o)}" for o in state.config_options if {o.id, o.name} & named]
    print_text(f"{state.agent_info.name}: {', '.join(facts)}.")
    _warn_of_mode(state)


def _warn_of_mode(state: SessionState) -> None:
    """Print a warning if the agent acts without asking in its mode, so that no policy decides."""
    if state.unasked:
        print_text(
            f"In this mode it {UNASKED_WORDS[state.unasked]}. The policy ({state.policy}) decides "
            "only about what it asks."
        )


def _mode_of(state: SessionState) -> str:
    option = _of_category(state, "mode")
    return state.current_mode_id if option is None else _now(option)


def _of_category(state: SessionState, category: str) -> ConfigOption | None:
    return next((each for each in state.config_options if each.category == category), None)


def _show_modes(state: SessionState) -> None:
    _show_choice_of_mode(state)
    _warn_of_mode(state)


def _show_choice_of_mode(state: SessionState) -> None:
    option = _of_category(state, "mode")
    if state.modes:
        rows = [
            (each.id, each.name, each.description, _chosen(each.id == state.current_mode_id))
            for each in state.modes
        ]
        table(("Mode", "Name", "", ""), rows)
    elif option is not None:
        _show_choices(option)
    else:
        print_text(_none(state, "mode", ""))


def _show_choices(option: ConfigOption) -> None:
    rows = [
        (each.value, each.name, each.description, _chosen(each.value == option.current_value))
        for each in option.choices
    ]
    table((option.name or option.id, "Name", "", ""), rows)


def _none(state: SessionState, what: str, now: str) -> str:
    known = f" It uses {now}." if now else ""
    return f"{state.agent_info.name} offers no choice of its {what}.{known}"


def _now(option: ConfigOption) -> str:
    value = option.current_value
    return str(value).lower() if isinstance(value, bool) else value


def _chosen(is_chosen: bool) -> str:
    return "chosen" if is_chosen else ""


def _one(rest: Sequence[str], usage: str) -> str:
    if len(rest) != 1:
        raise UsageError(f"Type: %acp {usage}")
    return rest[0]


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
    print_text(_level_in_words(sandboxes_here(host_client())))
    if more and not rest:
        names = ", ".join(agent.id for agent in more)
        print_text(
            f"{len(more)} more can be installed: {names}. "
            "See %acp agents --all, or Add an agent… in the panel."
        )


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
