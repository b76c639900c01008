"""An agent that has nothing to do for long is left, to start again when needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

__all__ = ["Resting"]


class Resting:
    """Waits until a session was idle for ``seconds``, then leaves its process.

    Parameters
    ----------
    seconds
        Without a prompt.
    idle
        Tells whether there is a process, and nothing to do for it.
    leave
        Leaves the process, and tells why in these words.
    """

    def __init__(
        self,
        seconds: float,
        idle: Callable[[], bool],
        leave: Callable[[str], Awaitable[None]],
    ) -> None:
        self._seconds = seconds
        self._idle = idle
        self._leave = leave
        self._timer: asyncio.TimerHandle | None = None
        self._leaving: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Count the seconds from now."""
        self.end()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._over)

    def end(self) -> None:
        """Count no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _over(self) -> None:
        if self._idle():
            self._leaving = asyncio.create_task(self._go())

    async def _go(self) -> None:
        minutes = max(1, round(self._seconds / 60))
        many = "s" * (minutes != 1)
        await self._leave(f"was stopped after {minutes} minute{many} without a prompt")
