"""``%acp mode, model, config, policy, sandbox, network, limit``."""

from __future__ import annotations

from collections.abc import Sequence

from IPython.core.error import UsageError

from acp_jupyter.api.cell_options import (
    POLICIES,
    SANDBOXES,
    named_network,
    named_sandbox,
)
from acp_jupyter.api.models.sessions import SetConfig
from acp_jupyter.api.settings import Settings, split_setting, values_of
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.connect import connect
from acp_jupyter.kernel.magics.agent_commands import level_in_words, sandboxes_here
from acp_jupyter.kernel.magics.help import print_text, table
from acp_jupyter.kernel.session import Session, defaults
from acp_jupyter.protocol.host_events.session import Network
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
    print_text(level_in_words(sandboxes_here(client)))


def network(rest: Sequence[str]) -> None:
    """Show or set which network the session's agent can reach from its sandbox."""
    client = host_client()
    state = _used_or_new(client)
    if not rest:
        print_text(f"In a sandbox the network is {state.network}: {_NETWORKS[state.network]}.")
        return
    found = named_network(_one(rest, "network NETWORK"))
    client.set_config(SetConfig(session_id=state.session_id, network=found))
    print_text(f"From the next turn on the network is {found}: {_NETWORKS[found]}.")


def limit(rest: Sequence[str]) -> None:
    """Show the session's limits, or set that of all its turns or of each."""
    each_turn = rest[:1] == ["--turn"]
    words = " ".join(rest[1:] if each_turn else rest)
    if each_turn and not words:
        raise UsageError("Type: %acp limit --turn LIMIT, such as 10 min, 30 calls; or off.")
    client = host_client()
    state = _used_or_new(client)
    if words:
        session = Session(client, state)
        state = session.set_limit("" if words == "off" else words, each_turn=each_turn)
    print_text(
        f"This session: {state.limit or 'no limit'}. Each turn: {state.turn_limit or 'no limit'}."
    )


def _used_or_new(client: HostClient) -> SessionState:
    """Return the next cell's session."""
    used = [state for state in client.sessions() if state.session_id == defaults.session_id]
    return used[0] if used else connect().state


_NETWORKS: dict[Network, str] = {
    "all": "the agent reaches everything",
    "hosts": "the agent reaches hosts that are named; about others you are asked",
    "none": "the agent reaches nothing",
}


def _started() -> tuple[HostClient, SessionState]:
    """Return the next cell's session; start its agent, so that its options are known."""
    client = host_client()
    state = _used_or_new(client)
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
