"""The items of a transcript, ready to draw: messages, plans, questions, notices, artifacts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, JsonValue
from typing_extensions import TypeAliasType

from acp_jupyter.protocol.elicitation import ElicitationField, ElicitationMode
from acp_jupyter.protocol.files import ArtifactType
from acp_jupyter.protocol.host_events.notes import NoticeOffer
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.parse.elicitation import WITHHELD
from acp_jupyter.protocol.vocabulary import Priority, StepStatus
from acp_jupyter.transcript.model.item_base import ItemBase, StepBase
from acp_jupyter.transcript.model.tool_items import ContentBlockItem, ToolCall

ElicitationState = Literal["pending", "accepted", "declined", "cancelled", "expired"]


class ElicitationAnswer(Model):
    """What was answered in one field, in words."""

    name: str
    label: str
    text: str


class Elicitation(Model):
    """A form to fill in, or a page to open. ACP: elicitation."""

    kind: Literal["elicitation"] = "elicitation"
    id: str
    turn_id: str | None = None
    request_id: str
    """What an answer names; unique in its session."""
    state: ElicitationState = "pending"
    mode: ElicitationMode = "form"
    title: str
    """Who asks, e.g. ``Question from Demo``."""
    heading: str = ""
    message: str = ""
    description: str = ""
    fields: tuple[ElicitationField, ...] = ()
    url: str = ""
    host: str = ""
    """Where ``url`` really leads to."""
    tool_call_id: str = ""
    answers: tuple[ElicitationAnswer, ...] = ()
    """The answers as they are saved, without secrets."""
    outcome: str = ""
    """What became of it, in words."""
    answered_by: str = ""
    """Which user answered, where several can; never saved in a notebook."""
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
    """For people: home shortened to ``~``."""
    title: str
    words: str
    """What trusting means."""
    outcome: str = ""
    """What became of it, in words."""
    answered_by: str = ""
    """Which user answered, where several can; never saved in a notebook."""
    asked_at: float | None = None


EXPIRED = "Expired: the agent stopped"

_ANSWER_CHARS = 2_000


def answer_texts(
    fields: tuple[ElicitationField, ...], content: dict[str, JsonValue]
) -> Iterator[ElicitationAnswer]:
    """Yield what was answered, in the words that the user saw."""
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
            words = labels.get(str(value), str(value))
            return words if len(words) <= _ANSWER_CHARS else f"{words[:_ANSWER_CHARS]}…"


def unanswered_words(by: str) -> str:
    """Say why a question got no answer of its user."""
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
    """What a prompt carried beside its text."""

    type: Literal["image", "audio", "resource_link", "resource"]
    name: str
    uri: str = ""
    mime_type: str = ""


class UserMessage(ItemBase):
    """A prompt, as it was sent."""

    kind: Literal["user_message"] = "user_message"
    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    at: float | None = None
    steered: bool = False
    """Whether it was said while the turn ran: it stands where the agent took it."""


class AgentMessage(StepBase):
    """Text of the agent, Markdown."""

    kind: Literal["agent_message"] = "agent_message"
    text: str = ""
    open: bool = True
    """Whether more text may follow."""


class Thought(StepBase):
    """Reasoning of the agent, Markdown; or a named step."""

    kind: Literal["thought"] = "thought"
    title: str = ""
    """Of a step."""
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
    """The agent's plan; every update replaces it whole."""

    kind: Literal["plan"] = "plan"
    plan_id: str = ""
    entries: tuple[PlanEntry, ...] = ()
    text: str = ""
    """Plans that come as Markdown."""


class Notice(ItemBase):
    """Something worth a line that is no error."""

    kind: Literal["notice"] = "notice"
    severity: Literal["info", "warning", "error"] = "info"
    title: str = ""
    text: str = ""
    detail: str = ""
    """Lines for those who open it."""
    offers: NoticeOffer = ""
    """What the host offers to do about it; never said by an agent."""
    target: str = ""
    """Of ``rewind``: the turn to go back to before."""


class ErrorItem(ItemBase):
    """What went wrong, what it means, what to do."""

    kind: Literal["error"] = "error"
    message: str
    detail: str = ""
    """Further lines, e.g. the last of the agent's stderr."""
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
    """What the agent says it did."""
    duration_seconds: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


class Artifact(ItemBase):
    """Something that was made and is worth opening."""

    kind: Literal["artifact"] = "artifact"
    artifact_id: str
    type: ArtifactType = "other"
    type_name: str = ""
    """For people, e.g. ``CSV``."""
    name: str
    path: str = ""
    """Relative to the session's folder where it lies inside it."""
    preview_url: str = ""
    """Filled in; empty where there is no preview."""
    download_url: str = ""
    mime_type: str = ""
    size_bytes: int | None = None
    size: str = ""
    """For people, e.g. ``4.1 kB``."""


class FileWriteItem(ItemBase):
    """A file that was written."""

    kind: Literal["file_write"] = "file_write"
    path: str
    title: str
    """E.g. ``Created``."""
    size_bytes: int | None = None
    size: str = ""
    """For people."""


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
