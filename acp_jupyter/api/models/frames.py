"""The frames between a page and the host, over a WebSocket or a comm.

`WIRE_MODELS` lists the models for TypeScript.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, ValidationError
from typing_extensions import TypeAliasType

from acp_jupyter.api.models.command_table import COMMANDS, Command
from acp_jupyter.api.models.documents import AnswerFrame, AskFrame, DocumentsFrame
from acp_jupyter.api.models.sessions import SessionSummary
from acp_jupyter.api.models.traffic import ImportProgress
from acp_jupyter.features import registered
from acp_jupyter.protocol.objects import Model, misfits
from acp_jupyter.transcript.model.events import Event
from acp_jupyter.transcript.output.record import TurnSnapshot

API_VERSION = 1
"""Increased when kernel, page and server become incompatible."""


# -- from the page ---------------------------------------------------------


class SubscribeFrame(Model):
    """Follow a session; resume after ``after`` of that ``epoch`` if possible."""

    type: Literal["subscribe"] = "subscribe"
    session_id: str
    after: int | None = None
    epoch: str = ""


class UnsubscribeFrame(Model):
    """Stop following a session."""

    type: Literal["unsubscribe"] = "unsubscribe"
    session_id: str


class AckFrame(Model):
    """What the page has drawn; flushes slow down while it lags."""

    type: Literal["ack"] = "ack"
    session_id: str
    seq: int


class ProofFrame(Model):
    """The key that the server gave to the page, which only the page's own connection has."""

    type: Literal["proof"] = "proof"
    key: str


class CommandFrame(Model):
    """A command; a reply with the same id answers it."""

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
    """The first frame of a connection."""

    type: Literal["hello"] = "hello"
    api_version: int
    version: str
    epoch: str
    user: str = ""
    """The page's user, if there are several; empty if users have no names."""
    sessions: tuple[SessionSummary, ...]


class SessionsFrame(Model):
    """The whole session list, after a change."""

    type: Literal["sessions"] = "sessions"
    sessions: tuple[SessionSummary, ...]


class ImportsFrame(Model):
    """All running imports, after a change; none are running at first."""

    type: Literal["imports"] = "imports"
    imports: tuple[ImportProgress, ...]


class EventsFrame(Model):
    """One batch of a session's events."""

    type: Literal["events"] = "events"
    session_id: str
    events: tuple[Event, ...]


class ErrorBody(Model):
    """An error, the same on every route."""

    message: str
    reason: str
    detail: str = ""
    status: int = 500
    fields: dict[str, str] = Field(default_factory=dict)
    """What is wrong with each field of a form, by field name."""


class ReplyFrame(Model):
    """The result of a command."""

    type: Literal["reply"] = "reply"
    id: int
    result: JsonValue = None
    error: ErrorBody | None = None


class ErrorFrame(Model):
    """A frame was invalid, or a session is unknown."""

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
    *(model for models in registered("wire_models").values() for model in models),
    *(row.result for row in COMMANDS if row.result is not None and row.in_page),
)
"""The models that TypeScript types are generated from."""


_MAX_FIELDS = 3
_MAX_CHARS = 200


def validation_message(error: ValidationError) -> str:
    """Return one sentence on what does not fit; it never repeats the input."""
    places = [each[:_MAX_CHARS] for each in misfits(error)]
    rest = len(places) - _MAX_FIELDS
    more = f"; and {rest} more" if rest > 0 else ""
    return f"The request is not valid ({'; '.join(places[:_MAX_FIELDS])}{more})."
