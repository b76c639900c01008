"""Open requests in both directions, and delayed answers.

While an answer is delayed, only the lines of its own session wait.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from acp_jupyter.host.rpc.log_router import LogRouter, Mark, SessionLog


@dataclass(eq=False, slots=True)
class Sent:
    """The ``params`` of what we send, until `LineTransport.send`; and where it is logged."""

    params: Mapping[str, Any]
    log: SessionLog | None
    """The log of its session; None for the process as a whole."""
    marks: tuple[Mark, ...] = field(default=(), init=False)


@dataclass(eq=False, slots=True)
class SentRequest(Sent):
    """A request to the agent that waits for its answer."""

    opens: bool = False
    """Whether the answer names a session whose lines go to ``log`` from then on."""
    before_answer: Callable[[], Awaitable[None]] | None = None
    id: int = field(default=0, init=False)
    """Its id in its line."""
    connections_id: object = field(default=None, init=False)
    """Its id in the SDK's connection."""


class SentRequests:
    """Our open requests to the agent. Results stay raw: a model could reject an answer."""

    def __init__(self, hand_on: Callable[[dict[str, Any]], None]) -> None:
        self._hand_on = hand_on
        self._ids = itertools.count(1)  # the SDK begins with 0, which some take for none
        self._waiting: dict[int, SentRequest] = {}

    def open(self, request: SentRequest, connections_id: object) -> None:
        """Add a request that is about to be sent, and give it its id."""
        request.id, request.connections_id = next(self._ids), connections_id
        self._waiting[request.id] = request

    def forget(self, request: SentRequest) -> bool:
        """Stop waiting for an answer; return whether it was still open."""
        return self._waiting.pop(request.id, None) is not None

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

    def resolve(self, message: Mapping[str, Any]) -> None:
        """Hand on an answer; one without a request is ignored."""
        request = self.answered_by(message)
        if request is None:
            return
        del self._waiting[request.id]
        error = message.get("error")
        outcome: dict[str, Any] = {"result": message.get("result")}
        if isinstance(error, Mapping):
            outcome = {"error": error}
        self._hand_on({"jsonrpc": "2.0", "id": request.connections_id, **outcome})


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

    def pop(self, ours: int) -> ReceivedRequest | None:
        """Remove and return the request with our id; None if it needs no answer any more."""
        return self._open.pop(ours, None)

    def of_id(self, request_id: object) -> ReceivedRequest | None:
        """Return the open request with the agent's id ``request_id``."""
        return next((open_ for open_ in self._open.values() if open_.id == request_id), None)


_logger = logging.getLogger(__name__)


class DelayedAnswers:
    """Delays answers to requests with a ``before_answer`` until that is done."""

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
        except Exception:
            _logger.exception("an answer could not be waited for")
        request.before_answer = None
