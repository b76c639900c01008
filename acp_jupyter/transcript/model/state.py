"""The transcript: the whole state of one session, as an immutable value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Never

from acp_jupyter.errors import UnknownToolCall
from acp_jupyter.protocol.packets import ToolCallProgress
from acp_jupyter.transcript.model.evidence import TurnEvidence
from acp_jupyter.transcript.model.item_base import Text, index_of
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.packed import Calls, Items, Turns
from acp_jupyter.transcript.model.persistent import Map, Vector
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.model.tool_items import Diff, KnownTerminal, ToolCall
from acp_jupyter.transcript.model.use import Use


@dataclass(frozen=True, slots=True)
class OpenItem:
    """The message or thought that the next chunk may extend."""

    id: str
    is_message: bool
    turn_id: str | None
    message_id: str


@dataclass(frozen=True, slots=True)
class WrittenDiff:
    """A change that an agent made through the client."""

    turn_id: str
    diff: Diff
    item_id: str = ""
    """Item id of the card that shows it."""


@dataclass(frozen=True, slots=True)
class Background:
    """Background work, as last reported by the agent."""

    listed: int = 0
    """How many tasks the agent lists. A subagent counts until it reports its end."""

    items: frozenset[str] = frozenset()
    """Item ids of the calls, and of the terminals' cards."""
    terminals: frozenset[str] = frozenset()
    """Ids of the terminals."""


class TranscriptFields:
    """The fields of a transcript.

    They are persistent vectors and maps, so that a change costs the same in a session of five items
    and of five thousand.
    """

    session: SessionState
    seq: int
    """Number of the newest event."""
    items: Items
    """Growing text is kept in ``texts``; see :meth:`filled`. An item's id is its index, ``i7``."""
    texts: Map[str, Text | str]
    growing: tuple[str, Text] | None
    """The text that is growing, with its item's id; newer than that in ``texts``."""
    calls: Calls
    """Facts by tool call id."""
    steps: Map[str, str]
    """Item id of each open step."""
    notices: Map[str, str]
    """Item id of each notice that a later one may replace, by its key."""
    request_items: Map[str, str]
    """Item id of each pending request of the agent: permissions and questions."""
    renewable: Map[tuple[str, str | None, str], str]
    """Item id of each plan, artifact and unknown kind of update, by turn and name."""
    url_elicitations: Map[str, str]
    """Item id of each page that the agent asked to open, by the agent's id for it."""
    terminals: Map[str, KnownTerminal]
    """Terminals by the agent's ids."""
    background: Background
    turns: Turns
    turn_order: Vector[str]
    turn_first: Map[str, int]
    """Index of each turn's first item."""
    turn_last: Map[str, int]
    """Index of each turn's last item so far."""
    open: OpenItem | None
    opened_by: Map[str, OpenItem]
    """The same for subagents, by the id of the tool call item that each works for."""
    stopping: str | None
    """The turn that the agent was asked to stop."""
    time_up: str | None
    """The turn that exceeded its time limit, or reached another one."""
    limit_words: str
    """The limit that it reached; empty for its time limit."""
    turn_use: Use
    """What the turn that started last used so far, without its running time."""
    working_since: float | None
    """Since when it works; None while a question waits for an answer, and after its end."""
    refused: bool
    """Whether a turn ended because nobody could be asked, and its agent has not ended it yet."""
    written: Map[str, WrittenDiff]
    """The agent's last write through the client, by path."""
    evidence: TurnEvidence
    """Evidence about the turn that started last: who changes files."""
    held: Map[str, ToolCallProgress]
    """Updates of a call during its permission request, by item id."""
    settled_by: Map[str, tuple[str, str]]
    """Who answered a request, and by which rule, until the answer is logged."""

    def text_of(self, item_id: str) -> Text | None:
        """Return the growing text of an item."""
        if self.growing is not None and self.growing[0] == item_id:
            return self.growing[1]
        text = self.texts.get(item_id)
        if text is None:
            text = self.items.text_at(int(item_id[1:]))
        return Text().append(text) if isinstance(text, str) else text

    def filled(self, item: Item) -> Item:
        """Return the item with its growing text."""
        text = self.text_of(item.id)
        if text is None:
            return item
        name = "output" if isinstance(item, ToolCall) else "text"
        return item.model_copy(update={name: str(text)})


class Transcript(TranscriptFields):
    """A session's items, turns and state after some line of its traffic. Immutable."""

    def __init__(self, session: SessionState) -> None:
        vars(self).update(
            session=session,
            seq=0,
            items=Items(),
            texts=Map(),
            growing=None,
            calls=Calls(),
            steps=Map(),
            notices=Map(),
            request_items=Map(),
            renewable=Map(),
            url_elicitations=Map(),
            terminals=Map(),
            background=Background(),
            turns=Turns(),
            turn_order=Vector(),
            turn_first=Map(),
            turn_last=Map(),
            open=None,
            opened_by=Map(),
            stopping=None,
            time_up=None,
            limit_words="",
            turn_use=Use(),
            working_since=None,
            refused=False,
            held=Map(),
            settled_by=Map(),
            written=Map(),
            evidence=TurnEvidence(),
        )

    def __setattr__(self, name: str, value: object) -> Never:
        """Raise: a change makes a new transcript."""
        msg = f"a transcript does not change: {name}"
        raise AttributeError(msg)

    def changed(self, **fields: object) -> Transcript:
        """Return the transcript with some fields changed."""
        copy = Transcript.__new__(Transcript)
        vars(copy).update(vars(self), **fields)
        return copy

    def item(self, position: int) -> Item:
        """Return an item with its text filled in."""
        return self.filled(self.items[position])

    def tool_call(self, tool_call_id: str) -> ToolCall:
        """Return the card of a tool call, or of a terminal that has its own."""
        facts, known = self.calls.get(tool_call_id), self.terminals.get(tool_call_id)
        if facts is not None:
            item = self.items[index_of(facts.item_id)]
        elif known is not None and known.has_own_card:
            item = self.items[index_of(known.items[0])]
        else:
            raise UnknownToolCall(f"There is no tool call {tool_call_id[:100]!r} in this session.")
        assert isinstance(item, ToolCall)
        return item

    def window(self, start: int, end: int) -> tuple[Item, ...]:
        """Return the items from ``start`` up to, not including, ``end``."""
        return tuple(self.item(i) for i in range(max(0, start), min(end, len(self.items))))

    def turn_items(self, turn_id: str) -> tuple[Item, ...]:
        """Return the items of one turn; late ones may be among those of the next."""
        return tuple(self.each_of_turn(turn_id))

    def turn_calls(self, turn_id: str) -> Iterator[ToolCall]:
        """Yield the tool calls of one turn."""
        return (item for item in self.each_of_turn(turn_id) if isinstance(item, ToolCall))

    def each_of_turn(self, turn_id: str, start: int | None = None) -> Iterator[Item]:
        """Yield the items of one turn from index ``start`` on."""
        first = self.turn_first.get(turn_id, len(self.items))
        end = self.turn_last.get(turn_id, -1) + 1
        items = self.items.since(first if start is None else max(first, start), end)
        return (self.filled(item) for item in items if item.turn_id == turn_id)
