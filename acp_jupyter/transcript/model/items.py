"""The items of a transcript, ready to draw: messages, thoughts, plans, notices, errors, artifacts.

A view never interprets ACP: titles, descriptions, commands, paths and words are decided once, for
live views, saved outputs and exports alike. Times are seconds since the epoch. Paths are relative
to the session's folder where they lie inside it. Tool calls are in `tool_items`, questions to the
user in `question_items`; `Item` is the union of all.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from acp_jupyter.protocol.files import ArtifactType
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.vocabulary import Priority, StepStatus
from acp_jupyter.transcript.model.item_base import ItemBase, StepBase
from acp_jupyter.transcript.model.question_items import Elicitation, TrustRequest
from acp_jupyter.transcript.model.tool_items import ContentBlockItem, ToolCall


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
