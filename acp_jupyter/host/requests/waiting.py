"""Requests that wait for their answer. Their owner decides who answers, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class WaitingRequests(Generic[Answer]):
    """The open requests of one kind, by id; each is answered once.

    An answer may come before its request waits: users see a request as soon as it is in the log.
    """

    def __init__(self) -> None:
        self._open: dict[str, asyncio.Future[Answer]] = {}
        self._early: dict[str, Answer] = {}

    @contextmanager
    def wait(
        self, request_id: str, given_up: Callable[[], None]
    ) -> Iterator[asyncio.Future[Answer]]:
        """Add a request, and yield a future of its answer, to be awaited within the context.

        ``given_up`` is called if the waiting task is cancelled, so that no answer is needed.
        """
        answer = self.join(request_id)
        try:
            yield answer
        except asyncio.CancelledError:
            given_up()
            raise
        finally:
            self._open.pop(request_id, None)

    def join(self, request_id: str) -> asyncio.Future[Answer]:
        """Return the future of a request's answer, for several tasks; add the request if new."""
        if request_id not in self._open:
            self._open[request_id] = asyncio.get_running_loop().create_future()
        return self._open[request_id]

    def answer(self, request_id: str, answer: Answer) -> None:
        """Answer a request, even before it waits."""
        waiting = self._open.pop(request_id, None)
        if waiting is None:
            self._early[request_id] = answer
        elif not waiting.done():
            waiting.set_result(answer)

    def waits(self, request_id: str) -> bool:
        """Return whether a request waits now."""
        waiting = self._open.get(request_id)
        return waiting is not None and not waiting.done()

    def ids(self) -> tuple[str, ...]:
        """Return the ids of the requests that wait now, in the order in which they came."""
        return tuple(filter(self.waits, self._open))

    def answered_early(self, request_id: str) -> bool:
        """Return whether a request was answered before it waits."""
        return request_id in self._early

    def pop_early(self, request_id: str) -> Answer | None:
        """Remove and return an answer that came before its request waits."""
        return self._early.pop(request_id, None)

    def change_early(self, change: Callable[[Answer], Answer]) -> None:
        """Change all answers that came before their requests wait."""
        self._early = {name: change(each) for name, each in self._early.items()}
