"""One step of the reducer while it is being made."""

from __future__ import annotations

from typing import TypedDict

from pyrsistent import pmap

from acp_jupyter.transcript.events import (
    Event,
    ItemAdded,
    ItemClosed,
    ItemReplaced,
    SessionChanged,
    TextAppended,
    TextField,
    TurnEnded,
    TurnStarted,
    TurnState,
)
from acp_jupyter.transcript.items import AgentMessage, Item, Thought, ToolCall
from acp_jupyter.transcript.state import Transcript
from acp_jupyter.transcript.text import Text

__all__ = ["Draft"]


class _Stamp(TypedDict):
    session_id: str
    seq: int


class Draft:
    """A transcript being changed by one packet, and the events that say how."""

    def __init__(self, base: Transcript, at: float) -> None:
        self.at = at
        self.events: list[Event] = []
        self.seq = base.seq
        self.session = base.session
        self.items = base.items
        self.texts = base.texts
        self.index = base.index
        self.tool_items = base.tool_items
        self.calls = base.calls
        self.steps = base.steps
        self.request_items = base.request_items
        self.turns = base.turns
        self.turn_order = base.turn_order
        self.turn_first = base.turn_first
        self.open_item = base.open_item
        self.open_message_id = base.open_message_id
        self.stopping = base.stopping
        self.settled_by = base.settled_by
        self._announced = base.session

    def done(self) -> tuple[Transcript, list[Event]]:
        """Return the new transcript and the events."""
        self.flush_session()
        transcript = Transcript(
            session=self.session,
            seq=self.seq,
            items=self.items,
            texts=self.texts,
            index=self.index,
            tool_items=self.tool_items,
            calls=self.calls,
            steps=self.steps,
            request_items=self.request_items,
            turns=self.turns,
            turn_order=self.turn_order,
            turn_first=self.turn_first,
            open_item=self.open_item,
            open_message_id=self.open_message_id,
            stopping=self.stopping,
            settled_by=self.settled_by,
        )
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
        return self.items[self.index[item_id]]

    def add(self, item: Item) -> None:
        """Add an item at the end."""
        place = len(self.items)
        self.items = self.items.append(item)
        self.index = self.index.set(item.id, place)
        if item.turn_id is not None and item.turn_id not in self.turn_first:
            self.turn_first = self.turn_first.set(item.turn_id, place)
        self.events.append(ItemAdded(**self._stamp(), index=place, item=item))

    def replace(self, item: Item) -> None:
        """Put a changed item in the place of the one with its id."""
        place = self.index[item.id]
        if self.items[place] == item:
            return
        self.items = self.items.set(place, item)
        self.events.append(ItemReplaced(**self._stamp(), item=self._filled(item)))

    def append_text(self, item_id: str, field: TextField, piece: str) -> None:
        """Append to an item's growing field."""
        if not piece:
            return
        text = self.texts.get(item_id) or Text()
        self.events.append(
            TextAppended(
                **self._stamp(), item_id=item_id, field=field, offset=text.length, text=piece
            )
        )
        self.texts = self.texts.set(item_id, text.append(piece))

    def set_text(self, item_id: str, field: TextField, whole: str) -> None:
        """Set a growing field; one that extends the old is an append."""
        old = str(self.texts.get(item_id) or "")
        if whole.startswith(old):
            self.append_text(item_id, field, whole[len(old) :])
            return
        self.texts = self.texts.set(item_id, Text().append(whole))
        item = self.get(item_id)
        self.events.append(ItemReplaced(**self._stamp(), item=self._filled(item)))

    def _filled(self, item: Item) -> Item:
        text = self.texts.get(item.id)
        if text is None:
            return item
        name = "output" if isinstance(item, ToolCall) else "text"
        return item.model_copy(update={name: str(text)})

    def close_open_item(self) -> None:
        """End the message or thought that was being streamed."""
        if self.open_item is None:
            return
        item_id, self.open_item = self.open_item, None
        self.close_item(item_id)

    def close_steps(self) -> None:
        """End the steps that nobody has ended."""
        for item_id in self.steps.values():
            self.close_item(item_id)
        self.steps = pmap()

    def close_item(self, item_id: str) -> None:
        """End a message or thought."""
        item = self.get(item_id)
        if isinstance(item, AgentMessage) and item.open:
            closed: Item = item.model_copy(update={"open": False})
        elif isinstance(item, Thought) and item.open:
            closed = item.model_copy(update={"open": False, "ended_at": self.at})
        else:
            return
        self.items = self.items.set(self.index[item.id], closed)
        self.events.append(ItemClosed(**self._stamp(), item_id=item.id, at=self.at))

    # -- session and turns -----------------------------------------------

    def change_session(self, **changes: object) -> None:
        """Change fields of the session's state; announced once per packet."""
        self.session = self.session.model_copy(update=changes)

    def set_turn(self, turn: TurnState) -> None:
        """Store a turn without announcing it."""
        self.turns = self.turns.set(turn.turn_id, turn)

    def announce_started(self, turn: TurnState) -> None:
        """Store a turn that is not done: queued, running or asking; and say so."""
        self.set_turn(turn)
        self.events.append(TurnStarted(**self._stamp(), turn=turn))

    def announce_ended(self, turn: TurnState) -> None:
        """Store a turn that is done, and say so."""
        self.set_turn(turn)
        self.flush_session()
        self.events.append(TurnEnded(**self._stamp(), turn=turn))

    def flush_session(self) -> None:
        """Announce the session's state now, so that what follows is seen after it."""
        if self.session is not self._announced:
            self._announced = self.session
            self.events.append(SessionChanged(**self._stamp(), session=self.session))
