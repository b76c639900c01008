"""The requests of an agent: the handler of each, and the answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel, ValidationError

from acp_jupyter.protocol.objects import Obj, misfits

INVALID_PARAMS = -32602
NO_METHOD = -32601
RESOURCE_NOT_FOUND = -32002
CANCELLED = -32800
_INTERNAL_ERROR = -32603

_LOG = logging.getLogger(__name__)


class ErrorAnswer(Exception):
    """The error with which a request of the agent is answered.

    Parameters
    ----------
    code
        JSON-RPC's error code.
    data
        More for the agent.
    """

    def __init__(self, code: int, message: str, data: Obj | None = None) -> None:
        super().__init__(message)
        self.error: Obj = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


_SESSION_AND_META = frozenset({"session_id", "field_meta"})
"""The agent's own id of the session is not ours, which the transport knows."""
_HANDLERS: dict[str, str] = {
    "fs/read_text_file": "read_text_file",
    "fs/write_text_file": "write_text_file",
    "session/request_permission": "request_permission",
    "elicitation/create": "create_elicitation",
    "elicitation/complete": "complete_elicitation",
    "mcp/message": "mcp_message",
    "terminal/create": "create_terminal",
    "terminal/output": "terminal_output",
    "terminal/wait_for_exit": "wait_for_terminal_exit",
    "terminal/kill": "kill_terminal",
    "terminal/release": "release_terminal",
}
"""ACP's methods of a client, with the name of the handler of each."""


class Models(Protocol):
    """The models of requests and answers: `acp_jupyter.host.rpc.sdk`, which is imported late."""

    def sent(self, method: str, params: Mapping[str, Any]) -> BaseModel | None:
        """Return a request or notification to an agent as its model, if there is one."""

    def result(self, method: str, value: Any) -> BaseModel | None:
        """Return an agent's answer as its model, if there is one."""

    def asked(self, method: str, params: Mapping[str, Any]) -> BaseModel | None:
        """Return an agent's request or notification as its model, if there is one."""

    def answer(self, method: str, value: Obj | None) -> Any:
        """Return our answer to an agent's request as its model says it."""


class ReceivedRequest(NamedTuple):
    """A request or notification of an agent, and where it is logged.

    Parameters
    ----------
    message
        The message; a request has our id.
    session_id
        Our id of the session.
    seq
        The number of the message's line in that session's log.
    """

    message: dict[str, Any]
    session_id: str
    seq: int


class Transport(Protocol):
    """Carries requests and answers."""

    async def receive(self) -> ReceivedRequest | None:
        """Return the agent's next request or notification; None when it has ended."""

    async def send(self, message: dict[str, Any]) -> None:
        """Send an answer."""


Handler = Callable[..., Awaitable[Obj | None]]
ClientOf = Callable[[str], object]


class RequestHandling:
    """Runs a handler for each request of an agent, each in a task of its own.

    Parameters
    ----------
    client_of
        Returns what has the handlers for a session, by our id of it. A handler takes the
        parameters by name, as the SDK's model has them, but for the session's id; and
        ``request_seq``, the number of the request's line in the session's log.
    transport
        Brings requests, and takes the answers.
    """

    def __init__(self, client_of: ClientOf, transport: Transport, models: Models) -> None:
        self._models = models
        self._client_of = client_of
        self._transport = transport
        self._tasks: set[asyncio.Task[None]] = set()
        self._receiving = asyncio.create_task(self._receive(), name="acp-agent-requests")

    async def close(self) -> None:
        """Cancel all handlers."""
        tasks = [self._receiving, *self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _receive(self) -> None:
        while (request := await self._transport.receive()) is not None:
            task = asyncio.create_task(self._handle(request), name="acp-agent-request")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _handle(self, request: ReceivedRequest) -> None:
        outcome = await self._outcome(request)
        if "id" in request.message:
            await self._transport.send({"jsonrpc": "2.0", "id": request.message["id"], **outcome})

    async def _outcome(self, request: ReceivedRequest) -> Obj:
        try:
            return {"result": await self._result(request)}
        except ErrorAnswer as error:
            return {"error": error.error}
        except ValidationError as error:
            return {"error": {**_INVALID, "data": {"details": "; ".join(misfits(error))}}}
        except Exception:  # noqa: BLE001 - the agent gets an answer, whatever failed here
            _LOG.exception("The handler of %s failed", request.message["method"])
            return {"error": {"code": _INTERNAL_ERROR, "message": "Internal error"}}

    async def _result(self, request: ReceivedRequest) -> Any:
        method, params = request.message["method"], request.message.get("params")
        name = _HANDLERS.get(method)
        asked = self._models.asked(method, params if isinstance(params, Mapping) else {})
        if name is None or asked is None:
            raise ErrorAnswer(NO_METHOD, "Method not found", {"method": method})
        names = type(asked).model_fields.keys() - _SESSION_AND_META
        handler: Handler = getattr(self._client_of(request.session_id), name)
        fields = {field: getattr(asked, field) for field in names}
        answer = await handler(**fields, request_seq=request.seq)
        try:
            return self._models.answer(method, answer)
        except ValidationError:
            _LOG.exception("The answer to %s is not valid", method)
            raise ErrorAnswer(_INTERNAL_ERROR, "Internal error") from None


_INVALID: Obj = {"code": INVALID_PARAMS, "message": "Invalid params"}
