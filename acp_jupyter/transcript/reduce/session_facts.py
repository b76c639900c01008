"""What is true of a session as a whole: modes, config options, commands, policy, login."""

from __future__ import annotations

from pydantic import JsonValue

from acp_jupyter.protocol.host_events.notes import (
    REPLAYED,
    LimitChanged,
    NotebookMoved,
    PolicyChanged,
    SandboxChanged,
    SessionOpened,
    WallsStarted,
    is_replayed,
)
from acp_jupyter.protocol.host_events.session import (
    AgentSilentNote,
    FolderScanNote,
    LoginDone,
    LoginNeeded,
    LoginStarted,
    MessageHeld,
    SessionAttached,
)
from acp_jupyter.protocol.objects import first, text
from acp_jupyter.protocol.packets import ErrorPacket
from acp_jupyter.protocol.parse.login import is_login_error
from acp_jupyter.protocol.parse.session import MODEL_OPTION
from acp_jupyter.protocol.session_packets import (
    AgentInfoPacket,
    AuthStatusUpdate,
    AvailableCommandsUpdate,
    ConfigOptionUpdate,
    CurrentModelUpdate,
    CurrentModeUpdate,
    SessionInfoUpdate,
    SessionSetup,
)
from acp_jupyter.protocol.vocabulary import read_unasked
from acp_jupyter.transcript.model.items import Notice
from acp_jupyter.transcript.model.session_state import (
    AgentInfo,
    ConfigChoice,
    ConfigOption,
    LoginState,
    Mode,
    SessionState,
    SlashCommand,
)
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.reduce.draft import Draft

_TOOLS = 1000
_WITHOUT_HISTORY = (
    "The agent was started again without history: it does not remember what is above."
)


def opened_transcript(note: SessionOpened, at: float) -> Transcript:
    """Create the transcript of a new session."""
    return Transcript(
        session=SessionState(
            session_id=note.session_id,
            title=note.title,
            named=bool(note.title),
            agent=note.agent_id,
            agent_info=AgentInfo(id=note.agent_id, name=note.agent_name),
            cwd=note.cwd,
            folder=note.folder,
            policy=note.policy,
            policy_user=note.user,
            sandbox=note.sandbox,
            network=note.network,
            notebook_path=note.notebook_path,
            variant=note.variant,
            copied_folder=note.copied_folder,
            created_at=at,
            updated_at=at,
        )
    )


def agent_info(draft: Draft, packet: AgentInfoPacket) -> None:
    """Store the agent's name, and the content that it accepts in a prompt."""
    agent = draft.session.agent_info
    name = packet.title[:60] or agent.name
    if is_replayed(agent.name):
        name = name.removesuffix(REPLAYED) + REPLAYED
    draft.change_session(
        agent_info=AgentInfo(id=agent.id, name=name, version=packet.version[:40]),
        prompt_capabilities=packet.prompt_capabilities,
        can=packet.can,
        auth_methods=packet.auth_methods,
    )


def session_setup(draft: Draft, packet: SessionSetup) -> None:
    """Store modes and config options from the answer to session/new."""
    if draft.session.status in {"starting", "stopped"}:
        active = draft.session.active_turn_id
        draft.change_session(status="idle" if active is None else "running")
    if packet.modes is not None:
        draft.change_session(
            modes=tuple(Mode(id=i, name=n, description=d) for i, n, d in packet.modes.modes),
            current_mode_id=packet.modes.current,
        )
    if packet.options is not None:
        draft.change_session(config_options=_options(packet.options))
    _see_mode(draft)


_MODE = "mode"
"""The category of the config option that sets the mode."""


def _see_mode(draft: Draft) -> None:
    """Note whether the agent acts without asking in its mode; a config option comes first."""
    state = draft.session
    option = next((each for each in state.config_options if each.category == _MODE), None)
    if option is None:
        modes = (mode for mode in state.modes if mode.id == state.current_mode_id)
        words = [word for mode in modes for word in (mode.id, mode.name)]
    else:
        chosen = (choice for choice in option.choices if choice.value == option.current_value)
        words = [str(option.current_value), *(choice.name for choice in chosen)]
        if state.current_mode_id not in {choice.value for choice in option.choices}:
            words.append(state.current_mode_id)  # not among the option's choices
    unasked = read_unasked(*words)
    if unasked != state.unasked:
        draft.change_session(unasked=unasked)


def config_options(draft: Draft, packet: ConfigOptionUpdate) -> None:
    """Replace all config options; some agents report a new mode only here."""
    draft.change_session(config_options=_options(packet.options))
    state = draft.session
    option = next((each for each in state.config_options if each.category == _MODE), None)
    mode = "" if option is None else str(option.current_value)
    if mode != state.current_mode_id and any(mode == each.id for each in state.modes):
        current_mode(draft, CurrentModeUpdate(mode_id=mode))
    _see_mode(draft)


def current_model(draft: Draft, packet: CurrentModelUpdate) -> None:
    """Change the model of an older agent, which has no config option for it."""
    options = tuple(
        option.model_copy(update={"current_value": packet.model_id})
        if option.id == MODEL_OPTION and option.category == MODEL_OPTION
        else option
        for option in draft.session.config_options
    )
    draft.change_session(config_options=options)


def attached(draft: Draft, note: SessionAttached) -> None:
    """Store the agent's id of the session; add a warning if it doesn't remember the session."""
    login_works(draft)
    if not note.without_history:
        draft.change_session(agent_session_id=note.agent_session_id)
        return
    draft.change_session(agent_session_id=note.agent_session_id, history="without")
    draft.close_open_item()
    draft.add(
        Notice(
            id=draft.new_id(), turn_id=draft.turn_id(), severity="warning", text=_WITHOUT_HISTORY
        )
    )


def waiting_reason(draft: Draft, note: AgentSilentNote | FolderScanNote | MessageHeld) -> None:
    """Note what a turn waits for."""
    if isinstance(note, AgentSilentNote):
        draft.change_session(silent_since=note.since)
    elif isinstance(note, MessageHeld):
        draft.change_session(held=note.words)
    else:
        draft.change_session(looking=not note.over)


def commands(draft: Draft, packet: AvailableCommandsUpdate) -> None:
    """Replace the slash commands."""
    draft.change_session(
        commands=tuple(
            SlashCommand(name=c.name, description=c.description, hint=c.hint)
            for c in packet.commands
        )
    )


def session_info(draft: Draft, packet: SessionInfoUpdate) -> None:
    """Store the fields that a packet has; the others don't change."""
    if (packet.title is not None or packet.clears_title) and not draft.session.named:
        draft.change_session(title=packet.title or "")
    if packet.model:
        draft.change_session(model=packet.model[:200])
    if packet.tools:
        draft.change_session(tools=packet.tools[:_TOOLS])


def current_mode(draft: Draft, packet: CurrentModeUpdate) -> None:
    """Change the mode; a change within a turn adds a notice."""
    known = {mode.id: mode for mode in draft.session.modes}
    if packet.mode_id not in known:
        known[packet.mode_id] = Mode(id=packet.mode_id, name=packet.mode_id)
    changed = packet.mode_id != draft.session.current_mode_id
    options = tuple(
        option.model_copy(update={"current_value": packet.mode_id})
        if option.category == _MODE
        and packet.mode_id in {choice.value for choice in option.choices}
        else option
        for option in draft.session.config_options
    )
    draft.change_session(
        modes=tuple(known.values()), current_mode_id=packet.mode_id, config_options=options
    )
    _see_mode(draft)
    if packet.description or (changed and draft.session.active_turn_id is not None):
        draft.close_open_item()
        draft.add(
            Notice(
                id=draft.new_id(),
                turn_id=draft.turn_id(),
                title=f"Mode: {known[packet.mode_id].name}",
                text=packet.description,
            )
        )


def _options(raw: tuple[dict[str, JsonValue], ...]) -> tuple[ConfigOption, ...]:
    read = (_option(option) for option in raw)
    return tuple(option for option in read if option is not None)


def _option(raw: dict[str, JsonValue]) -> ConfigOption | None:
    option_id = text(first(raw, "id", "configId"))
    value = first(raw, "currentValue", "current_value")
    kind = raw.get("type", "select")
    if not option_id or kind not in {"select", "boolean"}:
        return None
    listed = raw.get("options")
    return ConfigOption(
        id=option_id,
        name=text(raw.get("name")) or option_id,
        description=text(raw.get("description")),
        category=text(raw.get("category")),
        type="boolean" if kind == "boolean" else "select",
        current_value=value if isinstance(value, str | bool) else "",
        choices=tuple(_choices(listed if isinstance(listed, list) else [], "")),
    )


def _choices(raw: list[JsonValue], group: str) -> list[ConfigChoice]:
    found: list[ConfigChoice] = []
    for entry in raw:
        if not isinstance(entry, dict):
            continue
        nested = entry.get("options")
        if isinstance(nested, list):
            found += _choices(nested, text(entry.get("name")) or text(entry.get("group")))
        elif value := text(entry.get("value")):
            name = text(entry.get("name")) or value
            words = text(entry.get("description"))
            found.append(ConfigChoice(value=value, name=name, description=words, group=group))
    return found


def login_text(name: str, message: str = "") -> str:
    """Return the sentence for an agent that needs a login."""
    message = " ".join(message.split()).rstrip(".")[:300]
    return f"{name} needs a login{f': {message}' if message else ''}."


def login_needed(draft: Draft, note: LoginNeeded) -> None:
    """Offer the agent's ways to log in."""
    draft.change_session(needs_login=note.message, status="stopped", updated_at=draft.at)


_LOGIN_CHARS = 100


def auth_status(draft: Draft, packet: AuthStatusUpdate) -> None:
    """Store the agent's report on its login; unknown fields change nothing."""
    match packet.state:
        case "unknown":
            return
        case "unauthenticated":
            words = login_text(draft.session.agent_info.name)
            draft.change_session(needs_login=draft.session.needs_login or words, logged_in="")
        case _:
            login_works(draft)
            draft.change_session(logged_in=packet.label[:_LOGIN_CHARS])


def login_refused(draft: Draft, packet: ErrorPacket) -> None:
    """Handle an error that ends a turn; it may mean that the login has expired."""
    if packet.cause == "login" or (packet.code and is_login_error(packet.code, "")):
        words = login_text(draft.session.agent_info.name, packet.message)
        draft.change_session(needs_login=words)


def login_started(draft: Draft, note: LoginStarted) -> None:
    """Show that a login is in progress."""
    state = LoginState(
        method_id=note.method_id,
        name=note.name,
        state="running",
        terminal=note.terminal,
        since=draft.at,
    )
    draft.change_session(login=state)


def login_done(draft: Draft, note: LoginDone) -> None:
    """Show the result of a login; after a success no login is needed."""
    if note.ok:
        needs = note.message if note.logged_out else ""
        used = "" if note.logged_out else draft.session.logged_in
        draft.change_session(login=None, needs_login=needs, logged_in=used, updated_at=draft.at)
        return
    before = draft.session.login or LoginState(method_id="", name="")
    failed = before.model_copy(update={"state": "failed", "message": note.message})
    draft.change_session(login=failed, updated_at=draft.at)


def login_works(draft: Draft) -> None:
    """Note that the agent has opened a session or done a turn, so that it needs no login."""
    if draft.session.needs_login or draft.session.login is not None:
        running = draft.session.login is not None and draft.session.login.state == "running"
        draft.change_session(needs_login="", login=draft.session.login if running else None)


_MAX_PATHS = 50


def notebook_moved(draft: Draft, note: NotebookMoved) -> None:
    """Move a session with its notebook. Its turns keep the notebook's earlier path."""
    if note.notebook_path != draft.session.notebook_path:
        former = (*draft.session.former_paths, draft.session.notebook_path)[-_MAX_PATHS:]
        draft.change_session(notebook_path=note.notebook_path, former_paths=former)
    if note.cwd:
        field = "copied_folder" if draft.session.copied_folder else "cwd"  # a copy stays
        draft.change_session(**{field: note.cwd}, folder=note.folder)


def sandbox_changed(draft: Draft, note: SandboxChanged) -> None:
    """Set the sandbox of later turns."""
    draft.change_session(sandbox=note.sandbox)


def limit_changed(draft: Draft, note: LimitChanged) -> None:
    """Set what all turns together may use, or each later one."""
    changes = {"limit": note.limit, "turn_limit": note.turn_limit}
    draft.change_session(**{name: words for name, words in changes.items() if words is not None})
    if note.by_user:
        limited = bool(draft.session.limit or draft.session.turn_limit)
        draft.change_session(limits_by_user=limited)


def walls_started(draft: Draft, note: WallsStarted) -> None:
    """Set the walls around the agent that is being started."""
    draft.change_session(walls=None if note.walls.sandbox == "off" else note.walls)


def policy_changed(draft: Draft, note: PolicyChanged) -> None:
    """Set the policy of later turns; ``ask`` also replaces ``allow-all`` in unfinished turns."""
    draft.change_session(policy=note.policy, policy_user=note.user)
    if note.policy == "ask":
        # In the turns' order, as the map's own order differs between processes.
        for turn in [draft.turns[turn_id] for turn_id in draft.turn_order]:
            if turn.policy == "allow-all" and turn.status != "done":
                draft.announce_started(turn.model_copy(update={"policy": note.policy}))
