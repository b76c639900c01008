"""Commands about turns: sent, queued, stopped and read; their results."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.protocol.host_events.permissions import Policy
from acp_jupyter.protocol.objects import Model
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.output.bundle import Bundle


class EditQueued(Model):
    """Change a prompt before it is sent; new text keeps what is attached."""

    name: Literal["edit_queued"] = "edit_queued"
    turn_id: str
    prompt: str | tuple[dict[str, JsonValue], ...]
    """Text, or ACP content blocks."""


class SendNow(Model):
    """Stop the running turn, and send a prompt that waits before the others."""

    name: Literal["send_now"] = "send_now"
    turn_id: str


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


class PromptSession(Model):
    """Send a prompt; it waits behind a running turn. ACP: session/prompt."""

    name: Literal["prompt"] = "prompt"
    session_id: str
    prompt: str | tuple[dict[str, JsonValue], ...]
    """Text, or ACP content blocks."""
    policy: Policy | None = None
    origin: Origin | None = None
    can_ask: bool = True
    """False where nobody sits at the caller (nbclient, papermill)."""
    allow: tuple[str, ...] = Field(default=(), max_length=100)
    """Rules for this turn, e.g. ``execute:git status *``."""
    deny: tuple[str, ...] = Field(default=(), max_length=100)
    """The same; what they match is rejected, whatever else allows it."""


class Cancel(Model):
    """Stop a turn, running or queued; without ``turn_id`` the running one."""

    name: Literal["cancel"] = "cancel"
    session_id: str
    turn_id: str | None = None


class GetItems(Model):
    """Items by index, for what lies before the snapshot's window."""

    name: Literal["get_items"] = "get_items"
    session_id: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class GetTurn(Model):
    """A turn with its items; waits for its end at most ``wait_seconds``.

    A very long one is told in parts.
    """

    name: Literal["get_turn"] = "get_turn"
    turn_id: str
    wait_seconds: float = Field(default=0, ge=0, le=30)
    start: int | None = Field(default=None, ge=0)
    """For the next part: what the one before calls ``more``."""


class AttachTurn(Model):
    """Ask whether a cell's output is that of this turn's own cell.

    Only then does a view draw live state and controls for it.
    """

    name: Literal["attach_turn"] = "attach_turn"
    turn_id: str
    notebook_path: str
    cell_id: str


class GetRecords(Model):
    """The turns of a notebook, as output bundles keyed by cell."""

    name: Literal["get_records"] = "get_records"
    notebook_path: str
