"""Items, tool calls and turns of a long session: old ones as bytes, in memory or on disk.

An item is a dozen objects, and the garbage collector stops the whole server to visit each. After
100,000 tool calls that takes half a second. As bytes an item is one object of a fourth of the size,
which the collector ignores. With a spill store, the bytes are on disk, and the item is replaced by
their position. Reading an item parses it again, so readers see no difference.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, overload

from pydantic import TypeAdapter
from pydantic_core import from_json

from acp_jupyter.transcript.model.items import (
    AgentMessage,
    Elicitation,
    Item,
    Thought,
    TrustRequest,
)
from acp_jupyter.transcript.model.persistent import Map, Vector
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.model.tool_items import CallFacts, ToolCall

V = TypeVar("V")

NEWEST = 512
"""Items at the end that are not packed: more than a page shows at once."""


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


TEXT_AT = struct.Struct("<q")
"""Precedes an item in the spill store: the position of its growing text, or -1."""


class SpillStore(Protocol):
    """Holds bytes outside of the server's memory."""

    def put(self, data: bytes) -> int | None:
        """Store the bytes and return their position, from 0 to 2**63; None if there is no room."""

    def get(self, position: int) -> bytes:
        """Return the bytes stored at a position."""


class Items(Sequence[Item]):
    """The items of a session, in their order."""

    __slots__ = ("_items", "_left", "_spill", "tidied")

    def __init__(
        self,
        items: Vector[Item | bytes | int] | None = None,
        left: Map[int, None] | None = None,
        spill: SpillStore | None = None,
        tidied: int = 0,
    ) -> None:
        self._items: Vector[Item | bytes | int] = Vector() if items is None else items
        self._left: Map[int, None] = Map() if left is None else left
        """Indexes of old items that are still open."""
        self._spill = spill
        self.tidied = tidied
        """How many, from the first on, were spilled or are still open."""

    def append(self, item: Item) -> Items:
        """Return the items with ``item`` appended."""
        old = len(self._items) - NEWEST
        return self._with(self._items.append(item))._tidied(old)

    def set(self, index: int, item: Item) -> Items:
        """Return the items with the existing one at ``index`` replaced."""
        return self._with(self._items.set(index, item))._tidied(index)

    def _with(
        self, values: Vector[Item | bytes | int], left: Map[int, None] | None = None
    ) -> Items:
        left = self._left if left is None else left
        return Items(values, left, self._spill, self.tidied)

    def _tidied(self, index: int) -> Items:
        """Return the items with the one at ``index`` packed, if it is old and closed."""
        if not 0 <= index < len(self._items) - NEWEST:
            return self
        item = self._items[index]
        if isinstance(item, bytes | int):
            return self
        if under_way(item):
            return self._with(self._items, self._left.set(index, None))
        return self._with(self._items.set(index, _to_bytes(item)), self._left.discard(index))

    @property
    def left(self) -> Sequence[int]:
        """Indexes of old items that are still open."""
        return sorted(self._left)

    def is_spilled(self, index: int) -> bool:
        """Return whether the item at ``index`` is packed, in memory or in the spill store."""
        return isinstance(self._items[index], bytes | int)

    def as_held(self, index: int) -> Item | bytes | int:
        """Return the item at ``index`` as it is stored: an item, bytes, or their position."""
        return self._items[index]

    def packed(self, index: int) -> bytes:
        """Return the item at ``index`` as bytes."""
        item = self._items[index]
        if isinstance(item, int):
            return self._spilled(item)[TEXT_AT.size :]
        return item if isinstance(item, bytes) else _to_bytes(item)

    def spilled_to(self, index: int, text: str | None, shelf: SpillStore) -> Items | None:
        """Return the items with one and its growing text spilled; None if there is no room."""
        text_at = -1 if text is None else shelf.put(text.encode("utf-8", "surrogatepass"))
        if text_at is None:
            return None
        at = shelf.put(TEXT_AT.pack(text_at) + self.packed(index))
        if at is None:
            return None
        return Items(self._items.set(index, at), self._left.discard(index), shelf, self.tidied)

    def tidied_to(self, index: int) -> Items:
        """Return the items with ``tidied`` set to ``index``."""
        return Items(self._items, self._left, self._spill, index)

    def text_at(self, index: int) -> str | None:
        """Return the growing text that was spilled with the item at ``index``."""
        item = self._items[index]
        if not isinstance(item, int):
            return None
        (text_at,) = TEXT_AT.unpack_from(self._spilled(item))
        return None if text_at < 0 else self._spilled(text_at).decode("utf-8", "surrogatepass")

    def _spilled(self, index: int) -> bytes:
        assert self._spill is not None
        return self._spill.get(index)

    def _taken_out(self, item: Item | bytes | int) -> Item:
        if isinstance(item, int):
            item = self._spilled(item)[TEXT_AT.size :]
        return _adapter(Item).validate_json(item) if isinstance(item, bytes) else item

    def recent(self, start: int) -> Iterator[Item]:
        """Yield the items from ``start`` on that are new or still open, in order."""
        new = max(start, len(self._items) - NEWEST)
        for index in (*sorted(p for p in self._left if start <= p < new), *range(new, len(self))):
            yield self[index]

    def since(self, start: int, end: int | None = None) -> Iterator[Item]:
        """Yield the items from ``start`` on, up to but not including ``end``."""
        return map(self.__getitem__, range(start, len(self) if end is None else end))

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        item = self._items[index]
        return self._taken_out(item) if isinstance(item, bytes | int) else item

    def __iter__(self) -> Iterator[Item]:
        return map(self._taken_out, self._items)


class _PackedMap(Generic[V]):
    """A map with values that can be packed and spilled."""

    __slots__ = ("_spill", "_values", "tidied")
    _kind: ClassVar[Any]

    def __init__(
        self,
        values: Map[str, V | bytes | int] | None = None,
        spill: SpillStore | None = None,
        tidied: int = 0,
    ) -> None:
        self._values: Map[str, V | bytes | int] = Map() if values is None else values
        self._spill = spill
        self.tidied = tidied
        """How many, from the first on in the owner's order, were spilled."""

    def set(self, name: str, value: V) -> Self:
        """Return the map with ``value`` for a name."""
        return type(self)(self._values.set(name, value), self._spill, self.tidied)

    def held(self) -> Iterator[tuple[str, object]]:
        """Yield names and stored objects: a value that has changed is a different object."""
        return self._values.items()

    def tidied_to(self, index: int) -> Self:
        """Return the map with ``tidied`` set to ``index``."""
        return type(self)(self._values, self._spill, index)

    def spill(self, name: str, shelf: SpillStore | None = None) -> Self:
        """Return the map with the value of a name packed, and spilled if there is room."""
        value = self._values.get(name)
        if value is None or isinstance(value, int):
            return self
        data = self.packed(name)
        offset = None if shelf is None else shelf.put(data)
        away = data if offset is None else offset
        return type(self)(self._values.set(name, away), shelf or self._spill, self.tidied)

    def packed(self, name: str) -> bytes:
        """Return the value of a name as bytes."""
        value = self._values[name]
        if isinstance(value, int):
            assert self._spill is not None
            return self._spill.get(value)
        return value if isinstance(value, bytes) else _adapter(self._kind).dump_json(value)

    def get(self, name: str) -> V | None:
        """Return the value of a name."""
        value = self._values.get(name)
        return (
            _adapter(self._kind).validate_json(self.packed(name))
            if isinstance(value, bytes | int)
            else value
        )

    def __getitem__(self, name: str) -> V:
        value = self.get(name)
        if value is None:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def values(self) -> Iterator[V]:
        """Iterate over the values, in arbitrary order."""
        return map(self.__getitem__, self._values)

    def items(self) -> Iterator[tuple[str, V]]:
        """Iterate over names and values."""
        return ((name, self[name]) for name in self._values)

    def __len__(self) -> int:
        return len(self._values)


class Calls(_PackedMap[CallFacts]):
    """The facts about each tool call, by its id."""

    __slots__ = ()
    _kind = CallFacts


class Turns(_PackedMap[TurnState]):
    """The turns of a session, by their ids."""

    __slots__ = ()
    _kind = TurnState


def under_way(item: Item) -> bool:
    """Return whether an item is open: it still grows, or waits for an answer."""
    match item:
        case ToolCall():
            return item.is_open or item.awaits_permission
        case Elicitation() | TrustRequest():
            return item.state == "pending"
        case AgentMessage() | Thought():
            return item.open
        case _:
            return False


def packed_call_id(packed: bytes) -> str:
    """Return the id of a packed tool call; empty for other packed items."""
    if not packed.startswith(b'{"kind":"tool_call",'):
        return ""
    return str(from_json(packed)["tool_call_id"])


def _to_bytes(item: Item) -> bytes:
    data = _adapter(Item).dump_json(item, exclude_defaults=True, by_alias=False)
    # Without defaults the kind is missing, but reading the item needs it. Joined in one
    # step, as a picture or a diff may have megabytes.
    return b"".join((b'{"kind":"%s",' % item.kind.encode(), memoryview(data)[1:]))
