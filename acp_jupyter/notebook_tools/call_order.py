"""Keeps the order of a session's tool calls: they take effect in the order of their arrival.

Permissions may come in another order, and notebooks may answer late.
"""

from __future__ import annotations

import asyncio
import itertools


class CallOrder:
    """A queue of tool calls; each call has a place in it. Used on one loop."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self.held: set[CallPlace] = set()
        self.left = asyncio.Event()
        """Set, and replaced by a new one, whenever a place is left."""

    def join(self, *, runs: bool) -> CallPlace:
        """Add a call at the end and return its place; ``runs``: it runs code."""
        place = CallPlace(self, next(self._numbers), runs=runs)
        self.held.add(place)
        return place


class CallPlace:
    """The place of one call in the queue; the call leaves it after its effect, or without one.

    Parameters
    ----------
    number
        Its position; the first call has the smallest number.
    runs
        Whether it runs code: only other code waits for it.
    """

    def __init__(self, order: CallOrder, number: int, *, runs: bool) -> None:
        self._order = order
        self._number = number
        self._runs = runs

    async def first(self) -> None:
        """Wait until the earlier calls that this one depends on have left."""
        while any(
            other._number < self._number and (self._runs or not other._runs)
            for other in self._order.held
        ):
            await self._order.left.wait()

    def leave(self) -> None:
        """Leave the queue, so that later calls can go on."""
        self._order.held.discard(self)
        self._order.left.set()
        self._order.left = asyncio.Event()
