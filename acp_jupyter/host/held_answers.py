"""Answers that are held back: with them waits what follows in their session, and nothing else."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from acp_jupyter.host.requests import OurRequest, OurRequests
from acp_jupyter.host.routing import Lines, SessionLog
from acp_jupyter.protocol.normalise import normalise_clean

__all__ = ["HeldAnswers"]

_log = logging.getLogger(__name__)


class HeldAnswers:
    """Keeps the answers to requests that have a ``before_answer``, until that is done.

    Parameters
    ----------
    lines
        Know whose a line is.
    ours
        The requests that wait for an answer.
    release
        Gets each value that was kept, and its text, in the order they came.
    """

    def __init__(
        self, lines: Lines, ours: OurRequests, release: Callable[[object, str], None]
    ) -> None:
        self._log_router = lines
        self._ours = ours
        self._release = release
        self._waiting: dict[SessionLog, deque[tuple[object, str]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def hold(self, value: object, text: str) -> bool:
        """Keep a value if it is such an answer, or follows one in its session; tell whether."""
        if not isinstance(value, dict):
            return False
        if "method" in value:
            log = self._log_router.log_of(value) if self._waiting else None
            if log is None or log not in self._waiting:
                return False
            self._waiting[log].append((value, text))
            return True
        request = self._request_of(value)
        if request is None or request.before_answer is None or request.log is None:
            return False
        if request.log in self._waiting:  # a second answer waits behind the first
            self._waiting[request.log].append((value, text))
        else:
            self._begin(request.log, value, text)
        return True

    async def settled(self) -> None:
        """Wait until nothing is held back any more."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    def _begin(self, log: SessionLog, value: object, text: str) -> None:
        self._waiting[log] = deque([(value, text)])
        task = asyncio.create_task(self._run(log))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, log: SessionLog) -> None:
        kept = self._waiting[log]
        try:
            while kept:
                value, text = kept.popleft()
                await self._wait(value)
                self._release(value, text)
        finally:
            del self._waiting[log]

    async def _wait(self, value: object) -> None:
        request = self._request_of(value)
        if request is None or request.before_answer is None:
            return
        try:
            await request.before_answer()
        except Exception:  # noqa: BLE001 - the answer must come whatever happens
            _log.exception("an answer could not be waited for")
        request.before_answer = None

    def _request_of(self, value: object) -> OurRequest | None:
        if not isinstance(value, dict) or "method" in value:
            return None
        found = map(self._ours.answered_by, normalise_clean(value))
        return next((request for request in found if request is not None), None)
