"""Requests that wait for an answer, in both directions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from acp_jupyter.errors import AgentDied, AgentRequestError

__all__ = ["OurRequests", "TheirRequests"]

_INTERNAL_ERROR = -32603
_DETAIL_CHARS = 4000


class OurRequests:
    """What we asked the agent. Raw results: no model may lose an answer."""

    def __init__(self) -> None:
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._closed: AgentDied | None = None

    def open(self, seq: int) -> asyncio.Future[Any]:
        """Expect an answer to the request that goes out as line ``seq``, which is its id too."""
        if self._closed is not None:
            raise self._closed
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[seq] = future
        return future

    def forget(self, seq: int, future: asyncio.Future[Any]) -> None:
        """Stop waiting; a later answer will be ignored."""
        self._waiting.pop(seq, None)
        if not future.cancel() and not future.cancelled():
            future.exception()  # seen; the one who waited may have failed before

    def asked(self, message: Mapping[str, Any]) -> int | None:
        """Return the ``seq`` of the request that ``message`` answers."""
        request_id = message.get("id")
        known = isinstance(request_id, int) and request_id in self._waiting
        return request_id if known and "method" not in message else None

    def settle(self, message: Mapping[str, Any]) -> None:
        """Hand an answer to whoever waits for it; one for nobody is ignored."""
        seq = self.asked(message)
        if seq is None:
            return
        future = self._waiting.pop(seq)
        error = message.get("error")
        if future.done():
            return
        if isinstance(error, Mapping):
            future.set_exception(_request_error(error))
        else:
            future.set_result(message.get("result"))

    def close(self, error: AgentDied) -> AgentDied:
        """Fail what waits now or later with the first ``error`` given, and return that."""
        if self._closed is None:
            self._closed = error
        waiting, self._waiting = list(self._waiting.values()), {}
        for future in waiting:
            if not future.done():
                future.set_exception(self._closed)
        return self._closed


class TheirRequests:
    """What the agent asked. Its ids may repeat and be of any type, so ours stand in for them."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._ids: dict[int, object] = {}

    def full(self) -> bool:
        """Tell whether too many requests are open."""
        return len(self._ids) >= self._limit

    def open(self, seq: int, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request with ``seq`` for an id."""
        self._ids[seq] = message["id"]
        return {**message, "id": seq}

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the answer with the agent's own id, or None where none is expected any more."""
        seq = message["id"]
        if seq not in self._ids:
            return None
        return {**message, "id": self._ids.pop(seq)}


def _request_error(error: Mapping[str, Any]) -> AgentRequestError:
    """Make an exception of a JSON-RPC error; agents put the real text in various places of it."""
    data = error.get("data")
    detail = ""
    if isinstance(data, Mapping):
        texts = [data.get(key) for key in ("details", "message", "error")]
        detail = next((text for text in texts if isinstance(text, str) and text), "")
    if data and not detail:
        detail = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    code = error.get("code")
    return AgentRequestError(
        str(error.get("message") or "Error"),
        detail[:_DETAIL_CHARS],
        code if isinstance(code, int) else _INTERNAL_ERROR,
    )
