"""Immutable vectors and maps: a change returns a new one, at a constant cost.

They use `rpds`, whose nodes the garbage collector does not visit. With nodes that it does visit,
such as pyrsistent's, each collection of the youngest objects visits everything in a session, and a
turn of 100,000 steps costs a hundred times one of 10,000.

Kernels do without `rpds`: nothing that a kernel imports may import this module.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar, overload

from rpds import HashTrieMap

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
D = TypeVar("D")

_BITS = 5
_WIDTH = 1 << _BITS


class Map(Generic[K, V]):
    """An unordered map."""

    __slots__ = ("_tree",)

    def __init__(self, tree: HashTrieMap[K, V] | None = None) -> None:
        self._tree: HashTrieMap[K, V] = HashTrieMap() if tree is None else tree

    @classmethod
    def of(cls, values: Mapping[K, V]) -> Map[K, V]:
        """Return a map with these values."""
        return cls(HashTrieMap(values))

    def set(self, key: K, value: V) -> Map[K, V]:
        """Return the map with ``value`` at ``key``."""
        return Map(self._tree.insert(key, value))

    def discard(self, key: K) -> Map[K, V]:
        """Return the map without ``key``."""
        return Map(self._tree.remove(key)) if key in self._tree else self

    @overload
    def get(self, key: K) -> V | None: ...
    @overload
    def get(self, key: K, default: D) -> V | D: ...
    def get(self, key: K, default: D | None = None) -> V | D | None:
        """Return the value at ``key``, or ``default``."""
        return self._tree.get(key, default)

    def __getitem__(self, key: K) -> V:
        return self._tree[key]

    def __contains__(self, key: object) -> bool:
        return key in self._tree

    def __iter__(self) -> Iterator[K]:
        return iter(self._tree)

    def __len__(self) -> int:
        return len(self._tree)

    def values(self) -> Iterator[V]:
        """Iterate over the values."""
        return iter(self._tree.values())

    def items(self) -> Iterator[tuple[K, V]]:
        """Iterate over keys and values."""
        return iter(self._tree.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Map) and dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment] # its values need not have one


class Vector(Sequence[V]):
    """A sequence that grows at its end; stored as a map of blocks of 32."""

    __slots__ = ("_blocks", "_full", "_tail")

    def __init__(
        self, blocks: Map[int, tuple[V, ...]] | None = None, tail: tuple[V, ...] = ()
    ) -> None:
        self._blocks: Map[int, tuple[V, ...]] = Map() if blocks is None else blocks
        self._full = len(self._blocks) << _BITS
        self._tail = tail
        """The last block, which is not full."""

    @classmethod
    def of(cls, values: Sequence[V]) -> Vector[V]:
        """Return a vector with these values."""
        full = len(values) >> _BITS
        blocks = {at: tuple(values[at << _BITS : at + 1 << _BITS]) for at in range(full)}
        return cls(Map.of(blocks), tuple(values[full << _BITS :]))

    def append(self, value: V) -> Vector[V]:
        """Return the vector with ``value`` at its end."""
        tail = (*self._tail, value)
        if len(tail) < _WIDTH:
            return Vector(self._blocks, tail)
        return Vector(self._blocks.set(len(self._blocks), tail))

    def set(self, index: int, value: V) -> Vector[V]:
        """Return the vector with ``value`` at an existing ``index``."""
        number, offset = index >> _BITS, index & (_WIDTH - 1)
        block = self._tail if number == len(self._blocks) else self._blocks[number]
        block = (*block[:offset], value, *block[offset + 1 :])
        if number == len(self._blocks):
            return Vector(self._blocks, block)
        return Vector(self._blocks.set(number, block), self._tail)

    def __len__(self) -> int:
        return self._full + len(self._tail)

    @overload
    def __getitem__(self, index: int) -> V: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[V]: ...
    def __getitem__(self, index: int | slice) -> V | Sequence[V]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        size = self._full + len(self._tail)
        at = index + size if index < 0 else index
        if not 0 <= at < size:
            raise IndexError(index)
        if at >= self._full:
            return self._tail[at - self._full]
        return self._blocks[at >> _BITS][at & (_WIDTH - 1)]

    def __iter__(self) -> Iterator[V]:
        for number in range(len(self._blocks)):
            yield from self._blocks[number]
        yield from self._tail
