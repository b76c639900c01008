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
        self._held: set[CallPlace] = set()
        self._left = asyncio.Event()

    def join(self, *, runs: bool) -> CallPlace:
        """Return the place of a call that came now, and runs code or changes cells."""
        place = CallPlace(self, next(self._numbers), runs=runs)
        self._held.add(place)
        return place

    async def first(self, place: CallPlace) -> None:
        """Wait for the calls before one; for code that runs, only other code waits."""
        while any(
            other.number < place.number and (place.runs or not other.runs) for other in self._held
        ):
            await self._left.wait()

    def leave(self, place: CallPlace) -> None:
        """Let the calls behind one go on."""
        self._held.discard(place)
        self._left.set()
        self._left = asyncio.Event()


class CallPlace:
    """The place of one call; it is left when the call has done what it does, or does nothing.

    Parameters
    ----------
    order
        Has all places.
    number
        The one that came first has the smallest.
    runs
        Whether it runs code.
    """

    def __init__(self, order: CallOrder, number: int, *, runs: bool) -> None:
        self._order = order
        self.number = number
        self.runs = runs

    async def first(self) -> None:
        """Wait until the calls before have done what they do."""
        await self._order.first(self)

    def leave(self) -> None:
        """Let the calls behind go on."""
        self._order.leave(self)
