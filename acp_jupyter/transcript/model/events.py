"""The events that tell a view what has changed in a transcript."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from acp_jupyter.protocol.objects import Model
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import ToolCall

TextField = Literal["text", "output"]


class _Event(Model):
    session_id: str
    seq: int
    """Increases by at least one; a merged event has the last number."""


class Snapshot(_Event):
    """A window into the session: its newest items."""

    kind: Literal["snapshot"] = "snapshot"
    epoch: str
    """Identifies one run of the server; ``seq`` is only comparable within it."""
    session: SessionState
    turns: tuple[TurnState, ...]
    items: tuple[Item, ...]
    first_index: int
    """Index of the first of ``items`` in the whole transcript."""
    total: int


class ItemAdded(_Event):
    """A new item at the end."""

    kind: Literal["item_added"] = "item_added"
    index: int
    item: Item


class TextAppended(_Event):
    """More text for one field. ``offset`` is in UTF-16 code units, as in JavaScript."""

    kind: Literal["text_appended"] = "text_appended"
    item_id: str
    field: TextField
    offset: int
    text: str


class TextChanged(_Event):
    """One field's text is replaced by ``text``, from ``offset`` to its end."""

    kind: Literal["text_changed"] = "text_changed"
    item_id: str
    field: TextField
    offset: int
    text: str


class ItemClosed(_Event):
    """A message or thought is complete. Its text is not sent again."""

    kind: Literal["item_closed"] = "item_closed"
    item_id: str
    at: float


class ItemReplaced(_Event):
    """An item has changed in any other way."""

    kind: Literal["item_replaced"] = "item_replaced"
    item: Item


class SessionChanged(_Event):
    """The session's state has changed."""

    kind: Literal["session_changed"] = "session_changed"
    session: SessionState


class TurnStarted(_Event):
    """A turn was queued, started, waits for an answer, or continues after one."""

    kind: Literal["turn_started"] = "turn_started"
    turn: TurnState


class TurnEnded(_Event):
    """A turn is done."""

    kind: Literal["turn_ended"] = "turn_ended"
    turn: TurnState


Event = TypeAliasType(
    "Event",
    Annotated[
        Snapshot
        | ItemAdded
        | TextAppended
        | TextChanged
        | ItemClosed
        | ItemReplaced
        | SessionChanged
        | TurnStarted
        | TurnEnded,
        Field(discriminator="kind"),
    ],
)


def event_chars(event: Event) -> int:
    """Return the approximate size of an event's values, without field names."""
    match event:
        case TextAppended() | TextChanged():
            return len(event.text)
        case ItemAdded() | ItemReplaced():
            return item_chars(event.item)
        case _:
            return 0


def item_chars(item: Item) -> int:
    """Return the approximate size of an item's values, without field names."""
    own = sum(len(getattr(item, name, "")) for name in ("text", "output", "data"))
    diffs = item.diffs if isinstance(item, ToolCall) else ()
    return own + sum(len(each.old_text or "") + len(each.new_text) for each in diffs)
