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
from acp_jupyter.transcript.model.use import Use

_Value = TypeVar("_Value")


class _SavedMark:
    """See `Saved`."""


Saved = Annotated[_Value, _SavedMark()]
"""A field of `SessionState` that is written to the session's ``meta.json``.

It is shown for a session that is not open, kept across a restart, and copied by a fork.
"""


class LoginState(Model):
    """A login that is running, or has failed."""

    method_id: str
    name: str
    """The method's name, for people."""
    state: Literal["running", "failed"] = "running"
    terminal: str = ""
    """The name of its terminal."""
    message: str = ""
    """Why it failed."""
    since: float | None = None


STEERED = "steered"
"""Stop reason of a queued prompt that was sent into the running turn: it is shown there."""


class AgentInfo(Model):
    """The agent of a session."""

    id: str
    """The configured id."""
    name: str
    """The name for people; the agent's own title once it is known."""
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
    """ACP: usage_update. Tokens; the cost is the session's total."""

    used: int
    size: int
    cost_amount: float | None = None
    cost_currency: str = ""


class QueuedPrompt(Model):
    """A prompt in the queue."""

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
    """What is allowed in this turn without asking."""
    user: str = ""
    """Who sent the prompt, and so answers for it; empty if anybody may."""
    origin: Origin | None = None
    copy_of: CopiedTurn | None = None
    """The turn that it is a copy of, if it came from another session."""
    queued_at: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    failure: TurnFailure | None = None
    tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    changes: TurnChanges | None = None
    """Changes in the folder, by it and by others; null if there are none, or they are unknown."""
    changes_unknown: str = ""
    """Why its changes are unknown; empty if they are known."""
    variant: int = 0
    """The number of the variant, from 1; 0 for a turn that is not a variant."""
    in_copy: bool = False
    """Whether it worked in a copy that lasts as long as its session: kept changes are in the
    folder."""

    @property
    def to_be_kept(self) -> bool:
        """Whether its changes are in a copy of the folder, until they are kept."""
        return self.variant > 0 or self.in_copy

    @property
    def was_sent(self) -> bool:
        """Whether it started as a turn of its own, not as a message for a running one."""
        return self.started_at is not None and self.stop_reason != STEERED


class SessionState(Model):
    """The state of a session as a whole."""

    session_id: Saved[str]
    title: Saved[str] = ""
    named: Saved[bool] = False
    """Whether the user set the title, so that the agent's does not replace it."""
    agent: Saved[str]
    """The agent's configured id."""
    agent_info: Saved[AgentInfo]
    cwd: Saved[str]
    """Absolute path, for HTTP clients."""
    folder: Saved[str]
    """The folder for people: the home folder is shortened to ``~``."""
    status: Literal["starting", "idle", "running", "requires_action", "stopped"] = "idle"
    policy: Saved[Policy] = "ask"
    policy_user: Saved[str] = ""
    """Who chose the policy: it allows nothing in others' prompts; empty if users have no names."""
    sandbox: Saved[Sandbox] = "off"
    """The sandbox of later turns."""
    network: Saved[Network] = "all"
    """The network of that sandbox."""
    walls: WallsInForce | None = None
    """The sandbox of the agent that is running, or ran last; null without a sandbox."""
    rules: tuple[Rule, ...] = ()
    """Rules of this session; those of its folder are stored separately."""
    active_turn_id: str | None = None
    queue: tuple[QueuedPrompt, ...] = ()
    waiting: int = 0
    """Pending permission requests."""
    background: int = 0
    """How many tasks run in the background, such as tool calls that outlive their turns."""
    notebook_path: Saved[str] = ""
    former_paths: Saved[tuple[str, ...]] = ()
    """The notebook's earlier path, if it was renamed or moved."""
    variant: Saved[Variant | None] = None
    """The variant that it is, in a copy of the folder; null for other sessions."""
    copied_folder: Saved[str] = ""
    """The folder that ``cwd`` is a copy of, if its agent works in the sandbox ``copy``."""
    model: str = ""
    """Name of the model, for agents without a config option for it."""
    tools: tuple[str, ...] = ()
    """Names of the agent's tools, if the agent lists them."""
    modes: tuple[Mode, ...] = ()
    current_mode_id: str = ""
    unasked: Unasked = ""
    """What the agent does without asking in its current mode; no policy sees that."""
    config_options: tuple[ConfigOption, ...] = ()
    commands: tuple[SlashCommand, ...] = ()
    usage: Saved[Usage | None] = None
    use: Saved[Use] = Use()
    """What its turns used, all together."""
    limit: Saved[str] = ""
    """The most that all its turns together may use, as it was written; empty for no limit."""
    turn_limit: Saved[str] = ""
    """The most that each of its later turns may use."""
    limits_by_user: Saved[bool] = False
    """Whether a user set a limit, so that a kernel can't raise any."""
    prompt_capabilities: tuple[str, ...] = ()
    """Of ``image``, ``audio``, ``embeddedContext``."""
    can: Saved[tuple[Ability, ...]] = ()
    """The agent's session capabilities."""
    auth_methods: tuple[AuthMethod, ...] = ()
    """Login methods that the agent offers."""
    needs_login: str = ""
    """Why the agent needs a login before it opens the session; empty if it doesn't."""
    login: LoginState | None = None
    """A login that is running, or has failed."""
    logged_in: str = ""
    """The login in use according to the agent, e.g. ``Anthropic API key``."""
    agent_session_id: Saved[str] = ""
    """The agent's own id of the session."""
    history: Literal["whole", "without", "gap"] = "whole"
    """Whether the agent remembers everything shown; ``gap`` if lines of the log are missing."""
    silent_since: float | None = None
    """When the agent last sent something, if it has been silent for too long in a turn."""
    looking: bool = False
    """Whether a turn waits for a scan of its folder: the prompt is sent after that."""
    held: str = ""
    """Why the next message is held back, as text."""
    stored: bool = False
    """Whether it is only stored: nothing of it runs, and its log was not read."""
    read_only: str = ""
    """Why nothing can be sent from here, as text; empty if it can."""
    branch: Saved[Branch | None] = None
    """The session and turn that it branched off; null if it did not."""
    reverted: tuple[RevertedTurn, ...] = ()
    """What was reverted in files at the branch, in order."""
    continues_in: Saved[str] = ""
    """The session that branched off this one and replaced it."""
    archived: Saved[bool] = False
    """Whether it is archived: stored, but not listed with the others."""
    created_at: Saved[float | None] = None
    updated_at: Saved[float | None] = None

    @property
    def branched_from(self) -> str:
        """The session that it branched off; empty if it did not."""
        return "" if self.branch is None else self.branch.session_id

    @property
    def own_folder(self) -> str:
        """Its folder as its user knows it, even if its agent works in a copy."""
        return self.copied_folder or self.cwd

    @property
    def copied(self) -> str:
        """The folder that its agent works in a copy of; empty if it works in the folder itself."""
        return self.copied_folder if self.variant is None else self.variant.folder

    def suits(self, sandbox: Sandbox | None) -> bool:
        """Whether prompts in a sandbox can go to it: it always works in a copy, or never."""
        if sandbox is None or self.variant is not None:
            return True
        return (sandbox == "copy") is bool(self.copied_folder)

    @property
    def is_variant(self) -> bool:
        """Whether it is a variant of a prompt, which cells don't continue."""
        return self.variant is not None

    @property
    def agent_id(self) -> str:
        """The agent's configured id."""
        return self.agent

    @property
    def agent_name(self) -> str:
        """The agent's name, for people."""
        return self.agent_info.name


AT_LIMIT = "Stopped at its limit of "
"""How the words of a turn begin that was stopped at a limit."""

SAVED_FACTS = tuple(
    name
    for name, field in SessionState.model_fields.items()
    if any(isinstance(mark, _SavedMark) for mark in field.metadata)
)
"""Names of the `Saved` fields."""


def saved_facts(state: SessionState) -> SessionState:
    """Return the state that reading the saved fields would give."""
    facts = {name: getattr(state, name) for name in SAVED_FACTS}
    facts["agent_info"] = AgentInfo(id=state.agent_id, name=state.agent_name)
    return SessionState(**facts)
