"""The content of tool calls, which version 2 sends in pieces and version 1 as a whole."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Self

from pydantic import JsonValue

from acp_jupyter.protocol.content import text_content
from acp_jupyter.protocol.objects import Obj, items, obj, text

_MAX_CALLS = 200
_MAX_ITEMS = 1000
_MAX_CHARS = 1_000_000
_MAX_CHARS_OF_ALL = 4_000_000
_SHORT_CHARS = 64 * 1024
_SHARE = 64


@dataclass(slots=True)
class _Call:
    items: list[JsonValue] = field(default_factory=list)
    last_text: list[str] = field(default_factory=list)
    """The pieces of a text after the items."""
    chars: int = 0
    sent: int = 0
    """How many characters were sent."""
    ended: bool = False

    @property
    def held(self) -> int:
        """How many characters are held; zero for a call that takes no more pieces."""
        return 0 if self.chars > _MAX_CHARS else self.chars

    @property
    def is_due(self) -> bool:
        """Whether enough is new to send the whole content."""
        return self.sent < _SHORT_CHARS or self.chars - self.sent > self.sent // _SHARE

    def content(self) -> list[JsonValue]:
        """Return the whole content."""
        if not self.last_text:
            return [*self.items]
        self.last_text = ["".join(self.last_text)]
        return [*self.items, text_content(self.last_text[0])]

    def add(self, piece: list[JsonValue]) -> None:
        """Add items; a text after a text is appended to it."""
        words = _plain_text(piece[0]) if len(piece) == 1 else None
        if words is not None:
            self.last_text.append(words)
            return
        self.items = [*self.content(), *piece]
        last = _plain_text(self.items[-1]) if self.items else None
        self.last_text = [] if last is None else [last]
        if last is not None:
            self.items.pop()


class CallContents:
    """The content of tool calls so far, so that a piece can be sent as the whole. Bounded.

    Long content is sent again when it has grown by a 64th, and when its call or the agent's work
    ends: sending it with each piece would cost the square of its length. A call with more than a
    million characters takes no more pieces. Four million characters are kept for all calls
    together; the oldest are dropped first.


    Attributes
    ----------
    in_pieces
        Whether a piece has been sent.
    """

    def __init__(self) -> None:
        self.in_pieces = False
        self._calls: OrderedDict[str, _Call] = OrderedDict()
        self._chars = 0
        self._unsent: dict[str, str] = {}
        """The sessions of calls whose content was not sent completely."""

    def forget(self, tool_call_id: str) -> None:
        """Forget a call that takes no more pieces."""
        self._unsent.pop(tool_call_id, None)
        call = self._calls.pop(tool_call_id, None)
        self._chars -= 0 if call is None else call.held

    def knows(self, tool_call_id: str) -> bool:
        """Return whether an update has announced a call."""
        return tool_call_id in self._calls

    def set(
        self, tool_call_id: str, content: list[JsonValue] | None, *, ended: bool
    ) -> list[JsonValue] | None:
        """Remember a call, and content that replaces all earlier content."""
        call = self._calls.setdefault(tool_call_id, _Call())
        if content is not None:
            size = _chars(content)
            self._chars -= call.held
            call.items, call.last_text = [], []
            call.chars = call.sent = size
            if size <= _MAX_CHARS:
                call.add(content)
            self._chars += call.held
            self._unsent.pop(tool_call_id, None)
        ends = ended and not call.ended
        call.ended = call.ended or ended
        self._make_room(tool_call_id)
        return self._take_unsent(tool_call_id) if ends and tool_call_id in self._unsent else None

    def added(
        self, session_id: str, tool_call_id: str, piece: list[JsonValue]
    ) -> list[JsonValue] | None:
        """Add a piece; return the content, or None if it is sent later, or is full."""
        self.in_pieces = True
        call = self._calls.setdefault(tool_call_id, _Call())
        size = _chars(piece)
        if len(call.items) + len(piece) > _MAX_ITEMS or call.chars + size > _MAX_CHARS:
            return None
        call.add(piece)
        call.chars += size
        self._chars += size
        self._make_room(tool_call_id)
        if call.is_due:
            return self._take_unsent(tool_call_id)
        self._unsent[tool_call_id] = session_id
        return None

    def end_turn(self, session_id: str) -> list[tuple[str, list[JsonValue]]]:
        """Return the unsent content of a session's calls, and forget the calls that have ended."""
        names = [name for name, of in self._unsent.items() if of == session_id]
        sent = [(name, self._take_unsent(name)) for name in names]
        for name in [name for name, call in self._calls.items() if call.ended]:
            if name not in self._unsent:
                self.forget(name)
        return sent

    def saved(self) -> Obj:
        """Return the state as JSON."""
        calls: list[JsonValue] = [
            [name, call.content(), call.chars, call.sent, call.ended]
            for name, call in self._calls.items()
        ]
        untold: Obj = {**self._unsent}
        return {"in_pieces": self.in_pieces, "calls": calls, "untold": untold}

    @classmethod
    def of_saved(cls, saved: Obj) -> Self:
        """Return contents that continue from a saved state."""
        contents = cls()
        contents.in_pieces = saved["in_pieces"] is True
        for each in items(saved["calls"]):
            match each:
                case [str(name), list(content), int(chars), int(sent), bool(ended)]:
                    call = _Call(chars=chars, sent=sent, ended=ended)
                    call.add(content)
                    contents._calls[name] = call
                    contents._chars += call.held
                case _:
                    raise ValueError(each)
        contents._unsent = {name: text(of) for name, of in obj(saved["untold"]).items()}
        return contents

    def _take_unsent(self, tool_call_id: str) -> list[JsonValue]:
        call = self._calls[tool_call_id]
        call.sent = call.chars
        self._unsent.pop(tool_call_id, None)
        return call.content()

    def _make_room(self, newest: str) -> None:
        self._calls.move_to_end(newest)
        while len(self._calls) > _MAX_CALLS or self._chars > _MAX_CHARS_OF_ALL:
            self.forget(next(iter(self._calls)))


def _chars(value: JsonValue) -> int:
    """Return how many characters all texts of a value have, including images."""
    chars, rest = 0, [value]
    while rest:
        match rest.pop():
            case str() as words:
                chars += len(words)
            case dict() as fields:
                rest += fields.values()
            case list() as parts:
                rest += parts
            case _:
                chars += 1
    return chars


def _plain_text(item: JsonValue) -> str | None:
    """Return the text of an item that is only text."""
    block = obj(obj(item).get("content"))
    is_plain = block.keys() == {"type", "text"} and block["type"] == "text"
    return text(block["text"]) if is_plain else None
