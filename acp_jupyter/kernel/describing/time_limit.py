"""A bound on how long somebody else's Python code may take, e.g. a ``__repr__``."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

__all__ = ["TimeUp", "can_limit", "time_limit"]


class TimeUp(BaseException):
    """It took too long. No `Exception`: the code must not catch it by chance."""


def can_limit() -> bool:
    """Whether anything can be stopped here: on the main thread, and not on Windows."""
    main = threading.current_thread() is threading.main_thread()
    return main and hasattr(signal, "setitimer") and not signal.getitimer(signal.ITIMER_REAL)[0]


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeUp` in what runs within, after some time, where that can be done.

    One long call into C is stopped at its end only.
    """
    if not can_limit():
        yield
        return

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TimeUp

    earlier = signal.signal(signal.SIGALRM, ring)
    # Again and again: code with a bare ``except`` swallows one.
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)
