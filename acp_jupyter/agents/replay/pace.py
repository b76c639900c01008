"""The times between two steps, as recorded or faster."""

from __future__ import annotations

import asyncio

__all__ = ["Pace"]

_MAX_GAP_SECONDS = 10.0


class Pace:
    """Waits as long as the recorded agent did.

    Parameters
    ----------
    speed
        How many times as fast; None for no waiting at all.
    """

    def __init__(self, speed: float | None) -> None:
        self._speed = speed
        self._recorded_at = 0.0
        self._due = 0.0

    def restart(self, recorded: float) -> None:
        """Count from now, which was the time ``recorded``."""
        self._recorded_at = recorded
        self._due = asyncio.get_running_loop().time()

    async def reach(self, recorded: float, interrupt: asyncio.Event) -> None:
        """Wait until it is time for what was ``recorded``, or until ``interrupt`` is set.

        Steps are due by the clock, so that many short gaps do not add up to a long delay.
        """
        gap = min(max(0.0, recorded - self._recorded_at), _MAX_GAP_SECONDS)
        self._recorded_at = recorded
        if self._speed is None:
            await asyncio.sleep(0)  # the client is heard
            return
        self._due += gap / self._speed
        seconds = self._due - asyncio.get_running_loop().time()
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        try:
            async with asyncio.timeout(seconds):
                await interrupt.wait()
        except TimeoutError:
            pass
