"""The one place where tests wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

__all__ = ["eventually", "eventually_async"]

T = TypeVar("T")

_POLL_SECONDS = 0.01


def eventually(predicate: Callable[[], T], timeout: float = 10.0, what: str = "") -> T:
    """Return the first true value of ``predicate``; fail when none came in ``timeout`` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        if value := predicate():
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout:g} s: {what or predicate}")
        time.sleep(_POLL_SECONDS)


async def eventually_async(
    predicate: Callable[[], T | Awaitable[T]], timeout: float = 10.0, what: str = ""
) -> T:
    """Do the same without blocking the loop; ``predicate`` may be a coroutine function."""
    deadline = time.monotonic() + timeout
    while True:
        result = predicate()
        value: T = await result if isinstance(result, Awaitable) else result
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout:g} s: {what or predicate}")
        await asyncio.sleep(_POLL_SECONDS)
