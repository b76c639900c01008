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
from acp_jupyter.packets.made_models import ArtifactType
from acp_jupyter.packets.models import Location
from acp_jupyter.packets.search_hits import SearchHit
from acp_jupyter.packets.tool_inputs import TodoItem
from acp_jupyter.packets.tool_outputs import Diagnostic
from acp_jupyter.packets.vocabulary import AcpKind as ToolKind
from acp_jupyter.packets.vocabulary import Priority, StepStatus, ToolStatus, UiKind
from acp_jupyter.transcript.elicitation_items import Elicitation
from acp_jupyter.transcript.terminal_items import TerminalView
from acp_jupyter.transcript.trust_items import TrustRequest

__all__ = [
    "AgentMessage",
    "Artifact",
    "Attachment",
    "ContentBlockItem",
    "Diagnostic",
    "Diff",
    "Elicitation",
    "ErrorItem",
    "FileWriteItem",
    "Item",
    "Location",
    "Notice",
    "Permission",
    "PermissionOption",
    "PermissionState",
    "Plan",
    "PlanEntry",
    "SearchHit",
    "TerminalView",
    "Thought",
    "TodoItem",
    "ToolCall",
    "ToolKind",
    "ToolStatus",
    "TrustRequest",
    "TurnEnd",
    "UiKind",
    "UserMessage",
]

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
    """Reasoning of the agent, Markdown; or a named step (S3.4)."""

    kind: Literal["thought"] = "thought"
    title: str = ""
    """Of a step."""
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
    rule: str = ""
    """What remembering the answer would cover, e.g. ``execute:git status``; empty for nothing."""
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
    """As the agent spells it."""
    subagent_type: str = ""
    """S1.18: whose work it is, e.g. ``Explore``."""
    title: str
    """Display title, e.g. ``Editing file``."""
    description: str = ""
    """Display description, e.g. a path or what a command is for."""
    status: ToolStatus = "pending"
    command: str = ""
    path: str = ""
    locations: tuple[Location, ...] = ()
    """S1.36; a location without a line is the file's top."""
    is_new_file: bool | None = None
    """S5.42; null where nothing says so."""
    output: str = ""
    """Text output, without wrappers and line numbers; grows by ``text_appended``."""
    first_line: int | None = None
    """Number of the output's first line, where it was numbered (S1.23)."""
    exit_code: int | None = None
    truncated: bool = False
    """Whether the tool says that its output is not all (S1.20)."""
    files: tuple[str, ...] | None = None
    """What a search found (S1.20), relative; empty when it found nothing (S1.21)."""
    hits: tuple[SearchHit, ...] | None = None
    """The lines of those files that it found; null for a search for files."""
    remarks: tuple[str, ...] = ()
    """What a search says beside, e.g. ``No files found``."""
    count: int | None = None
    """How many a search found, of which ``files`` or ``hits`` may be a part."""
    todos: tuple[TodoItem, ...] | None = None
    """S5.32, S5.33: the list, replaced whole; such a call is drawn as that list."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """S1.25."""
    progress: float | None = None
    """From 0 to 1 (S3.10)."""
    message: str = ""
    """What is being done right now (S3.10)."""
    diffs: tuple[Diff, ...] = ()
    blocks: tuple[ContentBlockItem, ...] = ()
    raw_input: JsonValue = None
    raw_output: JsonValue = None
    permission: Permission | None = None
    terminal: TerminalView | None = None
    """The newest terminal that it shows; what that puts out is the call's ``output``."""
    started_at: float | None = None
    ended_at: float | None = None


class PlanEntry(Model):
    """One step of a plan."""

    content: str
    priority: Priority = "medium"
    status: StepStatus = "pending"


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
    detail: str = ""
    """Lines for those who open it."""


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
    summary: str = ""
    """S3.18: what the agent says it did."""
    duration_seconds: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


class Artifact(_Item):
    """Something that was made and is worth opening (S1.41, S3.23, C28)."""

    kind: Literal["artifact"] = "artifact"
    artifact_id: str
    type: ArtifactType = "other"
    type_name: str = ""
    """For people, e.g. ``CSV`` (S3.24)."""
    name: str
    path: str = ""
    """Relative to the session's folder where it lies inside it."""
    preview_url: str = ""
    """S3.25: filled in; empty where there is no preview."""
    download_url: str = ""
    mime_type: str = ""
    size_bytes: int | None = None
    size: str = ""
    """For people, e.g. ``4.1 kB``."""


class FileWriteItem(_Item):
    """A file that was written (S3.22)."""

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
