"""Commands about turns, their changes and their requests; their results.

Answers to permission requests and elicitations, also by rules and trusted folders.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field, JsonValue, model_validator

from acp_jupyter.api.models.command_row import BaseCommand
from acp_jupyter.cells.context import CellContext
from acp_jupyter.protocol.host_events.notes import Origin, StopCause
from acp_jupyter.protocol.host_events.session import ChangedFile, FileHunks, Policy, Rule, Sandbox
from acp_jupyter.protocol.objects import Model
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import Diff
from acp_jupyter.transcript.output.bundle import Bundle


class EditQueued(BaseCommand):
    """Edit a queued prompt; new text keeps the attachments."""

    name: Literal["edit_queued"] = "edit_queued"
    turn_id: str
    prompt: str | tuple[dict[str, JsonValue], ...]
    """Text, or ACP content blocks."""


class SendNow(BaseCommand):
    """Stop the running turn, and send a queued prompt before the others."""

    name: Literal["send_now"] = "send_now"
    turn_id: str


class Steer(BaseCommand):
    """Send a queued prompt into the running turn; it stays queued if the agent refuses it."""

    name: Literal["steer"] = "steer"
    turn_id: str
    """Id of the queued prompt's turn."""


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
    """Value of ``start`` for the next items; null if these are the last."""
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


class SavedOutput(Model):
    """One turn in the result of ``get_records``."""

    turn_id: str
    session_id: str
    cell_id: str
    source: str
    done: bool
    queued_at: float | None = None
    ended_at: float | None = None
    bundle: Bundle


class SavedOutputs(Model):
    """Result of ``get_records``."""

    outputs: tuple[SavedOutput, ...]
    number: int
    """Value of ``after`` that returns later changes, for the same ``epoch``."""
    epoch: str


class PromptSession(BaseCommand):
    """Send a prompt; it is queued behind a running turn. ACP: session/prompt."""

    name: Literal["prompt"] = "prompt"
    session_id: str
    prompt: str | tuple[dict[str, JsonValue], ...]
    """Text, or ACP content blocks."""
    policy: Policy | None = None
    sandbox: Sandbox | None = None
    origin: Origin | None = None
    can_ask: bool = True
    """False if no user is present (nbclient, papermill)."""
    allow: tuple[str, ...] = Field(default=(), max_length=100)
    """Rules that allow something in this turn, e.g. ``execute:git status *``."""
    deny: tuple[str, ...] = Field(default=(), max_length=100)
    """Rules that deny something in this turn; they take precedence over all others."""
    limit: str = Field(default="", max_length=200)
    """The most that the turn may use, e.g. ``10 min, 200k tokens, 30 calls, 2 USD``."""
    unpinned: tuple[str, ...] = Field(default=(), max_length=1000)
    """Ids of pinned cells that don't go along with this prompt."""


class Cancel(BaseCommand):
    """Stop a running or queued turn; without ``turn_id``, the running one."""

    name: Literal["cancel"] = "cancel"
    session_id: str
    turn_id: str | None = None
    reason: StopCause = "user"


class CancelToolCall(BaseCommand):
    """Cancel one tool call, or its terminal; a running turn continues.

    ACP: tool_call/cancel, terminal/cancel.
    """

    name: Literal["cancel_tool_call"] = "cancel_tool_call"
    session_id: str
    tool_call_id: str = Field(min_length=1, max_length=1000)


class RunOutside(BaseCommand):
    """Ask whether the command of a tool call that its sandbox stopped may run once.

    This makes a permission request of its own; after a yes the command runs at once.
    """

    name: Literal["run_outside"] = "run_outside"
    session_id: str
    tool_call_id: str = Field(min_length=1, max_length=1000)


class GetItems(BaseCommand):
    """Get items by index, to read those before the snapshot's window."""

    name: Literal["get_items"] = "get_items"
    session_id: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    turn_id: str = ""
    """A turn of this session: ``start`` and ``end`` then count from its first item."""


class GetCell(BaseCommand):
    """Get a cell of the session's notebook as a page shows it, e.g. for ``@cell 3`` in a prompt."""

    name: Literal["get_cell"] = "get_cell"
    session_id: str
    number: int = Field(ge=1)


class GetContext(BaseCommand):
    """Get what the user set for the cells of a notebook: what is pinned, what is left out."""

    name: Literal["get_context"] = "get_context"
    notebook_path: str = Field(default="", max_length=10_000)
    """For a kernel, its own notebook counts."""
    session_id: str = ""
    """A session of it, if one is open: what is pinned is as its next prompt has it."""


class RedactText(BaseCommand):
    """Replace secrets in a text that a page attaches to a prompt."""

    name: Literal["redact_text"] = "redact_text"
    session_id: str = ""
    """The session that gets it, if one is open: its agent's secrets are known."""
    text: str = Field(max_length=100_000)


class RedactedText(Model):
    """Result of ``redact_text``."""

    text: str


class CellPlace(Model):
    """A cell's place, without its content."""

    number: int
    """Counted from 1."""
    cell_id: str
    context: CellContext | None = None
    execution_count: int | None = None


class PinnedCell(Model):
    """A pinned cell, as it goes along with a prompt."""

    number: int
    cell_id: str
    block: dict[str, JsonValue]
    """An ACP content block, cut if the cell is long, without secrets."""


class NotebookContext(Model):
    """What the user set for the cells of a notebook."""

    cells: tuple[CellPlace, ...] = ()
    """All cells, in order; none if the notebook can't be read."""
    pinned: tuple[PinnedCell, ...] = ()
    """Those that go along."""
    too_many: int = 0
    """How many more are pinned, and don't go along."""


class GetTurn(BaseCommand):
    """Get a turn with its items; waits for its end up to ``wait_seconds``.

    A very long turn is returned in parts.
    """

    name: Literal["get_turn"] = "get_turn"
    turn_id: str
    wait_seconds: float = Field(default=0, ge=0, le=30)
    start: int | None = Field(default=None, ge=0)
    """For the next part: the last one's ``more``."""


class AttachTurn(BaseCommand):
    """Ask whether a cell's output belongs to this turn's own cell.

    Only then does a view show live state and controls for it.
    """

    name: Literal["attach_turn"] = "attach_turn"
    turn_id: str
    notebook_path: str
    cell_id: str


_RECORDS = 1000


class GetSavedOutputs(BaseCommand):
    """Get the turns of a notebook, as output bundles by cell."""

    name: Literal["get_records"] = "get_records"
    notebook_path: str
    turn_ids: tuple[str, ...] | None = Field(default=None, max_length=_RECORDS)
    """Which turns to include, also those without a cell; by default those of all its cells."""
    after: int | None = None
    """Only turns that have changed since: the ``number`` of an earlier result, with its epoch."""
    epoch: str = ""
    ended_after: float | None = None
    """Without ``after``: leave out turns that ended before this time, in seconds since the epoch.
    The notebook has their records."""
    unfinished: tuple[str, ...] = Field(default=(), max_length=_RECORDS)
    """Turns that are running according to the notebook; they are not left out."""


_PATHS = 100_000
MAX_HUNK_FILES = 200
_EARLIER = 1000


class GetChanges(BaseCommand):
    """Get what changed while a turn ran, with the author of each change, as of its end."""

    name: Literal["get_changes"] = "get_changes"
    turn_id: str
    path: str | None = None
    """Only this file."""
    earlier: tuple[str, ...] = Field(default=(), max_length=_EARLIER)
    """Earlier turns, oldest first: the file is compared with its state before them."""
    form: Literal["texts", "patch"] = "texts"
    """Each file's text before and after, or one patch for ``git apply``."""

    @model_validator(mode="after")
    def _one_file(self) -> GetChanges:
        if self.earlier and (self.path is None or self.form == "patch"):
            msg = "changes of several turns come as texts, one file at a time"
            raise ValueError(msg)
        return self


class ListChangingSessions(BaseCommand):
    """List the open sessions that have changed a file, whatever their notebooks."""

    name: Literal["list_changing_sessions"] = "list_changing_sessions"
    path: str
    """Path of the file, below the server's root."""


class ChangingSessions(Model):
    """Result of ``list_changing_sessions``."""

    session_ids: tuple[str, ...]
    """The ones that changed it last; the newest last."""


class RevertTurn(BaseCommand):
    """Revert what a turn changed, if nobody has changed it since; or undo that."""

    name: Literal["revert_turn"] = "revert_turn"
    turn_id: str
    paths: tuple[str, ...] | None = Field(default=None, max_length=_PATHS)
    """Which files; by default all."""
    hunks: tuple[FileHunks, ...] = Field(default=(), max_length=MAX_HUNK_FILES)
    """Parts of files instead of whole ones."""
    earlier: tuple[str, ...] = Field(default=(), max_length=_EARLIER)
    """Earlier turns, oldest first, whose changes to these files are reverted along with it."""
    undo: bool = False
    """Whether to undo a revert."""
    partial: bool = False
    """Whether to revert what is possible if some files were changed since."""
    authors: tuple[Literal["agent", "unknown"], ...] = ("agent",)
    """If no files are named: by whom the changes must be, the turn, nobody observed, or both."""
    in_document: bool = False
    """The user did it in an open document: nothing is written, it is only recorded."""

    @model_validator(mode="after")
    def _files_or_parts(self) -> RevertTurn:
        if self.hunks and self.paths is not None:
            msg = "send either paths or hunks"
            raise ValueError(msg)
        if self.earlier and not self.hunks and not self.paths:
            msg = "name the files that several turns changed"
            raise ValueError(msg)
        return self


class FileTexts(ChangedFile):
    """A changed file with its text."""

    old_text: str | None = None
    """Null for a new file, and for one that is not text or is too large."""
    new_text: str | None = None
    too_large: bool = False
    edited_cells: tuple[str, ...] = ()
    """Ids of a notebook's cells that others changed after a tool wrote them in this turn."""

    def diff(self) -> Diff:
        """Return the change as agents report theirs."""
        return Diff(
            path=self.path,
            old_text=self.old_text,
            new_text=self.new_text or "",
            is_new_file=self.change == "added",
            added=self.added,
            removed=self.removed,
        )


class ChangesReply(Model):
    """Result of ``get_changes``."""

    turn_id: str
    known: bool
    """Whether the folder has checkpoints; if not, ``files`` has only observed changes."""
    files: tuple[FileTexts, ...] = ()
    patch: str | None = None
    revertible: bool = False
    words: str = ""

    def diffs(self, reported: Iterable[Diff]) -> tuple[Diff, ...]:
        """Return the turn's own changes; of a file that was not stored, those that are reported."""
        told = tuple(reported)
        own = (file for file in self.files if file.is_turns)
        found = ((file, [d for d in told if file.unread and d.path == file.path]) for file in own)
        return tuple(diff for file, of_calls in found for diff in of_calls or [file.diff()])


class KeepVariant(BaseCommand):
    """Apply what a turn has changed in a copy to the folder that was copied, or remove it again.

    The turn is that of a variant, or of a session in the sandbox ``copy``; then what earlier turns
    have changed in the same files is kept with it, unless single ``hunks`` are named. All of it or
    nothing: it is refused where a file of a variant was changed since the copy was made, or, in
    that sandbox, where a person has changed the same place.
    """

    name: Literal["keep_variant"] = "keep_variant"
    turn_id: str
    paths: tuple[str, ...] | None = Field(default=None, max_length=1000)
    """Which files; default: all that can be kept."""
    hunks: tuple[FileHunks, ...] = Field(default=(), max_length=MAX_HUNK_FILES)
    """Parts of files, in place of whole ones."""
    undo: bool = False

    @model_validator(mode="after")
    def _files_or_parts(self) -> KeepVariant:
        if self.hunks and self.paths is not None:
            msg = "send either paths or hunks"
            raise ValueError(msg)
        return self


class RevertReply(Model):
    """Result of ``revert_turn``."""

    turn_id: str
    paths: tuple[str, ...]
    """Files that now are as they were before the turn, or after it if this was an Undo."""
    refused: dict[str, str] = Field(default_factory=dict)
    """Files that were left alone, and why: with ``partial``, and links of a variant that lead out
    of the folder."""


class ListRules(BaseCommand):
    """List the remembered rules, of one session and its folder or of all."""

    name: Literal["list_rules"] = "list_rules"
    session_id: str = ""


class RevokeRule(BaseCommand):
    """Remove a rule."""

    name: Literal["revoke_rule"] = "revoke_rule"
    rule_id: str = Field(min_length=1, max_length=100)


class TrustFolder(BaseCommand):
    """Trust a folder, or answer a session's question about its own."""

    name: Literal["trust_folder"] = "trust_folder"
    folder: str = Field(default="", max_length=4000)
    """Absolute, or relative to the server's root."""
    session_id: str = ""
    request_id: str = ""
    trust: bool = True
    """False declines a session's question, and does nothing else."""

    @model_validator(mode="after")
    def _one_of_both(self) -> TrustFolder:
        if bool(self.folder) == bool(self.session_id and self.request_id):
            msg = "send either folder, or session_id with request_id"
            raise ValueError(msg)
        return self


class ListTrust(BaseCommand):
    """List the trusted folders."""

    name: Literal["list_trust"] = "list_trust"


class RevokeTrust(BaseCommand):
    """Stop trusting a folder. Running agents continue."""

    name: Literal["revoke_trust"] = "revoke_trust"
    folder: str = Field(min_length=1, max_length=4000)


class RuleEntry(Model):
    """A remembered rule, and its scope."""

    rule: Rule
    text: str
    """As written in a command, e.g. ``execute:git status *``."""
    session_id: str = ""
    """The session of a session's rule."""
    folder: str = ""
    """The folder of a folder's rule."""


class AnswerElicitation(BaseCommand):
    """Answer a question of the agent, once. ACP: elicitation/create."""

    name: Literal["answer_elicitation"] = "answer_elicitation"
    session_id: str
    request_id: str
    action: Literal["accept", "decline", "cancel"]
    content: dict[str, JsonValue] = Field(default_factory=dict)
    """Values of an accepted form, by field name."""


class AnswerPermission(BaseCommand):
    """Answer a permission request, once. ACP: session/request_permission."""

    name: Literal["answer_permission"] = "answer_permission"
    session_id: str
    request_id: str
    option_id: str | None = None
    outcome: Literal["cancelled"] | None = None
    remember: Literal["session", "workspace"] | None = None
    """Remember the answer, as the request's ``rule`` says."""
    wider_rule: str = Field(default="", max_length=1100)
    """Remember this one of the request's ``wider_rules`` instead."""
    reason: str = Field(default="", max_length=4000)
    """Why it is rejected; sent to the agent as the next message."""

    @model_validator(mode="after")
    def _exactly_one(self) -> AnswerPermission:
        if (self.option_id is None) == (self.outcome is None):
            msg = "send either option_id or outcome"
            raise ValueError(msg)
        return self
