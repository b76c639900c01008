"""The requests of an agent: the handler of each, and the answers."""

from __future__ import annotations

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

_logger = logging.getLogger(__name__)


class ErrorAnswer(Exception):
    """The error with which a request of the agent is answered."""

    def __init__(self, code: int, message: str, data: Obj | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


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


class Received(NamedTuple):
    """The ``params`` of a request or notification of an agent, and where it is logged."""

    params: Obj
    session_id: str
    seq: int


Handler = Callable[..., Awaitable[Obj | None]]
ClientOf = Callable[[str], object]


class RequestHandling:
    """Finds the handler of each request of an agent.

    Parameters
    ----------
    client_of
        Returns what has the handlers for a session, by our id of it. A handler takes the
        parameters by name, as the SDK's model has them, but for the session's id; and
        ``request_seq``, the number of the request's line in the session's log.
    """

    def __init__(self, client_of: ClientOf, models: Models) -> None:
        self._models = models
        self._client_of = client_of

    async def answer(self, method: str, received: Received) -> Any:
        """Return the result of a request."""
        try:
            return await self._result(method, received)
        except ErrorAnswer:
            raise
        except ValidationError as error:
            wrong: Obj = {"details": "; ".join(misfits(error))}
            raise ErrorAnswer(INVALID_PARAMS, "Invalid params", wrong) from None
        except Exception:
            _logger.exception("The handler of %s failed", method)
            raise ErrorAnswer(_INTERNAL_ERROR, "Internal error") from None

    async def _result(self, method: str, received: Received) -> Any:
        name = _HANDLERS.get(method)
        asked = self._models.asked(method, received.params)
        if name is None or asked is None:
            raise ErrorAnswer(NO_METHOD, "Method not found", {"method": method})
        names = type(asked).model_fields.keys() - _SESSION_AND_META
        handler: Handler = getattr(self._client_of(received.session_id), name)
        fields = {field: getattr(asked, field) for field in names}
        answer = await handler(**fields, request_seq=received.seq)
        try:
            return self._models.answer(method, answer)
        except ValidationError:
            _logger.exception("The answer to %s is not valid", method)
            raise ErrorAnswer(_INTERNAL_ERROR, "Internal error") from None
