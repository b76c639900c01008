"""The items of a transcript, ready to draw.

A view never interprets ACP: titles, descriptions, commands, paths and words
are decided here once, for live views, saved records and exports alike.
Times are seconds since the epoch. Paths are relative to the session's folder
where they lie inside it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue
from typing_extensions import TypeAliasType

from acp_jupyter.packets.base import Model
from acp_jupyter.packets.tools import AcpKind as ToolKind
from acp_jupyter.packets.tools import UiKind

__all__ = [
    "AgentMessage",
    "Attachment",
    "ContentBlockItem",
    "Diff",
    "ErrorItem",
    "Item",
    "Notice",
    "Permission",
    "PermissionOption",
    "PermissionState",
    "Plan",
    "PlanEntry",
    "Thought",
    "ToolCall",
    "ToolKind",
    "ToolStatus",
    "TurnEnd",
    "UiKind",
    "UserMessage",
]

ToolStatus = Literal["pending", "in_progress", "completed", "failed", "cancelled"]
PermissionState = Literal["pending", "allowed", "rejected", "answered", "cancelled", "expired"]


class _Item(Model):
    id: str
    """Unique in its session."""
    turn_id: str | None = None
    """The prompt turn it belongs to; null for what came between turns."""


class Attachment(Model):
    """What a prompt carried beside its text."""

    type: Literal["image", "audio", "resource_link", "resource"]
    name: str
    uri: str = ""
    mime_type: str = ""


class UserMessage(_Item):
    """A prompt, as it was sent."""

    kind: Literal["user_message"] = "user_message"
    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    at: float | None = None


class AgentMessage(_Item):
    """Text of the agent, Markdown."""

    kind: Literal["agent_message"] = "agent_message"
    text: str = ""
    open: bool = True
    """Whether more text may follow."""


class Thought(_Item):
    """Reasoning of the agent, Markdown."""

    kind: Literal["thought"] = "thought"
    text: str = ""
    open: bool = True
    started_at: float | None = None
    ended_at: float | None = None


class ContentBlockItem(_Item):
    """A content block that is not text: image, audio, resource, resource link."""

    kind: Literal["content_block"] = "content_block"
    type: Literal["image", "audio", "resource_link", "resource", "other"]
    data: str = ""
    """Base64 of images and audio."""
    mime_type: str = ""
    uri: str = ""
    name: str = ""
    text: str = ""
    size: int | None = None


class PermissionOption(Model):
    """One answer that the agent offers."""

    option_id: str
    name: str
    option_kind: str
    """As the agent sent it; kinds that are not of the protocol are plain buttons."""


class Permission(Model):
    """A permission request, as a state of its tool call."""

    request_id: str
    """What an answer names; unique in its session."""
    state: PermissionState = "pending"
    title: str
    """Who wants what, e.g. ``Demo wants to edit a file``."""
    reason: str = ""
    options: tuple[PermissionOption, ...] = ()
    chosen: str = ""
    """Name of the chosen option."""
    outcome: str = ""
    """What became of it, in words."""
    asked_at: float | None = None


class Diff(Model):
    """One file change as the agent reported it."""

    path: str
    old_text: str | None = None
    """Null for a new file."""
    new_text: str = ""
    is_new_file: bool = False
    added: int | None = None
    """Lines added; null where the file is too large to compare here."""
    removed: int | None = None


class ToolCall(_Item):
    """A tool call, joined from everything that named its id."""

    kind: Literal["tool_call"] = "tool_call"
    tool_call_id: str
    tool_kind: ToolKind = "other"
    """The protocol's ten kinds."""
    ui_kind: UiKind = "other"
    """S5.6."""
    tool_name: str = ""
    title: str
    """Display title, e.g. ``Editing file``."""
    description: str = ""
    """Display description, e.g. a path or what a command is for."""
    status: ToolStatus = "pending"
    command: str = ""
    path: str = ""
    paths: tuple[str, ...] = ()
    line: int | None = None
    is_new_file: bool | None = None
    output: str = ""
    """Text output; grows by ``text_appended``."""
    exit_code: int | None = None
    diffs: tuple[Diff, ...] = ()
    blocks: tuple[ContentBlockItem, ...] = ()
    raw_input: JsonValue = None
    raw_output: JsonValue = None
    permission: Permission | None = None
    started_at: float | None = None
    ended_at: float | None = None


class PlanEntry(Model):
    """One step of a plan."""

    content: str
    priority: Literal["high", "medium", "low"] = "medium"
    status: Literal["pending", "in_progress", "completed"] = "pending"


class Plan(_Item):
    """The agent's plan; every update replaces it whole."""

    kind: Literal["plan"] = "plan"
    plan_id: str = ""
    entries: tuple[PlanEntry, ...] = ()
    text: str = ""
    """Plans that come as Markdown."""


class Notice(_Item):
    """Something worth a line that is no error."""

    kind: Literal["notice"] = "notice"
    severity: Literal["info", "warning", "error"] = "info"
    title: str = ""
    text: str = ""


class ErrorItem(_Item):
    """What went wrong, what it means, what to do."""

    kind: Literal["error"] = "error"
    message: str
    detail: str = ""
    """Further lines, e.g. the last of the agent's stderr."""
    reason: str = ""
    code: str = ""


class TurnEnd(_Item):
    """The end of a prompt turn."""

    kind: Literal["turn_end"] = "turn_end"
    stop_reason: str
    """ACP: stop reasons, or ``error``."""
    words: str = ""
    """Empty for an ordinary end."""
    duration_seconds: float | None = None


Item = TypeAliasType(
    "Item",
    Annotated[
        UserMessage
        | AgentMessage
        | Thought
        | ContentBlockItem
        | ToolCall
        | Plan
        | Notice
        | ErrorItem
        | TurnEnd,
        Field(discriminator="kind"),
    ],
)
