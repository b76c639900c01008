"""The host's thread with its own asyncio loop, which serves all agents of a program.

With a loop of its own, bursts of updates do not slow down Jupyter's loop.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, cast

from acp_jupyter.errors import HostClosed, ServerUnreachable

T = TypeVar("T")

_logger = logging.getLogger(__name__)
_LAST_SECONDS = 1.0
_ROUNDS = 2
_STOP_SECONDS = 15.0
_WORKERS = 32
_SLICE_SECONDS = 0.2
"""Longest single wait: on Windows a wait can't be interrupted."""


class HostThread:
    """A thread that runs the host's asyncio loop; all methods may be called from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        # The default is five threads on a machine with one processor: a slow disk blocks them all.
        self._loop.set_default_executor(ThreadPoolExecutor(_WORKERS, "acp-worker"))
        self._thread = threading.Thread(target=self._serve, name="acp-host", daemon=True)
        self._stopped = False

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Run a coroutine on the loop."""
        self._must_run(work)
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop, and wait for it on another."""
        return await asyncio.wrap_future(self.submit(work))

    def call(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """Run a coroutine on the loop and return its result; safe to interrupt.

        Waiting for a future of `submit` is not: an interrupt can leave its lock acquired, and the
        loop would then wait for that lock forever.
        """
        self._must_run(work)
        task: asyncio.Task[T] | None = None
        ended: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

        def start() -> None:
            nonlocal task
            task = self._loop.create_task(work)
            task.add_done_callback(end)

        def end(done: asyncio.Task[T]) -> None:
            nonlocal task
            task = None  # drop it here: a destructor on the caller's thread swallows interrupts
            if done.cancelled():
                ended.put((None, ServerUnreachable("The agent host has ended.")))
            elif (error := done.exception()) is not None:
                ended.put((None, error))
            else:
                ended.put((done.result(), None))

        def stop() -> None:
            if task is None:
                work.close()
            else:
                task.cancel()

        try:
            self._loop.call_soon_threadsafe(start)
            result, error = _first(ended, seconds)
            if error is not None:
                raise error
            return cast(T, result)
        finally:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(stop)

    def _must_run(self, work: Coroutine[Any, Any, Any]) -> None:
        if self._stopped:
            work.close()
            raise HostClosed("The agent host is shutting down.")

    def stop(self) -> None:
        """End all tasks of the loop, then the thread. Blocks for a few seconds at most."""
        if self._stopped:
            return
        closing = self.submit(self._close())
        self._stopped = True
        try:
            closing.result(_STOP_SECONDS)
        except (TimeoutError, concurrent.futures.TimeoutError):
            _logger.warning(
                "Sessions did not end within %s s; their agents are killed.", _STOP_SECONDS
            )
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_STOP_SECONDS)

    async def _close(self) -> None:
        """Close everything that runs on the loop."""

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._end_tasks()
            self._loop.close()

    def _end_tasks(self) -> None:
        """Cancel tasks that did not finish within the time for closing, and what they start then.

        One that is left would say at the end of the program that it was destroyed.
        """
        for _ in range(_ROUNDS):
            if left := asyncio.all_tasks(self._loop):
                for task in left:
                    task.cancel()
                self._loop.run_until_complete(asyncio.wait(left, timeout=_LAST_SECONDS))
        for task in asyncio.all_tasks(self._loop):
            task._log_destroy_pending = False  # type: ignore[attr-defined]


def _first(queue: SimpleQueue[T], seconds: float) -> T:
    deadline = time.monotonic() + seconds
    while True:
        try:
            return queue.get(timeout=_SLICE_SECONDS)
        except Empty:
            if time.monotonic() > deadline:
                raise ServerUnreachable(
                    f"The agent host did not answer within {seconds:g} s."
                ) from None
