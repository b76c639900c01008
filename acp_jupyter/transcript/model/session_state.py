"""The state of a session and of its turns: modes, options, usage, queue, login."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from acp_jupyter.protocol.host_events.notes import CopiedTurn, Origin
from acp_jupyter.protocol.host_events.session import (
    Branch,
    Network,
    Policy,
    RevertedTurn,
    Rule,
    Sandbox,
    TurnChanges,
    Variant,
    WallsInForce,
)
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.parse.login import AuthMethod
from acp_jupyter.protocol.session_packets import Ability
from acp_jupyter.protocol.vocabulary import Unasked

_Value = TypeVar("_Value")


class _SavedMark:
    """See `Saved`."""


Saved = Annotated[_Value, _SavedMark()]
"""A field of `SessionState` that is written to the session's ``meta.json``.

It is shown of a session that is not open, kept over a restart, and taken over by a fork.
"""


class LoginState(Model):
    """A login that goes on, or has failed."""

    method_id: str
    name: str
    """Of the method, for people."""
    state: Literal["running", "failed"] = "running"
    terminal: str = ""
    """The name of the terminal that it happens in."""
    message: str = ""
    """Why it failed."""
    since: float | None = None


STEERED = "steered"
"""Stop reason of a prompt that waited, and was taken into the turn that ran: it stands there."""


class AgentInfo(Model):
    """Which agent a session talks to."""

    id: str
    """The configured id."""
    name: str
    """For people; the agent's own title once it has said it."""
    version: str = ""


class Mode(Model):
    """ACP: session modes."""

    id: str
    name: str
    description: str = ""


class ConfigChoice(Model):
    """One value of a select option."""

    value: str
    name: str
    description: str = ""
    group: str = ""


class ConfigOption(Model):
    """ACP: session config options."""

    id: str
    name: str
    description: str = ""
    category: str = ""
    type: Literal["select", "boolean"]
    current_value: str | bool
    choices: tuple[ConfigChoice, ...] = ()


class SlashCommand(Model):
    """ACP: available commands."""

    name: str
    description: str = ""
    hint: str = ""


class Usage(Model):
    """ACP: usage_update. Tokens; the cost is cumulative for the session."""

    used: int
    size: int
    cost_amount: float | None = None
    cost_currency: str = ""


class QueuedPrompt(Model):
    """A prompt that waits for the running turn."""

    turn_id: str
    text: str


class TurnFailure(Model):
    """Why a turn ended in an error."""

    message: str
    detail: str = ""
    reason: str = ""


class TurnState(Model):
    """A prompt turn."""

    turn_id: str
    session_id: str
    status: Literal["queued", "running", "requires_action", "done"] = "queued"
    stop_reason: str = ""
    """ACP: stop reasons, or ``error``; empty until it is done."""
    words: str = ""
    prompt: str = ""
    policy: Policy = "ask"
    sandbox: Sandbox = "off"
    rules: tuple[Rule, ...] = ()
    """What is answered in this turn without asking."""
    user: str = ""
    """Who sent the prompt, and so answers for it; empty where anybody may."""
    origin: Origin | None = None
    copy_of: CopiedTurn | None = None
    """Where it was taken over from another session: the turn that it is a copy of."""
    queued_at: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    failure: TurnFailure | None = None
    tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    changes: TurnChanges | None = None
    """What it changed in the folder, and what others did; null where nothing was, or is known."""
    changes_unknown: str = ""
    """Why it is not known what it changed; empty where that is known."""
    variant: int = 0
    """Which of several tries of its prompt it is, from 1; 0 where it is the only one."""
    in_copy: bool = False
    """Whether it worked in a copy that lasts with its session: what is kept is in the folder."""

    @property
    def to_be_kept(self) -> bool:
        """Whether what it changed is in a copy of the folder, until it is kept."""
        return self.variant > 0 or self.in_copy

    @property
    def was_sent(self) -> bool:
        """Whether it has begun as a turn of its own, and was not taken into one that ran."""
        return self.started_at is not None and self.stop_reason != STEERED


class SessionState(Model):
    """What is true of a session as a whole."""

    session_id: Saved[str]
    title: Saved[str] = ""
    named: Saved[bool] = False
    """Whether a person gave the title. The agent's does not replace it then."""
    agent: Saved[str]
    """The configured id."""
    agent_info: Saved[AgentInfo]
    cwd: Saved[str]
    """Absolute; for HTTP clients."""
    folder: Saved[str]
    """The same for people: home shortened to ``~``."""
    status: Literal["starting", "idle", "running", "requires_action", "stopped"] = "idle"
    policy: Saved[Policy] = "ask"
    policy_user: Saved[str] = ""
    """Who chose it: it allows nothing in what others send; empty where people have no names."""
    sandbox: Saved[Sandbox] = "off"
    """What was chosen for turns to come."""
    network: Saved[Network] = "all"
    """What was chosen for the sandbox's network."""
    walls: WallsInForce | None = None
    """What holds the agent that runs, or ran last; null where it has no sandbox."""
    rules: tuple[Rule, ...] = ()
    """Of this session; those of its folder are kept elsewhere."""
    active_turn_id: str | None = None
    queue: tuple[QueuedPrompt, ...] = ()
    waiting: int = 0
    """Pending permission requests."""
    background: int = 0
    """How much goes on beside the turns, such as tool calls that outlive theirs."""
    notebook_path: Saved[str] = ""
    former_paths: Saved[tuple[str, ...]] = ()
    """Where that notebook was before it was renamed or moved."""
    variant: Saved[Variant | None] = None
    """Where it is one of several tries of a prompt, in a copy of the folder."""
    copied_folder: Saved[str] = ""
    """The folder that ``cwd`` is a copy of, where its agent works in the sandbox ``copy``."""
    model: str = ""
    """Name of the model, for agents without a config option for it."""
    tools: tuple[str, ...] = ()
    """Names of the agent's tools, as far as it tells them."""
    modes: tuple[Mode, ...] = ()
    current_mode_id: str = ""
    unasked: Unasked = ""
    """What the agent does without asking in its present mode; no policy sees that."""
    config_options: tuple[ConfigOption, ...] = ()
    commands: tuple[SlashCommand, ...] = ()
    usage: Saved[Usage | None] = None
    prompt_capabilities: tuple[str, ...] = ()
    """Of ``image``, ``audio``, ``embeddedContext``."""
    can: Saved[tuple[Ability, ...]] = ()
    """What the agent can do with sessions."""
    auth_methods: tuple[AuthMethod, ...] = ()
    """Ways to log in, as the agent offers them."""
    needs_login: str = ""
    """Why the agent opens no session before somebody logs in; empty where it does."""
    login: LoginState | None = None
    """A login that goes on, or has failed."""
    logged_in: str = ""
    """Which login the agent says it uses, e.g. ``Anthropic API key``."""
    agent_session_id: Saved[str] = ""
    """The agent's own id of the session."""
    history: Literal["whole", "without", "gap"] = "whole"
    """Whether the agent remembers all that is shown; ``gap`` where lines of the log are missing."""
    silent_since: float | None = None
    """When the agent last said something, while a turn waits for it too long."""
    looking: bool = False
    """Whether a turn waits for a look at its folder: the prompt is sent after that."""
    held: str = ""
    """Why the next message waits before the agent gets it, in words."""
    stored: bool = False
    """Whether it is only in its folder: nothing of it runs, and its log was not read."""
    read_only: str = ""
    """Why nothing can be sent from here, in words; empty where it can."""
    branch: Saved[Branch | None] = None
    """Where it goes on from an earlier session: that, and the turn before which it does."""
    reverted: tuple[RevertedTurn, ...] = ()
    """What was taken back in files when it was made so, in that order."""
    continues_in: Saved[str] = ""
    """The session that goes on from an earlier turn of this one, where one took its place."""
    archived: Saved[bool] = False
    """Whether it is in the archive: kept, and not listed with the others."""
    created_at: Saved[float | None] = None
    updated_at: Saved[float | None] = None

    @property
    def branched_from(self) -> str:
        """The session that it goes on from; empty where it began anew."""
        return "" if self.branch is None else self.branch.session_id

    @property
    def own_folder(self) -> str:
        """Its folder as its user knows it, also where its agent works in a copy of it."""
        return self.copied_folder or self.cwd

    @property
    def copied(self) -> str:
        """The folder that its agent works in a copy of; empty where it works in the folder."""
        return self.copied_folder if self.variant is None else self.variant.folder

    def suits(self, sandbox: Sandbox | None) -> bool:
        """Whether prompts in a sandbox can go to it: it stays in its copy, or out of one."""
        if sandbox is None or self.variant is not None:
            return True
        return (sandbox == "copy") is bool(self.copied_folder)

    @property
    def is_variant(self) -> bool:
        """Whether it is one of several tries of a prompt: cells don't go on with it."""
        return self.variant is not None

    @property
    def agent_id(self) -> str:
        """The configured id of the agent."""
        return self.agent

    @property
    def agent_name(self) -> str:
        """The agent's name, for people."""
        return self.agent_info.name


SAVED_FACTS = tuple(
    name
    for name, field in SessionState.model_fields.items()
    if any(isinstance(mark, _SavedMark) for mark in field.metadata)
)
"""Names of the fields that are `Saved`."""


def saved_facts(state: SessionState) -> SessionState:
    """Return a state that has the saved fields alone, as reading them gives it."""
    facts = {name: getattr(state, name) for name in SAVED_FACTS}
    facts["agent_info"] = AgentInfo(id=state.agent_id, name=state.agent_name)
    return SessionState(**facts)
