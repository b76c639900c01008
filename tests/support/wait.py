"""The one place where tests wait."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

__all__ = ["FOREVER_SECONDS", "PATIENCE_SECONDS", "eventually", "eventually_async"]

T = TypeVar("T")

PATIENCE_SECONDS = float(os.environ.get("ACP_PATIENCE", "120"))
"""How long a test waits for what has to come: no loaded machine takes that long.

It only says when a test has failed. The trial of alterations, where many do, has less.
"""

FOREVER_SECONDS = 3600.0
"""A limit that no test waits for: what ends all the same was not ended by it."""

_POLL_SECONDS = 0.01


def eventually(
    predicate: Callable[[], T],
    what: str | Callable[[], str] = "",
    *,
    seconds: float = PATIENCE_SECONDS,
) -> T:
    """Return the first true value of ``predicate``; fail with ``what`` when none comes."""
    deadline = time.monotonic() + seconds
    while True:
        if value := predicate():
            return value
        if time.monotonic() > deadline:
            words = what() if callable(what) else what
            raise AssertionError(f"not within {seconds:g} s: {words or predicate}")
        time.sleep(_POLL_SECONDS)


async def eventually_async(predicate: Callable[[], T | Awaitable[T]], what: str = "") -> T:
    """Do the same without blocking the loop; ``predicate`` may be a coroutine function."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        result = predicate()
        value: T = await result if isinstance(result, Awaitable) else result
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {PATIENCE_SECONDS:g} s: {what or predicate}")
        await asyncio.sleep(_POLL_SECONDS)
