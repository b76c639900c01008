"""What a view, a kernel or an HTTP client may ask of the host.

One union for every way in; :mod:`acp_jupyter.delivery.dispatch` is the only
reader.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator
from typing_extensions import TypeAliasType

from acp_jupyter.delivery.agent_commands import AgentCommand
from acp_jupyter.delivery.change_commands import GetChanges, ListChangingSessions, RevertTurn
from acp_jupyter.delivery.elicitation_commands import AnswerElicitation
from acp_jupyter.delivery.permission_commands import PermissionCommand
from acp_jupyter.delivery.queue_commands import EditQueued, SendNow
from acp_jupyter.delivery.session_commands import CloseSession, SessionCommand
from acp_jupyter.delivery.terminal_commands import KillTerminal
from acp_jupyter.delivery.traffic_commands import GetTraffic, GetTrafficLine
from acp_jupyter.host.recording.wish import RecordWish
from acp_jupyter.packets.base import Model
from acp_jupyter.packets.dialects.imports.kinds import Dialect
from acp_jupyter.packets.notes import Origin, Policy

__all__ = [
    "AnswerPermission",
    "AttachTurn",
    "Cancel",
    "CloseSession",
    "Command",
    "CreateSession",
    "GetItems",
    "GetRecords",
    "GetSession",
    "GetTraffic",
    "GetTrafficLine",
    "GetTranscript",
    "GetTurn",
    "ImportLog",
    "KillTerminal",
    "ListAgents",
    "ListSessions",
    "PromptSession",
    "SetConfig",
]


class ListAgents(Model):
    """The configured agents and whether they can start."""

    name: Literal["list_agents"] = "list_agents"


class ListSessions(Model):
    """The sessions that the caller may see."""

    name: Literal["list_sessions"] = "list_sessions"


class CreateSession(Model):
    """Start, or find again, a session. ACP: session/new.

    With ``label`` and ``notebook_path`` the session of that label in that
    notebook is found again, unless ``new`` is set.
    """

    name: Literal["create_session"] = "create_session"
    agent: str
    cwd: str | None = None
    """Absolute or relative to the server's root; default: chosen from the notebook."""
    notebook_path: str = ""
    label: str = ""
    new: bool = False
    mode: str | None = None
    model: str | None = None
    policy: Policy | None = None
    """Of the session that is made; a kernel's is that of its own prompts in it."""
    trust: bool = False
    """Whether agents may run in the folder; a kernel's word counts for prompts of kernels."""
    ask_trust: bool = False
    """Whether somebody who sees the session can be asked about the folder. Then its agent starts
    when they have said yes; else an untrusted folder is refused."""
    start: Literal["wait", "background", "lazy"] = "wait"
    """When the agent's process starts: before the answer, beside it, or at the first prompt."""
    record: RecordWish | None = None
    """Whether to record the session, or to play its record in the agent's place."""
    tools: bool = True
    """Whether the agent is offered tools for the session's notebook and its kernel."""


class GetSession(Model):
    """One session's state."""

    name: Literal["get_session"] = "get_session"
    session_id: str


class PromptSession(Model):
    """Send a prompt; it waits behind a running turn. ACP: session/prompt."""

    name: Literal["prompt"] = "prompt"
    session_id: str
    prompt: str | tuple[dict[str, JsonValue], ...]
    """Text, or ACP content blocks."""
    policy: Policy | None = None
    origin: Origin | None = None
    can_ask: bool = True
    """False where nobody sits at the caller (nbclient, papermill)."""
    allow: tuple[str, ...] = Field(default=(), max_length=100)
    """Rules for this turn, e.g. ``execute:git status *``."""
    deny: tuple[str, ...] = Field(default=(), max_length=100)
    """The same; what they match is rejected, whatever else allows it."""


class Cancel(Model):
    """Stop a turn, running or queued; without ``turn_id`` the running one."""

    name: Literal["cancel"] = "cancel"
    session_id: str
    turn_id: str | None = None


class AnswerPermission(Model):
    """Answer a permission request, once. ACP: session/request_permission."""

    name: Literal["answer_permission"] = "answer_permission"
    session_id: str
    request_id: str
    option_id: str | None = None
    outcome: Literal["cancelled"] | None = None
    remember: Literal["session", "workspace"] | None = None
    """Answer so without asking from now on, as the request's ``rule`` says."""
    reason: str = Field(default="", max_length=4000)
    """Why it is rejected; sent to the agent as the next message."""

    @model_validator(mode="after")
    def _exactly_one(self) -> AnswerPermission:
        if (self.option_id is None) == (self.outcome is None):
            msg = "send either option_id or outcome"
            raise ValueError(msg)
        return self


class SetConfig(Model):
    """Change a config option, the mode, the model, the policy or the title."""

    name: Literal["set_config"] = "set_config"
    session_id: str
    config: dict[str, str | bool] = Field(default_factory=dict)
    mode: str | None = None
    policy: Policy | None = None
    title: str | None = None


class GetItems(Model):
    """Items by index, for what lies before the snapshot's window."""

    name: Literal["get_items"] = "get_items"
    session_id: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class GetTurn(Model):
    """A turn with its items; waits for its end at most ``wait_seconds``.

    A very long one is told in parts.
    """

    name: Literal["get_turn"] = "get_turn"
    turn_id: str
    wait_seconds: float = Field(default=0, ge=0, le=30)
    start: int | None = Field(default=None, ge=0)
    """For the next part: what the one before calls ``more``."""


class AttachTurn(Model):
    """Ask whether a cell's output is that of this turn's own cell.

    Only then does a view draw live state and controls for it.
    """

    name: Literal["attach_turn"] = "attach_turn"
    turn_id: str
    notebook_path: str
    cell_id: str


class GetRecords(Model):
    """The turns of a notebook, as output bundles keyed by cell."""

    name: Literal["get_records"] = "get_records"
    notebook_path: str


class GetTranscript(Model):
    """A whole transcript for export, without secrets and places on this machine."""

    name: Literal["get_transcript"] = "get_transcript"
    session_id: str
    format: Literal["json", "markdown", "html"] = "json"
    thoughts: bool = False
    """Whether Markdown and HTML hold the agent's reasoning."""


class ImportLog(Model):
    """Make a session of a log; it can be looked at, and has no agent."""

    name: Literal["import_log"] = "import_log"
    content: bytes
    file_name: str = "log"
    dialect: Dialect | None = None
    """How to read it; by default as it looks."""
    log_session: str = ""
    """Which of its sessions, by the protocol's id; by default the one with most lines."""


Command = TypeAliasType(
    "Command",
    Annotated[
        ListAgents
        | ListSessions
        | CreateSession
        | GetSession
        | SessionCommand
        | PromptSession
        | Cancel
        | AnswerPermission
        | SetConfig
        | GetItems
        | GetTurn
        | AttachTurn
        | GetRecords
        | GetTranscript
        | GetTraffic
        | GetTrafficLine
        | ImportLog
        | AnswerElicitation
        | EditQueued
        | SendNow
        | KillTerminal
        | GetChanges
        | ListChangingSessions
        | RevertTurn
        | AgentCommand
        | PermissionCommand,
        Field(discriminator="name"),
    ],
)
