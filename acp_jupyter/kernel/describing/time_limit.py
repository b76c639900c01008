"""A bound on how long somebody else's Python code may take, e.g. a ``__repr__``."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

__all__ = ["FAILURES", "TimeUp", "can_limit", "time_limit"]

FAILURES = (Exception, SystemExit, GeneratorExit)
"""What somebody else's code may raise, an interrupt apart: that is the user's."""

_AGAIN_SECONDS = 0.05


class TimeUp(BaseException):
    """It took too long. No `Exception`: the code must not catch it by chance."""


_depth = 0
"""Of limits within limits; on the main thread alone."""


def can_limit() -> bool:
    """Whether anything can be stopped here: on the main thread, and not on Windows.

    Nor where the user's program has the process's one timer.
    """
    if threading.current_thread() is not threading.main_thread():
        return False
    if not hasattr(signal, "setitimer"):
        return False
    return _depth > 0 or not signal.getitimer(signal.ITIMER_REAL)[0]


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeUp` in what runs within, after some time, where that can be done.

    One long call into C is stopped at its end only.
    """
    if not can_limit():
        yield
        return

    global _depth
    over = False

    def ring(_number: int, _frame: FrameType | None) -> None:
        if not over:
            raise TimeUp

    begun = time.monotonic()
    handler = signal.signal(signal.SIGALRM, ring)
    # Again and again: code with a bare ``except`` swallows one.
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)
    _depth += 1
    try:
        try:
            yield
        finally:
            over = True  # should it ring just before this, the rest is done all the same
    finally:
        _depth -= 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if _depth:  # the outer limit goes on
            left = max(0.001, left - (time.monotonic() - begun))
            signal.setitimer(signal.ITIMER_REAL, left, _AGAIN_SECONDS)
