"""The requests of an agent: their parameters, the handler of each, and the answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

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


class _Params(BaseModel):
    """Parameters of a request. What the schema does not name is ignored."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, strict=True)


_SESSION = "session_id"
"""The agent's own id of the session; the transport knows ours."""
_Count = Annotated[int, Field(ge=0)]
_Items = BeforeValidator(lambda value: [] if value is None else value)
"""Null and a missing list say the same."""


class _ReadTextFile(_Params):
    session_id: str
    path: str
    line: _Count | None = None
    limit: _Count | None = None


class _WriteTextFile(_Params):
    session_id: str
    path: str
    content: str


class EnvVariable(_Params):
    """ACP: a variable of a terminal's environment."""

    name: str
    value: str


class _CreateTerminal(_Params):
    session_id: str
    command: str
    args: Annotated[list[str], _Items] = []
    env: Annotated[list[EnvVariable], _Items] = []
    cwd: str | None = None
    output_byte_limit: _Count | None = None


class _Terminal(_Params):
    session_id: str
    terminal_id: str


class _ToolCall(_Params):
    tool_call_id: str


class _PermissionOption(_Params):
    option_id: str
    name: str
    kind: str


class _RequestPermission(_Params):
    session_id: str
    tool_call: _ToolCall
    options: list[_PermissionOption]


class _Schema(_Params):
    properties: dict[str, dict[str, Any]] = {}


class _CreateElicitation(_Params):
    message: str
    mode: Literal["form", "url"]
    requested_schema: _Schema | None = None


class _CompleteElicitation(_Params):
    elicitation_id: str


class _McpMessage(_Params):
    server_id: str
    request_id: str
    method: str
    params: dict[str, Any] | None = None


_HANDLERS: dict[str, tuple[type[_Params], str]] = {
    "fs/read_text_file": (_ReadTextFile, "read_text_file"),
    "fs/write_text_file": (_WriteTextFile, "write_text_file"),
    "session/request_permission": (_RequestPermission, "request_permission"),
    "elicitation/create": (_CreateElicitation, "create_elicitation"),
    "elicitation/complete": (_CompleteElicitation, "complete_elicitation"),
    "mcp/message": (_McpMessage, "mcp_message"),
    "terminal/create": (_CreateTerminal, "create_terminal"),
    "terminal/output": (_Terminal, "terminal_output"),
    "terminal/wait_for_exit": (_Terminal, "wait_for_terminal_exit"),
    "terminal/kill": (_Terminal, "kill_terminal"),
    "terminal/release": (_Terminal, "release_terminal"),
}
"""ACP's methods of a client, with the parameters of each and the name of its handler."""


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
        parameters by name, but for the session's id, and ``request_seq``: the number of the
        request's line in the session's log.
    transport
        Brings requests, and takes the answers.
    """

    def __init__(self, client_of: ClientOf, transport: Transport) -> None:
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

    async def _result(self, request: ReceivedRequest) -> Obj | None:
        method, params = request.message["method"], request.message.get("params")
        model, name = _HANDLERS.get(method, (None, ""))
        if model is None:
            raise ErrorAnswer(NO_METHOD, "Method not found", {"method": method})
        read = model.model_validate(params if isinstance(params, Mapping) else {})
        fields = {field: getattr(read, field) for field in model.model_fields if field != _SESSION}
        handler: Handler = getattr(self._client_of(request.session_id), name)
        return await handler(**fields, request_seq=request.seq)


_INVALID: Obj = {"code": INVALID_PARAMS, "message": "Invalid params"}
