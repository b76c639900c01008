"""The frames between a page and the host, over a WebSocket or a comm.

`WIRE_MODELS` lists what TypeScript types are made of.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, ValidationError
from typing_extensions import TypeAliasType

from acp_jupyter.api.models.command_table import COMMANDS, Command
from acp_jupyter.api.models.documents import AnswerFrame, AskFrame, DocumentsFrame
from acp_jupyter.api.models.sessions import SessionSummary
from acp_jupyter.api.models.traffic import ImportProgress
from acp_jupyter.checks.report import CheckLine
from acp_jupyter.protocol.objects import Model, misfits
from acp_jupyter.transcript.model.events import Event
from acp_jupyter.transcript.output.record import TurnSnapshot

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


class ProofFrame(Model):
    """The key that the server gave to the page: only its own connection has it."""

    type: Literal["proof"] = "proof"
    key: str


class CommandFrame(Model):
    """A command; answered by a reply of the same id."""

    type: Literal["command"] = "command"
    id: int
    command: Command


ClientFrame = TypeAliasType(
    "ClientFrame",
    Annotated[
        SubscribeFrame
        | UnsubscribeFrame
        | AckFrame
        | ProofFrame
        | CommandFrame
        | DocumentsFrame
        | AnswerFrame,
        Field(discriminator="type"),
    ],
)


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


class ImportsFrame(Model):
    """The imports of logs that run now, all of them, when one has changed. None run at first."""

    type: Literal["imports"] = "imports"
    imports: tuple[ImportProgress, ...]


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
        HelloFrame
        | SessionsFrame
        | ImportsFrame
        | EventsFrame
        | ReplyFrame
        | AskFrame
        | ErrorFrame,
        Field(discriminator="type"),
    ],
)


WIRE_MODELS = (
    ClientFrame,
    ServerFrame,
    TurnSnapshot,
    CheckLine,
    *(row.result for row in COMMANDS if row.result is not None and row.in_page),
)
"""What TypeScript types are generated from."""


_MAX_FIELDS = 3
_MAX_CHARS = 200


def validation_message(error: ValidationError) -> str:
    """Return one sentence on what does not fit; it never repeats the input."""
    places = [each[:_MAX_CHARS] for each in misfits(error)]
    rest = len(places) - _MAX_FIELDS
    more = f"; and {rest} more" if rest > 0 else ""
    return f"The request is not valid ({'; '.join(places[:_MAX_FIELDS])}{more})."
