"""The connection of the protocol's SDK, over our transport.

It matches answers with requests, and runs a task for each request of the agent. What is repaired,
limited and logged is so before, in `acp_jupyter.host.rpc.transport`. Imported late, as `sdk` is.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, cast

from acp import RequestError
from acp.connection import Connection
from pydantic import ValidationError

from acp_jupyter.errors import AgentRequestError
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.rpc.agent_answers import ErrorAnswer, Models, Received, RequestHandling
from acp_jupyter.host.rpc.log_router import SessionLog
from acp_jupyter.host.rpc.open_requests import Sent, SentRequest
from acp_jupyter.host.rpc.transport import BeforeAnswer, LineTransport
from acp_jupyter.protocol.errors import error_detail
from acp_jupyter.protocol.objects import misfits
from acp_jupyter.transcript.redactor import Redactor

_INTERNAL_ERROR = -32603
_ERROR_CHARS = 20_000
_DETAIL_CHARS = 4000
_DEAF = "is not listened to any more"

_logger = logging.getLogger(__name__)


class SdkConnection:
    """Sends requests to an agent, and answers the agent's."""

    def __init__(
        self,
        spec: AgentSpec,
        handling: RequestHandling,
        models: Models,
        transport: LineTransport,
        redactor: Redactor,
    ) -> None:
        self._spec = spec
        self._handling = handling
        self._models = models
        self._transport = transport
        self._redactor = redactor
        self._connection = _connect(self._answer, transport)
        self._receiving = asyncio.create_task(self._receive(), name="acp-agent-messages")

    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        seconds: float | None,
        *,
        log: SessionLog | None = None,
        opens: bool = False,
        before_answer: BeforeAnswer | None = None,
    ) -> Any:
        """Send a request and return the raw result.

        A result that is not valid is returned all the same: what reads it is tolerant. Secrets are
        removed from an error, which users read.

        Parameters
        ----------
        log
            The log of the request's session; None writes it into the logs of all sessions.
        before_answer
            Awaited when the answer has come, before it is logged and returned; later lines of
            the session wait meanwhile. It must not raise.
        """
        try:
            self._models.sent(method, params)
        except ValidationError as error:
            raise AgentRequestError(
                f"{self._spec.name} can't be sent {method}: {'; '.join(misfits(error))}."
            ) from None
        request = SentRequest(params, log, opens, before_answer)
        try:
            async with asyncio.timeout(seconds):
                result = await self._connection.send_request(method, request)
        except RequestError as error:
            raise self._request_error(error) from None
        except ConnectionError:
            raise self._transport.fail_deaf(_DEAF) from None
        finally:
            self._transport.forget(request, tells=method != "session/prompt")
        try:
            self._models.result(method, result)
        except ValidationError as error:
            wrong = "; ".join(misfits(error))
            _logger.info("The answer of %s to %s is not valid: %s", self._spec.id, method, wrong)
        return result

    async def notify(
        self, method: str, params: Mapping[str, Any], log: SessionLog | None = None
    ) -> None:
        """Queue a notification, behind the data that the agent has not read yet."""
        self._models.sent(method, params)
        try:
            await self._connection.send_notification(method, Sent(params, log))
        except ConnectionError:
            raise self._transport.fail_deaf(_DEAF) from None

    async def close(self) -> None:
        """End all handlers. The transport has ended."""
        await asyncio.wait((self._receiving,))
        await self._connection.close()

    def _request_error(self, error: RequestError) -> AgentRequestError:
        """Return the error of ours."""
        data: Any = error.data
        detail = error_detail(data) or (json.dumps(data, ensure_ascii=False) if data else "")
        code: object = error.code
        redact = self._redactor.redact_text
        return AgentRequestError(
            redact(str(error.args[0] or "Error")[:_ERROR_CHARS]),
            redact(detail[:_DETAIL_CHARS]),
            code if isinstance(code, int) else _INTERNAL_ERROR,
        )

    async def _receive(self) -> None:
        """Bring messages to the connection; if it fails, the agent can't be talked to."""
        try:
            await self._connection.main_loop()
        except Exception:
            _logger.exception("The messages of an agent could not be read any more")
        finally:
            self._transport.fail_deaf(_DEAF)

    async def _answer(self, method: str, received: Any, is_notification: bool) -> Any:
        try:
            return await self._handling.answer(method, cast("Received", received))
        except ErrorAnswer as error:
            if is_notification:
                return None
            raise RequestError(error.code, str(error), error.data) from None


class _Connection(Protocol):
    """What of the SDK's connection is used."""

    async def main_loop(self) -> None:
        """Read messages to the end."""

    async def send_request(self, method: str, params: Any) -> Any:
        """Return the result of a request."""

    async def send_notification(self, method: str, params: Any) -> None:
        """Send a notification."""

    async def close(self) -> None:
        """End all tasks."""


_Handler = Callable[[str, Any, bool], Awaitable[Any]]


def _connect(handler: _Handler, transport: LineTransport) -> _Connection:
    if "dispatcher_factory" in inspect.signature(Connection).parameters:
        return _Connection011(handler, transport)
    return Connection(handler, transport, listening=False)


class _Connection011:
    """The connection of SDK 0.11, which reads bytes only: its dispatcher reads the transport."""

    def __init__(self, handler: _Handler, transport: LineTransport) -> None:
        self._transport = transport
        self._supervisor: Any = None
        self._state: Any = None
        self._run_request: Any = None
        self._run_notification: Any = None
        connection: Any = Connection
        self._connection: _Connection = connection(
            handler,
            None,
            None,
            listening=False,
            sender_factory=lambda *_: transport,
            dispatcher_factory=self._made,
        )

    def _made(self, *parts: Any) -> Any:
        """Take the parts of the connection; return the dispatcher that it starts and stops."""
        _, self._supervisor, self._state, self._run_request, self._run_notification = parts
        return self

    def start(self) -> None:
        """Do nothing: `main_loop` reads."""

    async def stop(self) -> None:
        """Do nothing: `main_loop` ends with the transport."""

    async def main_loop(self) -> None:
        """Read messages to the end."""
        while (message := await self._transport.receive()) is not None:
            if "id" not in message:
                self._supervisor.create(self._run_notification(message))
            elif "method" in message:
                self._supervisor.create(self._answered(message))
            elif "error" in message:
                self._state.reject_outgoing(message["id"], _error_of(message["error"]))
            else:
                self._state.resolve_outgoing(message["id"], message["result"])
        self._state.reject_all_outgoing(ConnectionError("Connection closed"))

    async def _answered(self, message: dict[str, Any]) -> None:
        # It raises what it has answered with.
        with contextlib.suppress(RequestError):
            await self._run_request(message)

    async def send_request(self, method: str, params: SentRequest) -> Any:
        """Return the result of a request."""
        try:
            return await self._connection.send_request(method, params)
        finally:
            self._state.resolve_outgoing(params.connections_id, None)  # it would be kept for ever

    async def send_notification(self, method: str, params: Sent) -> None:
        """Send a notification."""
        await self._connection.send_notification(method, params)

    async def close(self) -> None:
        """End all tasks."""
        await self._connection.close()


def _error_of(error: Mapping[str, Any]) -> RequestError:
    code, message = error.get("code", _INTERNAL_ERROR), error.get("message", "Error")
    return RequestError(code, message, error.get("data"))
