"""The tool call item with its diffs, content blocks, permission request and terminal.

`CallFacts` is what an agent has sent about a tool call so far: null keeps a field, a value replaces
the whole field.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import JsonValue

from acp_jupyter.protocol.content import BlockType, ToolDiff
from acp_jupyter.protocol.host_events.session import EndedBy, Wall
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.packets import Location, ToolCallProgress, ToolCallStart
from acp_jupyter.protocol.tools.inputs import TodoItem
from acp_jupyter.protocol.tools.outputs import Diagnostic, SearchHit
from acp_jupyter.protocol.vocabulary import AcpKind, ToolStatus, UiKind
from acp_jupyter.protocol.vocabulary import AcpKind as ToolKind
from acp_jupyter.transcript.model.item_base import StepBase, Text


class TerminalView(Model):
    """ACP: a terminal, of the client or of the agent. Its text is the call's output."""

    terminal_id: str
    command: str = ""
    """As typed in a shell."""
    cwd: str = ""
    """Relative to the session's folder if it is inside."""
    running: bool = True
    exit_code: int | None = None
    signal: str = ""
    """Name of the signal that ended it."""
    by: EndedBy = ""
    """Who ended it; empty if it ended by itself."""
    released: bool = False
    """Whether the agent no longer needs it."""
    own: bool = False
    """Whether the host runs it, and so can stop it."""
    by_user: bool = False
    """Whether it runs for the user, who was asked, and not for the agent."""
    truncated: bool = False
    """Whether there was more output than is shown."""
    can_cancel: bool = False
    """Whether the agent runs it and ends it when the client asks."""


@dataclass(frozen=True, slots=True)
class KnownTerminal:
    """The state of a terminal, by its id."""

    view: TerminalView
    items: tuple[str, ...] = ()
    """Item ids of the cards that show it."""
    waiting: Text = field(default_factory=Text)
    """Its output until a card shows it."""
    has_own_card: bool = False
    """Whether its card was made for it, because no tool call had named it."""


PermissionState = Literal["pending", "allowed", "rejected", "answered", "cancelled", "expired"]


class ContentBlockItem(StepBase):
    """A content block that is not text: image, audio, resource, resource link."""

    kind: Literal["content_block"] = "content_block"
    type: Literal[BlockType, "other"]
    data: str = ""
    """Base64 of images and audio."""
    mime_type: str = ""
    uri: str = ""
    name: str = ""
    text: str = ""
    size: int | None = None


class PermissionOption(Model):
    """An option that the agent offers."""

    option_id: str
    name: str
    option_kind: str
    """In the agent's spelling; unknown kinds are plain buttons."""


class Detail(Model):
    """A field of a tool's input that the card does not show elsewhere."""

    name: str
    value: str


class WiderRule(Model):
    """A rule that allows more than this one request."""

    text: str
    """As written in a command, e.g. ``edit:src/**``."""
    words: str
    """E.g. ``Files in src``."""


class Permission(Model):
    """A permission request, as part of its tool call."""

    request_id: str
    """The id for answers; unique in its session."""
    state: PermissionState = "pending"
    title: str
    """Title with the agent's name, e.g. ``Demo wants to edit a file``."""
    reason: str = ""
    folder: str = ""
    """Where a command would run; empty for the session's folder."""
    details: tuple[Detail, ...] = ()
    """Everything else that the agent sent."""
    cautions: tuple[str, ...] = ()
    """What the host found out about the files, e.g. that one is protected, and why."""
    text_differs: bool = False
    """Whether a file differs from the text that the agent says it replaces: lines shown as
    unchanged may then be new."""
    too_large: bool = False
    """Whether the agent sent more than can be shown: such a request can't be allowed."""
    options: tuple[PermissionOption, ...] = ()
    chosen: str = ""
    """Name of the chosen option."""
    outcome: str = ""
    """The outcome, as text."""
    without_user: bool = False
    """Whether a policy, a rule or the agent's own settings answered, so that no user was asked."""
    answered_by: str = ""
    """The user who answered, if several can; never saved in a notebook."""
    rule: str = ""
    """The rule for remembering the answer, e.g. ``execute:git status``; empty for none."""
    wider_rules: tuple[WiderRule, ...] = ()
    """Other rules that may be remembered, while the request is open."""
    asked_at: float | None = None


class Diff(Model):
    """One file change as the agent reported it."""

    path: str
    old_text: str | None = None
    """Null for a new file."""
    new_text: str = ""
    is_new_file: bool = False
    added: int | None = None
    """Lines added; null if the file is too large to compare here."""
    removed: int | None = None
    old_line: int | None = 1
    """Line of the file at which the texts begin; null for a part at an unknown position."""
    new_line: int | None = 1


class ToolCall(StepBase):
    """A tool call, merged from all messages with its id."""

    kind: Literal["tool_call"] = "tool_call"
    tool_call_id: str
    tool_kind: ToolKind = "other"
    """The protocol's ten kinds."""
    ui_kind: UiKind = "other"
    """Kind for views, coarser than the protocol's."""
    tool_name: str = ""
    """In the agent's spelling."""
    subagent_type: str = ""
    """Type of the subagent that did it, e.g. ``Explore``."""
    title: str
    """Display title, e.g. ``Editing file``."""
    description: str = ""
    """Display description, e.g. a path or what a command is for."""
    status: ToolStatus = "pending"
    command: str = ""
    path: str = ""
    locations: tuple[Location, ...] = ()
    """A location without a line is the beginning of the file."""
    is_new_file: bool | None = None
    """Null if unknown."""
    output: str = ""
    """Output as text, without wrappers and line numbers; grows by ``text_appended``."""
    first_line: int | None = None
    """Number of the output's first line, if it was numbered."""
    exit_code: int | None = None
    truncated: bool = False
    """Whether the tool says that its output is incomplete."""
    files: tuple[str, ...] | None = None
    """Files that a search found, relative; empty when it found nothing."""
    hits: tuple[SearchHit, ...] | None = None
    """The lines of those files that it found; null for a search for files."""
    remarks: tuple[str, ...] = ()
    """Remarks of a search, e.g. ``No files found``."""
    count: int | None = None
    """How many files a search found; ``files`` or ``hits`` may have fewer."""
    todos: tuple[TodoItem, ...] | None = None
    """The whole list of todos; such a call is drawn as that list."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Diagnostics of a language server after a write."""
    progress: float | None = None
    """From 0 to 1."""
    message: str = ""
    """What the tool is doing right now."""
    diffs: tuple[Diff, ...] = ()
    blocks: tuple[ContentBlockItem, ...] = ()
    raw_input: JsonValue = None
    raw_output: JsonValue = None
    permission: Permission | None = None
    terminal: TerminalView | None = None
    """The newest terminal that it shows, whose output is the call's ``output``."""
    wall: Wall | None = None
    """The wall of the sandbox that it failed at."""
    background: bool = False
    """Whether it, or its terminal, runs in the background, as far as the agent has said."""
    subagent_session_id: str = ""
    """The child session that does the work; empty for any other call."""
    can_cancel: bool = False
    """Whether the agent can cancel it alone; only while it is open."""
    cancelling: bool = False
    """Whether it was asked to cancel, and has neither refused nor done so."""
    started_at: float | None = None
    ended_at: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is still running."""
        return self.status in {"pending", "in_progress"}

    @property
    def cancels_terminal(self) -> bool:
        """Whether its terminal is what can be cancelled."""
        terminal = self.terminal
        return terminal is not None and terminal.running and terminal.can_cancel

    @property
    def awaits_permission(self) -> bool:
        """Whether its permission request waits for an answer."""
        return self.permission is not None and self.permission.state == "pending"

    def as_requested(self, requested: ToolCall) -> ToolCall:
        """Return the call with the fields of its request, which then stay fixed."""
        if self.permission is None or self.permission.request_id != requested.request_id:
            return self
        return self.model_copy(
            update={name: getattr(requested, name) for name in _REQUESTED_FIELDS}
        )

    @property
    def request_id(self) -> str:
        """Id of its permission request; empty if it has none."""
        return "" if self.permission is None else self.permission.request_id


_REQUESTED_FIELDS = (
    "tool_kind",
    "tool_name",
    "title",
    "description",
    "command",
    "path",
    "locations",
    "is_new_file",
    "diffs",
    "blocks",
    "raw_input",
)


@dataclass(frozen=True, slots=True)
class CallFacts:
    """The newest value of every field that an agent sent."""

    item_id: str
    title: str = ""
    tool_name: str = "unknown"
    name: str = ""
    acp_kind: AcpKind | None = None
    parent_id: str = ""
    has_content: bool = False
    diffs: tuple[ToolDiff, ...] = ()
    """The terminal in the newest content; its text is the item's output."""
    locations: tuple[Location, ...] = ()
    raw_input: JsonValue = None
    raw_output: JsonValue = None
    is_cut: bool = False
    """Whether the agent sent more than was read."""

    def reads_like(self, other: CallFacts) -> bool:
        """Return whether both give the same texts: everything but the output is equal."""
        if self is other:
            return True
        as_other = replace(self, raw_output=other.raw_output, has_content=other.has_content)
        return not self.diffs and as_other == other

    def joined(self, packet: ToolCallStart | ToolCallProgress) -> CallFacts:
        """Merge a packet: null keeps a field, a value replaces it."""
        changes: dict[str, object] = {}
        if packet.title is not None and packet.title != self.title:
            changes["title"] = packet.title
        if packet.tool_name not in {"unknown", self.tool_name}:
            changes["tool_name"] = packet.tool_name
        name = packet.name or self.name or _title_as_name(packet.title)
        if name != self.name:
            changes["name"] = name
        if packet.acp_kind is not None and packet.acp_kind != self.acp_kind:
            changes["acp_kind"] = packet.acp_kind
        if packet.parent_id:
            changes["parent_id"] = packet.parent_id
        if packet.content is not None:
            changes |= self._content(packet)
        if "locations" in packet.model_fields_set and packet.locations != self.locations:
            changes["locations"] = packet.locations
        if packet.raw_input is not None and packet.raw_input != self.raw_input:
            changes["raw_input"] = packet.raw_input
        newest = {"raw_output": packet.raw_output, "is_cut": packet.is_cut}
        changes |= {name: value for name, value in newest.items() if value is not None}
        return replace(self, **changes) if changes else self  # type: ignore[arg-type]

    def _content(self, packet: ToolCallStart | ToolCallProgress) -> dict[str, object]:
        diffs = tuple(item for item in packet.content or () if isinstance(item, ToolDiff))
        if self.has_content and diffs == self.diffs:
            return {}
        return {"has_content": True, "diffs": diffs}


def _title_as_name(title: str | None) -> str:
    """Return a first title that is a tool's name; later titles describe results."""
    return title if title and title.isidentifier() else ""
