"""What a long session holds of its past: bytes, where nothing changes any more.

An item is a dozen objects, and the garbage collector stops the whole server to look at each. After
100,000 tool calls that is half a second. As bytes they are one, a fourth as large, and not looked
at. They are made items again when somebody asks for them; nobody can tell the difference.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

from pydantic import TypeAdapter

from acp_jupyter.transcript.call_facts import CallFacts
from acp_jupyter.transcript.items import AgentMessage, Item, Thought, ToolCall
from acp_jupyter.transcript.persistent import Map, Vector

__all__ = ["NEWEST", "Calls", "Items"]

D = TypeVar("D")

NEWEST = 512
"""Items at the end that are left as they are: more than a page is shown at once."""

_ITEM: TypeAdapter[Item] = TypeAdapter(Item)


class Items(Sequence[Item]):
    """The items of a session, in their order."""

    __slots__ = ("_kept", "_left")

    def __init__(
        self, kept: Vector[Item | bytes] | None = None, left: Map[int, None] | None = None
    ) -> None:
        self._kept: Vector[Item | bytes] = Vector() if kept is None else kept
        self._left: Map[int, None] = Map() if left is None else left
        """Places of old items that are under way."""

    def append(self, item: Item) -> Items:
        """Return the same with ``item`` at its end."""
        old = len(self._kept) - NEWEST
        return Items(self._kept.append(item), self._left)._tidied(old)

    def set(self, place: int, item: Item) -> Items:
        """Return the same with ``item`` at ``place``, which it has already."""
        return Items(self._kept.set(place, item), self._left)._tidied(place)

    def _tidied(self, place: int) -> Items:
        """Return the same with the item at ``place`` as bytes, if it is old and at an end."""
        if not 0 <= place < len(self._kept) - NEWEST:
            return self
        item = self._kept[place]
        if isinstance(item, bytes):
            return self
        if _under_way(item):
            return Items(self._kept, self._left.set(place, None))
        data = _ITEM.dump_json(item, exclude_defaults=True, by_alias=False)
        # The kind is a default of each model; to read the item again it must be there.
        data = b'{"kind":"%s",' % item.kind.encode() + data[1:]
        return Items(self._kept.set(place, data), self._left.discard(place))

    def is_put_away(self, place: int) -> bool:
        """Tell whether the item at ``place`` is bytes now."""
        return isinstance(self._kept[place], bytes)

    def recent(self, start: int) -> Iterator[Item]:
        """Yield, of the items from ``start`` on, those that are new or under way, in order."""
        new = max(start, len(self._kept) - NEWEST)
        for place in (*sorted(p for p in self._left if start <= p < new), *range(new, len(self))):
            yield self[place]

    def since(self, start: int) -> Iterator[Item]:
        """Yield all items from ``start`` on, one by one."""
        return map(self.__getitem__, range(start, len(self)))

    def __len__(self) -> int:
        return len(self._kept)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        return _taken_out(self._kept[place])

    def __iter__(self) -> Iterator[Item]:
        return map(_taken_out, self._kept)


class Calls:
    """What is known of each tool call, by its id."""

    __slots__ = ("_kept",)

    def __init__(self, kept: Map[str, CallFacts | bytes] | None = None) -> None:
        self._kept: Map[str, CallFacts | bytes] = Map() if kept is None else kept

    def set(self, tool_call_id: str, facts: CallFacts) -> Calls:
        """Return the same with ``facts`` for a call."""
        return Calls(self._kept.set(tool_call_id, facts))

    def put_away(self, tool_call_id: str) -> Calls:
        """Return the same with what is known of a call as bytes."""
        facts = self._kept.get(tool_call_id)
        if not isinstance(facts, CallFacts):
            return self
        return Calls(self._kept.set(tool_call_id, pickle.dumps(facts, protocol=5)))

    @overload
    def get(self, tool_call_id: str) -> CallFacts | None: ...
    @overload
    def get(self, tool_call_id: str, default: D) -> CallFacts | D: ...
    def get(self, tool_call_id: str, default: D | None = None) -> CallFacts | D | None:
        """Return what is known of a call, or ``default``."""
        facts = self._kept.get(tool_call_id)
        if isinstance(facts, bytes):
            facts = pickle.loads(facts)  # noqa: S301 - our own, and of this process
            assert isinstance(facts, CallFacts)
        return default if facts is None else facts

    def __getitem__(self, tool_call_id: str) -> CallFacts:
        facts = self.get(tool_call_id)
        if facts is None:
            raise KeyError(tool_call_id)
        return facts

    def __contains__(self, tool_call_id: object) -> bool:
        return tool_call_id in self._kept

    def __len__(self) -> int:
        return len(self._kept)


def _under_way(item: Item) -> bool:
    match item:
        case ToolCall():
            return item.status in {"pending", "in_progress"}
        case AgentMessage() | Thought():
            return item.open
        case _:
            return False


def _taken_out(item: Item | bytes) -> Item:
    return _ITEM.validate_json(item) if isinstance(item, bytes) else item
