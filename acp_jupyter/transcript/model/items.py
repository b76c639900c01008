"""The items of a transcript, ready to draw: messages, plans, questions, notices, artifacts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, JsonValue
from typing_extensions import TypeAliasType

from acp_jupyter.protocol.content import BlockType
from acp_jupyter.protocol.elicitation import ElicitationField, ElicitationMode
from acp_jupyter.protocol.files import ArtifactType
from acp_jupyter.protocol.formatting import shorten
from acp_jupyter.protocol.host_events.notes import NoticeOffer
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.parse.elicitation import WITHHELD
from acp_jupyter.protocol.vocabulary import Priority, StepStatus
from acp_jupyter.transcript.model.item_base import ItemBase, StepBase
from acp_jupyter.transcript.model.tool_items import ContentBlockItem, ToolCall

ElicitationState = Literal["pending", "accepted", "declined", "cancelled", "expired"]


class ElicitationAnswer(Model):
    """The answer in one field, as text."""

    name: str
    label: str
    text: str


class Elicitation(Model):
    """A form to fill in, or a page to open. ACP: elicitation."""

    kind: Literal["elicitation"] = "elicitation"
    id: str
    turn_id: str | None = None
    request_id: str
    """The id for answers; unique in its session."""
    state: ElicitationState = "pending"
    mode: ElicitationMode = "form"
    title: str
    """Title with the agent's name, e.g. ``Question from Demo``."""
    heading: str = ""
    message: str = ""
    description: str = ""
    fields: tuple[ElicitationField, ...] = ()
    url: str = ""
    host: str = ""
    """The host that ``url`` really leads to."""
    tool_call_id: str = ""
    answers: tuple[ElicitationAnswer, ...] = ()
    """The answers as they are saved, without secrets."""
    outcome: str = ""
    """The outcome, as text."""
    answered_by: str = ""
    """The user who answered, if several can; never saved in a notebook."""
    asked_at: float | None = None


TrustState = Literal["pending", "trusted", "declined", "cancelled"]


class TrustRequest(Model):
    """Asked before an agent's first start in a folder. Nothing runs before the answer."""

    kind: Literal["trust_request"] = "trust_request"
    id: str
    turn_id: str | None = None
    request_id: str
    """Unique in its session."""
    state: TrustState = "pending"
    agent_name: str
    folder: str
    """The folder for people: the home folder is shortened to ``~``."""
    title: str
    words: str
    """What trusting the folder means."""
    outcome: str = ""
    """The outcome, as text."""
    answered_by: str = ""
    """The user who answered, if several can; never saved in a notebook."""
    asked_at: float | None = None


EXPIRED = "Expired: the agent stopped"

_ANSWER_CHARS = 2_000


def answer_texts(
    fields: tuple[ElicitationField, ...], content: dict[str, JsonValue]
) -> Iterator[ElicitationAnswer]:
    """Yield the answers, in the words that the user saw."""
    for field in fields:
        if field.name in content:
            value = content[field.name]
            text = WITHHELD if field.secret else _answer_text(field, value)
            yield ElicitationAnswer(name=field.name, label=field.label, text=text)


def _answer_text(field: ElicitationField, value: JsonValue) -> str:
    labels = {choice.value: choice.label for choice in field.choices}
    match value:
        case bool():
            return "Yes" if value else "No"
        case list():
            return ", ".join(labels.get(str(each), str(each)) for each in value) or "None"
        case _:
            return shorten(labels.get(str(value), str(value)), _ANSWER_CHARS)


def unanswered_text(by: str) -> str:
    """Return why the user did not answer a question."""
    match by:
        case "turn_cancelled":
            return "Not answered: turn stopped"
        case "nobody":
            return "Nobody could be asked, so this was not answered."
        case "withdrawn":
            return "Withdrawn by the agent"
        case "completed":
            return "No longer needed: it was done elsewhere"
        case _:
            return "Dismissed"


class Attachment(Model):
    """What goes along with a prompt: a content block after its text."""

    type: Literal[BlockType, "text"]
    name: str
    uri: str = ""
    mime_type: str = ""
    size: int | None = None
    """In bytes; null if the agent reads it itself, and for logs of earlier versions."""
    cut: bool = False
    """Whether a part was left out because it is long; its text says so."""


class UserMessage(ItemBase):
    """A prompt, as it was sent."""

    kind: Literal["user_message"] = "user_message"
    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    at: float | None = None
    steered: bool = False
    """Whether the user sent it while the turn ran; it stands where the agent accepted it."""


class AgentMessage(StepBase):
    """The agent's text, as Markdown."""

    kind: Literal["agent_message"] = "agent_message"
    text: str = ""
    open: bool = True
    """Whether more text may follow."""


class Thought(StepBase):
    """The agent's reasoning, as Markdown; or a named step."""

    kind: Literal["thought"] = "thought"
    title: str = ""
    """Name of the step."""
    text: str = ""
    open: bool = True
    started_at: float | None = None
    ended_at: float | None = None


class PlanEntry(Model):
    """One step of a plan."""

    content: str
    priority: Priority = "medium"
    status: StepStatus = "pending"


class Plan(ItemBase):
    """The agent's plan; every update replaces the whole plan."""

    kind: Literal["plan"] = "plan"
    plan_id: str = ""
    entries: tuple[PlanEntry, ...] = ()
    text: str = ""
    """The plan as Markdown, for agents that send it that way."""


class Notice(ItemBase):
    """A message for the user that is not an error."""

    kind: Literal["notice"] = "notice"
    severity: Literal["info", "warning", "error"] = "info"
    title: str = ""
    text: str = ""
    detail: str = ""
    """Details, one per line."""
    offers: NoticeOffer = ""
    """The action that the host offers; never set by an agent."""
    target: str = ""
    """For ``rewind``: the turn to go back to before."""


class ErrorItem(ItemBase):
    """An error: what went wrong, what it means, what to do."""

    kind: Literal["error"] = "error"
    message: str
    detail: str = ""
    """Details, e.g. the last lines of the agent's stderr."""
    reason: str = ""
    code: str = ""


class TurnEnd(ItemBase):
    """The end of a prompt turn."""

    kind: Literal["turn_end"] = "turn_end"
    stop_reason: str
    """ACP: stop reasons, or ``error``."""
    words: str = ""
    """Empty for an ordinary end."""
    summary: str = ""
    """The agent's summary."""
    duration_seconds: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


class Artifact(ItemBase):
    """A file or folder that the agent made and that is worth opening."""

    kind: Literal["artifact"] = "artifact"
    artifact_id: str
    type: ArtifactType = "other"
    type_name: str = ""
    """The type for people, e.g. ``CSV``."""
    name: str
    path: str = ""
    """Relative to the session's folder if it is inside."""
    preview_url: str = ""
    """A complete URL; empty if there is no preview."""
    download_url: str = ""
    mime_type: str = ""
    size_bytes: int | None = None
    size: str = ""
    """The size for people, e.g. ``4.1 kB``."""


class FileWriteItem(ItemBase):
    """A file that was written."""

    kind: Literal["file_write"] = "file_write"
    path: str
    title: str
    """The verb, e.g. ``Created``."""
    size_bytes: int | None = None
    size: str = ""
    """The path for people."""


Item = TypeAliasType(
    "Item",
    Annotated[
        UserMessage
        | AgentMessage
        | Thought
        | ContentBlockItem
        | ToolCall
        | Elicitation
        | TrustRequest
        | Plan
        | Artifact
        | FileWriteItem
        | Notice
        | ErrorItem
        | TurnEnd,
        Field(discriminator="kind"),
    ],
)
