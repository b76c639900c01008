"""Items, tool calls and turns of a long session: old ones as bytes, in memory or on disk.

An item is a dozen objects, and the garbage collector stops the whole server to look at each. After
100,000 tool calls that is half a second. As bytes they are one object, a fourth as large, and not
looked at. Where there is a spill store the bytes lie there, and a number says where. They become
items again when they are read; no reader can tell the difference.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import ClassVar, Generic, Protocol, Self, TypeVar, overload

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
"""Items at the end that are left as they are: more than a page is shown at once."""

_ITEM: TypeAdapter[Item] = TypeAdapter(Item)
TEXT_AT = struct.Struct("<q")
"""Before an item on a shelf: where its growing text lies, or -1."""


class SpillStore(Protocol):
    """Holds bytes outside of the server's memory."""

    def put(self, data: bytes) -> int | None:
        """Return where the bytes are now, a number from 0 to 2**63; None where is no room."""

    def get(self, position: int) -> bytes:
        """Return the bytes that were put there."""


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
        """Places of old items that are under way."""
        self._spill = spill
        self.tidied = tidied
        """How many, from the first on, were put on the shelf or are under way."""

    def append(self, item: Item) -> Items:
        """Return the same with ``item`` at its end."""
        old = len(self._items) - NEWEST
        return self._with(self._items.append(item))._tidied(old)

    def set(self, index: int, item: Item) -> Items:
        """Return the same with ``item`` at ``index``, which it has already."""
        return self._with(self._items.set(index, item))._tidied(index)

    def _with(
        self, values: Vector[Item | bytes | int], left: Map[int, None] | None = None
    ) -> Items:
        left = self._left if left is None else left
        return Items(values, left, self._spill, self.tidied)

    def _tidied(self, index: int) -> Items:
        """Return the same with the item at ``index`` as bytes, if it is old and at an end."""
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
        """Places of old items that are under way."""
        return sorted(self._left)

    def is_spilled(self, index: int) -> bool:
        """Return whether the item at ``index`` is bytes now, here or on the shelf."""
        return isinstance(self._items[index], bytes | int)

    def as_held(self, index: int) -> Item | bytes | int:
        """Return the item at ``index`` as it is held: itself, as bytes, or where they lie."""
        return self._items[index]

    def packed(self, index: int) -> bytes:
        """Return the item at ``index`` as bytes."""
        item = self._items[index]
        if isinstance(item, int):
            return self._spilled(item)[TEXT_AT.size :]
        return item if isinstance(item, bytes) else _to_bytes(item)

    def spilled_to(self, index: int, text: str | None, shelf: SpillStore) -> Items | None:
        """Return the same with an item, and its growing text, on the shelf; None without room."""
        text_at = -1 if text is None else shelf.put(text.encode("utf-8", "surrogatepass"))
        if text_at is None:
            return None
        at = shelf.put(TEXT_AT.pack(text_at) + self.packed(index))
        if at is None:
            return None
        return Items(self._items.set(index, at), self._left.discard(index), shelf, self.tidied)

    def tidied_to(self, index: int) -> Items:
        """Return the same, with ``tidied`` as ``index``."""
        return Items(self._items, self._left, self._spill, index)

    def text_at(self, index: int) -> str | None:
        """Return the growing text that is on the shelf with the item at ``index``."""
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
        return _ITEM.validate_json(item) if isinstance(item, bytes) else item

    def recent(self, start: int) -> Iterator[Item]:
        """Yield, of the items from ``start`` on, those that are new or under way, in order."""
        new = max(start, len(self._items) - NEWEST)
        for index in (*sorted(p for p in self._left if start <= p < new), *range(new, len(self))):
            yield self[index]

    def since(self, start: int, end: int | None = None) -> Iterator[Item]:
        """Yield all items from ``start`` on, one by one, up to, not including, ``end``."""
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
    """A map whose values can be spilled."""

    __slots__ = ("_spill", "_values", "tidied")
    _value: ClassVar[TypeAdapter[V]]

    def __init__(
        self,
        values: Map[str, V | bytes | int] | None = None,
        spill: SpillStore | None = None,
        tidied: int = 0,
    ) -> None:
        self._values: Map[str, V | bytes | int] = Map() if values is None else values
        self._spill = spill
        self.tidied = tidied
        """How many of the first, in an order that the owner knows, were put on the shelf."""

    def set(self, name: str, value: V) -> Self:
        """Return the same with ``value`` for a name."""
        return type(self)(self._values.set(name, value), self._spill, self.tidied)

    def held(self) -> Iterator[tuple[str, object]]:
        """Yield names and what is held of each: another object where a value has changed."""
        return self._values.items()

    def tidied_to(self, index: int) -> Self:
        """Return the same, with ``tidied`` as ``index``."""
        return type(self)(self._values, self._spill, index)

    def spill(self, name: str, shelf: SpillStore | None = None) -> Self:
        """Return the same with the value of a name as bytes, or on the shelf if that has room."""
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
        return value if isinstance(value, bytes) else self._value.dump_json(value)

    def get(self, name: str) -> V | None:
        """Return the value of a name."""
        value = self._values.get(name)
        return (
            self._value.validate_json(self.packed(name))
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
        """Iterate over the values, as the map has them: in no order."""
        return map(self.__getitem__, self._values)

    def items(self) -> Iterator[tuple[str, V]]:
        """Iterate over names and values."""
        return ((name, self[name]) for name in self._values)

    def __len__(self) -> int:
        return len(self._values)


class Calls(_PackedMap[CallFacts]):
    """What is known of each tool call, by its id."""

    __slots__ = ()
    _value = TypeAdapter(CallFacts)


class Turns(_PackedMap[TurnState]):
    """The turns of a session, by their ids."""

    __slots__ = ()
    _value = TypeAdapter(TurnState)


def under_way(item: Item) -> bool:
    """Return whether an item will still change: more of it is to come, or an answer."""
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
    """Return the tool call's id of an item that is bytes; empty for any other kind."""
    if not packed.startswith(b'{"kind":"tool_call",'):
        return ""
    return str(from_json(packed)["tool_call_id"])


def _to_bytes(item: Item) -> bytes:
    data = _ITEM.dump_json(item, exclude_defaults=True, by_alias=False)
    # The kind is a default of each model; to read the item again it must be there.
    # Joined in one step: a picture or a diff may have some megabytes.
    return b"".join((b'{"kind":"%s",' % item.kind.encode(), memoryview(data)[1:]))
