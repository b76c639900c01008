"""Open requests in both directions, and delayed answers.

While an answer is delayed, only the lines of its own session wait.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from acp_jupyter.errors import AgentDied, AgentRequestError
from acp_jupyter.host.rpc.log_router import LogRouter, Mark, SessionLog
from acp_jupyter.protocol.errors import error_detail

_INTERNAL_ERROR = -32603
_DETAIL_CHARS = 4000


@dataclass(slots=True)
class SentRequest:
    """A request to the agent that waits for its answer."""

    id: int
    future: asyncio.Future[Any]
    log: SessionLog | None
    """The log of the request's session; None for the process as a whole."""
    opens: bool = False
    """Whether the answer names a session whose lines go to ``log`` from then on."""
    marks: tuple[Mark, ...] = ()
    before_answer: Callable[[], Awaitable[None]] | None = None


class SentRequests:
    """Our open requests to the agent. Results stay raw: a model could reject an answer."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._waiting: dict[int, SentRequest] = {}
        self._closed: AgentDied | None = None

    def open(self, log: SessionLog | None, *, opens: bool = False) -> SentRequest:
        """Add a request that is about to be sent."""
        if self._closed is not None:
            raise self._closed
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        request = SentRequest(next(self._ids), future, log, opens)
        self._waiting[request.id] = request
        return request

    def forget(self, request: SentRequest) -> bool:
        """Stop waiting for an answer; return whether it was still open."""
        waited = self._waiting.pop(request.id, None) is not None
        if not request.future.cancel() and not request.future.cancelled():
            request.future.exception()  # mark as retrieved: the waiting task may be gone
        return waited

    def answered_by(self, message: Mapping[str, Any]) -> SentRequest | None:
        """Return the request that ``message`` answers."""
        request_id = message.get("id")
        if "method" in message or not isinstance(request_id, int):
            return None
        return self._waiting.get(request_id)

    def of_id(self, request_id: object) -> SentRequest | None:
        """Return the open request with an id as the agent writes it."""
        if isinstance(request_id, str) and request_id.isdigit():
            request_id = int(request_id)
        return self._waiting.get(request_id) if isinstance(request_id, int) else None

    def settle(self, message: Mapping[str, Any]) -> None:
        """Resolve the request of an answer; an answer without a request is ignored."""
        request = self.answered_by(message)
        if request is None:
            return
        future = self._waiting.pop(request.id).future
        error = message.get("error")
        if future.done():
            return
        if isinstance(error, Mapping):
            future.set_exception(_request_error(error))
        else:
            future.set_result(message.get("result"))

    def close(self, error: AgentDied) -> AgentDied:
        """Fail all present and later requests with the first ``error`` given; return that."""
        if self._closed is None:
            self._closed = error
        waiting, self._waiting = list(self._waiting.values()), {}
        for request in waiting:
            if not request.future.done():
                request.future.set_exception(self._closed)
        return self._closed


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request from the agent that waits for our answer."""

    id: object
    """The agent's id; ids may repeat and be of any type."""
    marks: tuple[Mark, ...]


class ReceivedRequests:
    """Open requests from the agent, under our own ids: the agent's may repeat."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._ids = itertools.count(1)
        self._open: dict[int, ReceivedRequest] = {}

    def full(self) -> bool:
        """Return whether too many requests are open."""
        return len(self._open) >= self._limit

    def open(self, message: Mapping[str, Any], marks: tuple[Mark, ...]) -> dict[str, Any]:
        """Add a request; return its message with an id of ours."""
        ours = next(self._ids)
        self._open[ours] = ReceivedRequest(message["id"], marks)
        return {**message, "id": ours}

    def take(self, ours: int) -> ReceivedRequest | None:
        """Remove and return the request with our id; None if it needs no answer any more."""
        return self._open.pop(ours, None)

    def of_id(self, request_id: object) -> ReceivedRequest | None:
        """Return the open request with the agent's id ``request_id``."""
        return next((open_ for open_ in self._open.values() if open_.id == request_id), None)


def _request_error(error: Mapping[str, Any]) -> AgentRequestError:
    """Return the exception for a JSON-RPC error."""
    code, data = error.get("code"), error.get("data")
    detail = error_detail(data) or (json.dumps(data, ensure_ascii=False) if data else "")
    return AgentRequestError(
        str(error.get("message") or "Error"),
        detail[:_DETAIL_CHARS],
        code if isinstance(code, int) else _INTERNAL_ERROR,
    )


_log = logging.getLogger(__name__)


class DelayedAnswers:
    """Delays answers to requests with a ``before_answer`` until that is done.

    Parameters
    ----------
    lines
        Finds the session of a line.
    answered
        Returns our request that a message answers.
    release
        Called with each delayed value and its text, in order of arrival.
    """

    def __init__(
        self,
        lines: LogRouter,
        answered: Callable[[Mapping[str, Any]], SentRequest | None],
        release: Callable[[object, str], None],
    ) -> None:
        self._log_router = lines
        self._answered = answered
        self._release = release
        self._waiting: dict[SessionLog, deque[tuple[object, str]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def hold(self, value: object, text: str) -> bool:
        """Delay such an answer, or a value after it in its session; return whether delayed."""
        if not isinstance(value, dict):
            return False
        request = self._answered(value)
        if request is None or request.before_answer is None or request.log is None:
            log = self._log_router.log_of(value) if self._waiting and "method" in value else None
            if log is None or log not in self._waiting:
                return False
            self._waiting[log].append((value, text))
            return True
        if request.log in self._waiting:  # a second answer waits behind the first
            self._waiting[request.log].append((value, text))
        else:
            self._begin(request.log, value, text)
        return True

    async def settled(self) -> None:
        """Wait until nothing is delayed."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    def _begin(self, log: SessionLog, value: object, text: str) -> None:
        self._waiting[log] = deque([(value, text)])
        task = asyncio.create_task(self._run(log))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, log: SessionLog) -> None:
        waiting = self._waiting[log]
        try:
            while waiting:
                value, text = waiting.popleft()
                await self._wait(value)
                self._release(value, text)
        finally:
            del self._waiting[log]

    async def _wait(self, value: object) -> None:
        request = self._answered(value) if isinstance(value, dict) else None
        if request is None or request.before_answer is None:
            return
        try:
            await request.before_answer()
        except Exception:  # noqa: BLE001 - the answer must come whatever happens
            _log.exception("an answer could not be waited for")
        request.before_answer = None
