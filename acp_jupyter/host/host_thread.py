"""A thread with an asyncio loop of its own, for all agents of a program."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from acp_jupyter.errors import HostClosed

__all__ = ["HostThread"]

T = TypeVar("T")

_log = logging.getLogger(__name__)
_LAST_SECONDS = 1.0
_STOP_SECONDS = 15.0


class HostThread:
    """Keeps bursts of updates off Jupyter's loop. All of this may be called from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="acp-host", daemon=True)
        self._stopped = False

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Run a coroutine on the loop.

        Raises
        ------
        HostClosed
            The host is shutting down.
        """
        if self._stopped:
            work.close()
            raise HostClosed("The agent host is shutting down.")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        """End everything that lives on the loop, then the thread. Blocks some seconds at most."""
        if self._stopped:
            return
        closing = self.submit(self._close())
        self._stopped = True
        try:
            closing.result(_STOP_SECONDS)
        except (TimeoutError, concurrent.futures.TimeoutError):
            _log.warning(
                "Sessions did not end within %s s; their agents are killed.", _STOP_SECONDS
            )
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_STOP_SECONDS)

    async def _close(self) -> None:
        """End what lives on the loop."""

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._end_tasks()
            self._loop.close()

    def _end_tasks(self) -> None:
        """End what was still on its way when the time for closing was over."""
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        if left:
            self._loop.run_until_complete(asyncio.wait(left, timeout=_LAST_SECONDS))
