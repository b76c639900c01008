"""The order of a session's tool calls: what they do happens in the order in which they came.

Permission may be given in another order, and notebooks answer late.
"""

from __future__ import annotations

import asyncio
import itertools


class CallOrder:
    """Gives each call a place behind those that came before. Used on one loop."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self.held: set[CallPlace] = set()
        self.left = asyncio.Event()
        """Set, and replaced by a new one, whenever a place is left."""

    def join(self, *, runs: bool) -> CallPlace:
        """Return the place of a call that came now, and runs code or changes cells."""
        place = CallPlace(self, next(self._numbers), runs=runs)
        self.held.add(place)
        return place


class CallPlace:
    """The place of one call; it is left when the call has done what it does, or does nothing.

    Parameters
    ----------
    order
        Has all places.
    number
        The one that came first has the smallest.
    runs
        Whether it runs code: only other code waits for it.
    """

    def __init__(self, order: CallOrder, number: int, *, runs: bool) -> None:
        self._order = order
        self._number = number
        self._runs = runs

    async def first(self) -> None:
        """Wait until the calls before have done what they do."""
        while any(
            other._number < self._number and (self._runs or not other._runs)
            for other in self._order.held
        ):
            await self._order.left.wait()

    def leave(self) -> None:
        """Let the calls behind go on."""
        self._order.held.discard(self)
        self._order.left.set()
        self._order.left = asyncio.Event()
