"""The client at the other end of stdio, by the SDK's `Connection`.

What is played was written by any agent, for any method and well-formed or not, so it passes through
no model: an `acp.Agent` would answer only the methods that the SDK knows, with the fields it knows.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import acp
from acp.connection import Connection, StreamDirection, StreamEvent

from acp_jupyter.agents.serving import INTERNAL_ERROR, Json, Out, encode, open_stdio


class Peer:
    """Sends lines and requests to the client, and answers its requests.

    Parameters
    ----------
    on_request
        Called with id, method and parameters of each request; answers with `answer` or `fail`, or
        raises `acp.RequestError`.
    on_notification
        Called with method and parameters of each notification.
    """

    def __init__(
        self,
        on_request: Callable[[object, str, Json], None],
        on_notification: Callable[[str, Json], None],
    ) -> None:
        self._on_request = on_request
        self._on_notification = on_notification
        self._received: deque[object] = deque()
        """Ids of the requests that no handler has yet: the SDK keeps them from handlers."""
        self._open: dict[object, asyncio.Future[object]] = {}
        self._sent: dict[object, asyncio.Event] = {}

    async def serve(self) -> None:
        """Serve until stdin ends."""
        reader, writer = await open_stdio()
        self._out = Out(writer)
        self._connection = Connection(
            self._handle, writer, reader, listening=False, observers=[self._observe]
        )
        try:
            await self._connection.main_loop()
        finally:
            await self._connection.close()

    def send(self, message: Json) -> None:
        """Send one message as it is, but for a request or an answer."""
        self._out.put(encode({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def notify(self, method: str, params: Json) -> None:
        """Send a notification."""
        self._out.notify(method, params)

    async def request(self, method: str, params: Json) -> Json:
        """Send a request and wait for its result; a result that is no object reads as ``{}``.

        Raises
        ------
        RequestError
            The client answered with an error.
        """
        result = await self._connection.send_request(method, params)
        return result if isinstance(result, dict) else {}

    async def answer(self, request_id: object, result: object) -> None:
        """Answer a request, and wait until the answer is on its way."""
        await self._settle(request_id, lambda answer: answer.set_result(result))

    async def fail(self, request_id: object, error: acp.RequestError) -> None:
        """Do the same with an error."""
        await self._settle(request_id, lambda answer: answer.set_exception(error))

    async def answer_as(self, request_id: object, message: Mapping[str, Any]) -> None:
        """Answer as another agent did: with what it answered, or with its error."""
        error = message.get("error")
        if not isinstance(error, Mapping):
            await self.answer(request_id, message.get("result"))
            return
        await self.fail(request_id, _RecordedError(error))

    async def drain(self) -> None:
        """Wait until all is written."""
        await self._out.drain()

    async def _settle(
        self, request_id: object, settle: Callable[[asyncio.Future[object]], None]
    ) -> None:
        sent = self._sent[request_id] = asyncio.Event()
        settle(self._open[request_id])
        await sent.wait()
        del self._sent[request_id]

    def _observe(self, event: StreamEvent) -> None:
        if "id" not in event.message:
            return
        if event.direction is StreamDirection.INCOMING:
            if "method" in event.message:
                self._received.append(event.message["id"])
        elif event.message["id"] in self._sent and "method" not in event.message:
            self._sent[event.message["id"]].set()

    async def _handle(self, method: str, params: object, is_notification: bool) -> object:
        given = params if isinstance(params, dict) else {}
        if is_notification:
            self._on_notification(method, given)
            return None
        request_id = self._received.popleft()
        answer = self._open[request_id] = asyncio.get_running_loop().create_future()
        try:
            self._on_request(request_id, method, given)
            return await answer
        finally:
            del self._open[request_id]


class _RecordedError(acp.RequestError):
    """An error as it was answered, with fields of any kind and number."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(INTERNAL_ERROR, "recorded")
        self._error = dict(error)

    def to_error_obj(self) -> dict[str, Any]:
        return self._error
