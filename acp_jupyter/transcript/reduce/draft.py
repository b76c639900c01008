"""The draft: a transcript while one packet changes it, and the events that say how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from acp_jupyter.transcript.model.events import (
    Event,
    ItemAdded,
    ItemClosed,
    ItemReplaced,
    SessionChanged,
    TextAppended,
    TextChanged,
    TextField,
    TurnEnded,
    TurnStarted,
)
from acp_jupyter.transcript.model.item_base import MAX_CHARS, Text, fitted, index_of
from acp_jupyter.transcript.model.items import AgentMessage, Item, Thought
from acp_jupyter.transcript.model.packed import NEWEST, under_way
from acp_jupyter.transcript.model.persistent import Map
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.model.state import OpenItem, Transcript, TranscriptFields
from acp_jupyter.transcript.model.tool_items import ToolCall

_EVENT_CHARS = 500_000
"""The longest text of one event, which is encoded and packed in one step."""


_MAX_REPEATED = 1_000
"""Characters that are sent again where a text has changed, rather than only its end."""

_COMPARED_CHARS = 65_536
"""Characters to compare at a time."""

_MAX_RENEWABLE = 512
"""Most items that later packets can find again; beyond that, half of them are forgotten."""


class _Stamp(TypedDict):
    session_id: str
    seq: int


def _worth(renewable: tuple[tuple[str, str | None, str], str]) -> tuple[bool, int]:
    """Return the sort key for forgetting: messages, which are the most, are forgotten first."""
    (kind, _, _), item_id = renewable
    return kind not in {"agent_message", "thought"}, index_of(item_id)


def _parts(piece: str) -> Sequence[str]:
    """Split a piece of text into the texts of events."""
    if len(piece) <= _EVENT_CHARS:
        return (piece,) if piece else ()
    return [piece[at : at + _EVENT_CHARS] for at in range(0, len(piece), _EVENT_CHARS)]


def _shared_chars(one: str, other: str) -> int:
    """Return the length of the common prefix."""
    at, size = 0, _COMPARED_CHARS
    while size:
        piece = one[at : at + size]
        if len(piece) == size and other.startswith(piece, at):
            at += size
        else:
            size //= 2
    return at


def _without_controls(call: ToolCall) -> ToolCall:
    """Return the call; if it has ended completely, as one that can't be cancelled."""
    over = not call.is_open and not call.background
    if over and (call.can_cancel or call.cancelling):
        return call.model_copy(update={"can_cancel": False, "cancelling": False})
    return call


class Draft(TranscriptFields):
    """A transcript being changed by one packet, and the events that say how."""

    def __init__(self, base: Transcript, at: float) -> None:
        vars(self).update(vars(base))
        self._announced = base.session
        self.at = at
        self.events: list[Event] = []

    def done(self) -> tuple[Transcript, list[Event]]:
        """Return the new transcript and the events."""
        self.flush_session()
        transcript = Transcript.__new__(Transcript)
        fields = vars(transcript)
        fields.update(vars(self))
        for own in ("_announced", "at", "events"):
            del fields[own]
        return transcript, self.events

    def _stamp(self) -> _Stamp:
        self.seq += 1
        return {"session_id": self.session.session_id, "seq": self.seq}

    # -- items -----------------------------------------------------------

    def new_id(self) -> str:
        """Return the id of the next item: its place, so that a replay gives the same."""
        return f"i{len(self.items)}"

    def turn_id(self) -> str | None:
        """Return the turn that an update now belongs to."""
        if self.session.active_turn_id is not None:
            return self.session.active_turn_id
        done = (t for t in reversed(self.turn_order) if self.turns[t].status == "done")
        return next(done, None)

    def get(self, item_id: str) -> Item:
        """Return an item, without its growing text."""
        return self.items[index_of(item_id)]

    def get_call(self, item_id: str) -> ToolCall:
        """Return an item that is a tool call."""
        item = self.get(item_id)
        assert isinstance(item, ToolCall)
        return item

    def add(self, item: Item) -> None:
        """Add an item at the end."""
        index = len(self.items)
        item = _without_controls(item) if isinstance(item, ToolCall) else item
        self._spill_call(index - NEWEST)
        self.items = self.items.append(item)
        if item.turn_id is not None and item.turn_id not in self.turn_first:
            self.turn_first = self.turn_first.set(item.turn_id, index)
        if isinstance(item, ToolCall) and item.turn_id == self.session.active_turn_id:
            calls = self.turn_use.calls + 1
            self.turn_use = self.turn_use.model_copy(update={"calls": calls})
        if item.turn_id is not None:
            self.turn_last = self.turn_last.set(item.turn_id, index)
        self.events.append(ItemAdded(**self._stamp(), index=index, item=item))

    def add_renewable(self, item: Item, name: str) -> None:
        """Add an item that a later packet may find again, by its kind, turn and name."""
        renewable = self.renewable.set((item.kind, item.turn_id, name), item.id)
        if len(renewable) > _MAX_RENEWABLE:
            kept = sorted(renewable.items(), key=_worth)[-_MAX_RENEWABLE // 2 :]
            renewable = Map.of(dict(kept))
        self.renewable = renewable
        self.add(item)

    def forget_renewable(self) -> None:
        """Forget renewable items, except the last turn's: its artifacts may be reported late."""
        last = self.turn_id()
        kept = {key: item_id for key, item_id in self.renewable.items() if key[1] == last}
        self.renewable = Map.of(kept)

    def known(self, kind: str, turn_id: str | None, name: str) -> Item | None:
        """Return the item that `add_renewable` added under this name."""
        item_id = self.renewable.get((kind, turn_id, name))
        return None if item_id is None else self.get(item_id)

    def replace(self, item: Item) -> None:
        """Replace the item with this id by a changed one."""
        index = index_of(item.id)
        old = self.items[index]
        if isinstance(old, ToolCall) and isinstance(item, ToolCall):
            if old.awaits_permission and item.awaits_permission:
                item = item.as_requested(old)
            item = _without_controls(item)
        if old == item:
            return
        self._set_item(index, item)
        self.events.append(ItemReplaced(**self._stamp(), item=self.filled(item)))

    def _set_item(self, index: int, item: Item) -> None:
        text = self.items.text_at(index)
        if text is not None and item.id not in self.texts:
            self.texts = self.texts.set(item.id, text)  # it was on the shelf with the item
        self.items = self.items.set(index, item)
        if self.items.is_spilled(index) and isinstance(item, ToolCall):
            self.calls = self.calls.spill(item.tool_call_id)

    def _spill_call(self, index: int) -> None:
        """Pack the facts of a tool call, now that its item is packed."""
        item = self.items.as_held(index) if index >= 0 else None
        if isinstance(item, ToolCall) and not under_way(item):
            self.calls = self.calls.spill(item.tool_call_id)

    def append_text(self, item_id: str, field: TextField, piece: str) -> None:
        """Append to an item's growing field; text beyond the limit is only in the log."""
        text = self.text_of(item_id) or Text()
        piece = fitted(piece, MAX_CHARS - text.length)
        for part in _parts(piece):
            self.seq += 1
            self.events.append(
                TextAppended(
                    session_id=self.session.session_id,
                    seq=self.seq,
                    item_id=item_id,
                    field=field,
                    offset=text.length,
                    text=part,
                )
            )
            text = text.append(part)
            self._freeze_text(item_id, text)

    def set_text(self, item_id: str, field: TextField, whole: str) -> None:
        """Set a growing field; one that extends the old is an append."""
        whole = fitted(whole, MAX_CHARS)
        old = str(self.text_of(item_id) or "")
        if whole.startswith(old):
            self.append_text(item_id, field, whole[len(old) :])
            return
        shared = _shared_chars(old, whole)
        if shared > _MAX_REPEATED:
            self._change_end(item_id, field, whole, shared)
            return
        self._freeze_text(item_id, Text().append(whole))
        item = self.get(item_id)
        self.events.append(ItemReplaced(**self._stamp(), item=self.filled(item)))

    def _change_end(self, item_id: str, field: TextField, whole: str, shared: int) -> None:
        """Announce only the change behind the common prefix of both texts."""
        text = Text().append(whole[:shared])
        first = whole[shared : shared + _EVENT_CHARS]
        self.events.append(
            TextChanged(
                **self._stamp(), item_id=item_id, field=field, offset=text.length, text=first
            )
        )
        self._freeze_text(item_id, text.append(first))
        self.append_text(item_id, field, whole[shared + len(first) :])

    def _freeze_text(self, item_id: str, text: Text) -> None:
        """Freeze the growing text when another begins; mostly only one grows at a time."""
        if self.growing is not None and self.growing[0] != item_id:
            self.texts = self.texts.set(self.growing[0], self.growing[1].frozen())
        self.growing = (item_id, text)

    def parent(self, parent_id: str) -> str:
        """Return the id of the item of the tool call that started the subagent; empty if unknown.

        Only an earlier call of the same turn counts, so that parents never form a circle.
        """
        facts = self.calls.get(parent_id) if parent_id else None
        if facts is None or index_of(facts.item_id) >= len(self.items):
            return ""
        return facts.item_id if self.get(facts.item_id).turn_id == self.turn_id() else ""

    def opened(self, parent: str) -> OpenItem | None:
        """Return the message or thought that is being streamed, by the agent or a subagent."""
        return self.opened_by.get(parent) if parent else self.open

    def set_open(self, parent: str, opened: OpenItem) -> None:
        """Set the message or thought that the parent's next chunk may extend."""
        if not parent:
            self.open = opened
        elif self.opened_by.get(parent) is not opened:
            self.opened_by = self.opened_by.set(parent, opened)

    def close_open_item(self, parent: str = "") -> None:
        """End the message or thought that the agent, or a subagent, was streaming."""
        closing = self.opened(parent)
        if closing is None:
            return
        if parent:
            self.opened_by = self.opened_by.discard(parent)
        else:
            self.open = None
        self.close_item(closing.id)

    def close_open_items(self) -> None:
        """End the open messages and thoughts of the agent and of all subagents."""
        for parent in ("", *sorted(self.opened_by, key=index_of)):
            self.close_open_item(parent)

    def close_steps(self) -> None:
        """End all steps that are still open."""
        for item_id in sorted(self.steps.values(), key=index_of):
            self.close_item(item_id)
        self.steps = Map()

    def close_item(self, item_id: str) -> None:
        """End a message or thought."""
        item = self.get(item_id)
        if isinstance(item, AgentMessage) and item.open:
            closed: Item = item.model_copy(update={"open": False})
        elif isinstance(item, Thought) and item.open:
            closed = item.model_copy(update={"open": False, "ended_at": self.at})
        else:
            return
        str(self.text_of(item_id))  # joins its pieces, few or many
        self._set_item(index_of(item.id), closed)
        self.events.append(ItemClosed(**self._stamp(), item_id=item.id, at=self.at))

    # -- session and turns -----------------------------------------------

    def change_session(self, **changes: object) -> None:
        """Change fields of the session's state; announced once per packet."""
        self.session = self.session.model_copy(update=changes)

    def set_turn(self, turn: TurnState) -> None:
        """Store a turn without an event."""
        self.turns = self.turns.set(turn.turn_id, turn)

    def announce_started(self, turn: TurnState) -> None:
        """Store and announce a turn that is not done: queued, running or waiting for an answer."""
        self.set_turn(turn)
        self.events.append(TurnStarted(**self._stamp(), turn=turn))

    def announce_ended(self, turn: TurnState) -> None:
        """Store and announce a turn that is done."""
        self.set_turn(turn)
        self.flush_session()
        self.events.append(TurnEnded(**self._stamp(), turn=turn))

    def count_time(self, *, works: bool) -> None:
        """Count the time that the running turn worked; ``works`` says whether it does from now."""
        if self.working_since is not None:
            seconds = self.turn_use.seconds + max(0.0, self.at - self.working_since)
            self.turn_use = self.turn_use.model_copy(update={"seconds": seconds})
        self.working_since = self.at if works else None

    def flush_session(self) -> None:
        """Announce the session's state now, before the events that follow."""
        if self.session is not self._announced:
            self._announced = self.session
            self.events.append(SessionChanged(**self._stamp(), session=self.session))


def count_pending_requests(draft: Draft) -> None:
    """Update the status of the session and its turn: running, or waiting for answers."""
    waiting = len(draft.request_items)
    status = draft.session.status
    if draft.session.active_turn_id is not None:
        status = "requires_action" if waiting else "running"
        turn = draft.turns[draft.session.active_turn_id]
        if turn.status != status:
            draft.count_time(works=not waiting)
            draft.announce_started(turn.model_copy(update={"status": status}))
    draft.change_session(waiting=waiting, status=status)
