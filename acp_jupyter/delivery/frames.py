"""The frames between a page and the host, over a WebSocket or a comm."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue
from typing_extensions import TypeAliasType

from acp_jupyter.delivery.agent_commands import LoginReply
from acp_jupyter.delivery.ask_frames import AnswerFrame, AskFrame, DocumentsFrame
from acp_jupyter.delivery.change_commands import ChangesReply, ChangingSessions, RevertReply
from acp_jupyter.delivery.commands import Command
from acp_jupyter.delivery.permission_commands import RuleEntry
from acp_jupyter.delivery.session_commands import AgentSessions
from acp_jupyter.delivery.traffic_commands import TrafficDetail, TrafficPage
from acp_jupyter.host.trust_store import TrustedFolder
from acp_jupyter.packets.abilities import Ability
from acp_jupyter.packets.base import Model
from acp_jupyter.packets.login_models import AuthMethod
from acp_jupyter.transcript.events import Event
from acp_jupyter.transcript.items import Item
from acp_jupyter.transcript.record import Bundle, TurnSnapshot
from acp_jupyter.transcript.session_state import SessionState, TurnState

__all__ = [
    "API_VERSION",
    "WIRE_MODELS",
    "AckFrame",
    "AgentEntry",
    "AttachedTurn",
    "ClientFrame",
    "CommandFrame",
    "ErrorBody",
    "ErrorFrame",
    "EventsFrame",
    "HelloFrame",
    "ItemsPage",
    "NotebookRecord",
    "ReplyFrame",
    "ServerFrame",
    "SessionSummary",
    "SessionsFrame",
    "SubscribeFrame",
    "TurnDetail",
    "UnsubscribeFrame",
]

API_VERSION = 1
"""Raised when kernel, page and server no longer understand each other."""


# -- from the page ---------------------------------------------------------


class SubscribeFrame(Model):
    """Follow a session; resume after ``after`` of that ``epoch`` if it can be."""

    type: Literal["subscribe"] = "subscribe"
    session_id: str
    after: int | None = None
    epoch: str = ""


class UnsubscribeFrame(Model):
    """Stop following a session."""

    type: Literal["unsubscribe"] = "unsubscribe"
    session_id: str


class AckFrame(Model):
    """What the page has drawn; the flush slows while it lags."""

    type: Literal["ack"] = "ack"
    session_id: str
    seq: int


class CommandFrame(Model):
    """A command; answered by a reply of the same id."""

    type: Literal["command"] = "command"
    id: int
    command: Command


ClientFrame = TypeAliasType(
    "ClientFrame",
    Annotated[
        SubscribeFrame | UnsubscribeFrame | AckFrame | CommandFrame | DocumentsFrame | AnswerFrame,
        Field(discriminator="type"),
    ],
)


# -- to the page -----------------------------------------------------------


class SessionSummary(Model):
    """A line of the session list."""

    session_id: str
    title: str
    agent_id: str
    agent_name: str
    status: Literal["starting", "idle", "running", "requires_action", "stopped"]
    notebook_path: str = ""
    waiting: int = 0
    stored: bool = False
    """Whether it is only in its folder; opened when somebody asks for it."""
    read_only: str = ""
    """Why nothing can be sent from here; empty where it can."""
    can: tuple[Ability, ...] = ()
    """What its agent can do with sessions."""
    updated_at: float | None = None


class HelloFrame(Model):
    """First frame of a connection."""

    type: Literal["hello"] = "hello"
    api_version: int
    version: str
    epoch: str
    user: str = ""
    """Who the page is among several people; empty where people have no names."""
    sessions: tuple[SessionSummary, ...]


class SessionsFrame(Model):
    """The session list, whole, when it has changed."""

    type: Literal["sessions"] = "sessions"
    sessions: tuple[SessionSummary, ...]


class EventsFrame(Model):
    """One flush of one session."""

    type: Literal["events"] = "events"
    session_id: str
    events: tuple[Event, ...]


class ErrorBody(Model):
    """An error as every route sends it."""

    message: str
    reason: str
    detail: str = ""
    status: int = 500
    fields: dict[str, str] = Field(default_factory=dict)
    """What is wrong with each field of a form, by its name."""


class ReplyFrame(Model):
    """The outcome of a command."""

    type: Literal["reply"] = "reply"
    id: int
    result: JsonValue = None
    error: ErrorBody | None = None


class ErrorFrame(Model):
    """A frame that could not be taken, or a session that is not known."""

    type: Literal["error"] = "error"
    session_id: str = ""
    error: ErrorBody


ServerFrame = TypeAliasType(
    "ServerFrame",
    Annotated[
        HelloFrame | SessionsFrame | EventsFrame | ReplyFrame | AskFrame | ErrorFrame,
        Field(discriminator="type"),
    ],
)


# -- results of commands ---------------------------------------------------


class AgentEntry(Model):
    """Result of ``list_agents``, one agent."""

    id: str
    name: str
    status: Literal["ready", "needs_login", "not_installed", "broken"]
    detail: str = ""
    install: str = ""
    """The command that installs it, to be typed in a terminal."""
    website: str = ""
    package: str = ""
    """What may be downloaded after a click: a package with its version."""
    run: str = ""
    """The command that will then be run."""
    listed: bool = False
    """Whether it is known from the public registry alone."""
    methods: tuple[AuthMethod, ...] = ()
    """Ways to log in, where it needs that."""


class ItemsPage(Model):
    """Result of ``get_items``."""

    items: tuple[Item, ...]
    first_index: int
    total: int


class TurnDetail(Model):
    """Result of ``get_turn``: a turn and its items."""

    turn: TurnState
    items: tuple[Item, ...]
    more: int | None = None
    """What to ask for as ``start`` to get the next items; null where these are the last."""
    session: SessionState
    page_holds_notebook: bool = False
    """Whether a page with the labextension has the turn's notebook open."""
    bundle: Bundle | None = None
    """The final output, once the turn is done; with the first items."""


class AttachedTurn(Model):
    """Result of ``attach_turn``."""

    session_id: str
    turn: TurnState
    first_index: int
    """Index of the turn's first item in the whole transcript."""


class NotebookRecord(Model):
    """Result of ``get_records``, one turn."""

    turn_id: str
    session_id: str
    cell_id: str
    source: str
    done: bool
    bundle: Bundle


WIRE_MODELS = (
    ClientFrame,
    ServerFrame,
    AgentEntry,
    LoginReply,
    ItemsPage,
    TurnDetail,
    AttachedTurn,
    NotebookRecord,
    TrafficPage,
    TrafficDetail,
    AgentSessions,
    TurnSnapshot,
    ChangesReply,
    ChangingSessions,
    RevertReply,
    RuleEntry,
    TrustedFolder,
)
"""What TypeScript types are generated from."""
