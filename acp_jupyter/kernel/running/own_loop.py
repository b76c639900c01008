"""Runs code with ``await`` on the main thread, beside the loop that is held up there."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from asyncio.events import _get_running_loop, _set_running_loop
from asyncio.tasks import _enter_task, _leave_task
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

__all__ = ["OwnLoop"]

_T = TypeVar("_T")
_END_SECONDS = 2.0
"""For tasks that the code leaves behind: they are cancelled."""
_MOST_CANCELS = 2
"""Code that goes on all the same is left where it stands."""


class OwnLoop:
    """A ``loop_runner`` of IPython: each coroutine gets an event loop for itself.

    The kernel's own loop can't run it: it is held up by the cell that waits.
    """

    def __init__(self) -> None:
        self.interrupted = False
        """Whether an interrupt cancelled the code while it awaited something."""

    def __call__(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine to its end."""
        with _set_aside():
            loop = asyncio.new_event_loop()
            try:
                task = loop.create_task(coroutine)
                with self._hearing(loop, task):
                    return loop.run_until_complete(task)
            finally:
                _end(loop)

    @contextlib.contextmanager
    def _hearing(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[_T]) -> Iterator[None]:
        """Let an interrupt end the code, but not strike the loop between two steps of it."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        cancels = 0

        def stop(_signal: int, _frame: object) -> None:
            nonlocal cancels
            if asyncio.current_task(loop) is not None or cancels == _MOST_CANCELS:
                raise KeyboardInterrupt
            cancels += 1
            self.interrupted = True
            loop.call_soon_threadsafe(task.cancel)  # it wakes the loop too

        earlier = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, earlier)


@contextlib.contextmanager
def _set_aside() -> Iterator[None]:
    """Make this thread one without a running loop, as asyncio wants it for another."""
    outer = _get_running_loop()
    if outer is None:
        yield
        return
    task = asyncio.current_task(outer)
    if task is not None:
        _leave_task(outer, task)
    _set_running_loop(None)
    try:
        yield
    finally:
        _set_running_loop(outer)
        if task is not None:
            _enter_task(outer, task)


def _end(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what is left; threads of its executor are not waited for."""
    try:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=_END_SECONDS))
        closing = asyncio.wait_for(loop.shutdown_asyncgens(), _END_SECONDS)
        with contextlib.suppress(TimeoutError):
            loop.run_until_complete(closing)
    finally:
        loop.close()
