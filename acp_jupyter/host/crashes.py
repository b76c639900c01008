"""How often agents have ended by themselves, and how long the next start waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from acp_jupyter.host.limits import Limits

__all__ = ["Crashes"]

_MOST_STEPS = 10


@dataclass
class _Count:
    count: int = 0
    at: float = 0.0


class Crashes:
    """Counts ends that nobody asked for, by what was started.

    Parameters
    ----------
    limits
        See `Limits`.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._counts: dict[Hashable, _Count] = {}

    def add(self, key: Hashable) -> None:
        """Count one."""
        crashes = self._counts.setdefault(key, _Count())
        crashes.count += 1
        crashes.at = time.monotonic()

    def forget(self, key: Hashable) -> None:
        """Start afresh."""
        self._counts.pop(key, None)

    def forget_all(self, where: Callable[[Any], bool]) -> None:
        """Start afresh with what ``where`` is true of."""
        for key in [key for key in self._counts if where(key)]:
            self.forget(key)

    def delay(self, key: Hashable) -> float:
        """Return how long to wait before the next start: the more crashes, the longer."""
        crashes = self._counts.get(key)
        if crashes is None or crashes.count < self._limits.free_restarts:
            return 0.0
        steps = min(crashes.count - self._limits.free_restarts, _MOST_STEPS)
        pause = min(self._limits.restart_seconds * 2.0**steps, self._limits.longest_restart_seconds)
        return max(0.0, crashes.at + pause - time.monotonic())
