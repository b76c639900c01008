"""A WebSocket to one kernel of the gateway."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from queue import Empty
from typing import Any

from jupyter_client.jsonutil import json_default
from jupyter_client.session import Session
from jupyter_server.gateway.gateway_client import GatewayClient
from jupyter_server.utils import url_path_join
from tornado.escape import url_escape
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.web import HTTPError
from tornado.websocket import WebSocketClientConnection, WebSocketClosedError, websocket_connect

from acp_jupyter.notebook_tools.kernel_runner import KernelError

_logger = logging.getLogger(__name__)
_OPEN_SECONDS = 20.0
_MAX_MESSAGES = 10_000
UNREACHABLE = (
    "The gateway that runs this kernel does not answer. Ask the user to check that it runs."
)
"""A message for agents and logs."""
UNREADABLE = (HTTPError, OSError, ValueError, LookupError, TypeError, AttributeError)
"""Errors of jupyter_server if a gateway doesn't answer, or a proxy answers instead."""


def message_of(text: str) -> dict[str, Any]:
    """Parse a kernel's message; log and return an empty one if it can't be parsed."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    if isinstance(message, dict) and isinstance(message.get("content"), dict):
        return message
    _logger.warning("A kernel of the gateway sent an unreadable message.")
    return {}


class GatewayConnection:
    """A connection to a kernel, with Jupyter's messages. Used on Jupyter's loop.

    jupyter_server's own client of a gateway sends no token, and keeps a processor busy while it
    waits for a message.
    """

    def __init__(self, kernel_id: str) -> None:
        self._kernel_id = kernel_id
        self._session = Session()
        self._socket: WebSocketClientConnection | None = None

    async def open(self) -> None:
        """Connect."""
        gateway: Any = GatewayClient.instance()
        url = url_path_join(
            gateway.ws_url or "",
            gateway.kernels_endpoint,
            url_escape(self._kernel_id),
            f"channels?session_id={self._session.session}",
        )
        try:
            request = HTTPRequest(url, **gateway.load_connection_args())
            # `wait_for` of Python 3.11 may swallow the cancellation of its task.
            async with asyncio.timeout(_OPEN_SECONDS):
                self._socket = await websocket_connect(request)
        except (OSError, HTTPClientError, WebSocketClosedError):
            raise KernelError("no_kernel", UNREACHABLE) from None

    def message(self, kind: str, content: Mapping[str, Any], **metadata: Any) -> dict[str, Any]:
        """Create a message without sending it."""
        return dict(self._session.msg(kind, dict(content), metadata=metadata))

    async def send(self, channel: str, message: Mapping[str, Any]) -> None:
        """Send a message on a channel."""
        text = json.dumps({**message, "channel": channel}, default=json_default)
        try:
            assert self._socket is not None, "open() has not been called"
            await self._socket.write_message(text)
        except WebSocketClosedError:
            raise KernelError("no_kernel", UNREACHABLE) from None

    async def read(self) -> str | None:
        """Return the next message as text; None when the connection is closed."""
        if self._socket is None:
            return None
        text = await self._socket.read_message()
        return text.decode("utf-8", "replace") if isinstance(text, bytes) else text

    def close(self) -> None:
        """Close the connection."""
        if self._socket is not None:
            self._socket.close()


class GatewayChannels:
    """A kernel's shell, control and IOPub channels, over a connection to the gateway."""

    def __init__(self, kernel_id: str) -> None:
        self._connection = GatewayConnection(kernel_id)
        self._queues: dict[str, asyncio.Queue[dict[str, Any] | None]] = {
            name: asyncio.Queue(_MAX_MESSAGES) for name in ("shell", "iopub")
        }
        self._reading: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect."""
        await self._connection.open()
        self._reading = asyncio.create_task(self._read(), name="acp-gateway-channels")

    def close(self) -> None:
        """Close the connection."""
        if self._reading is not None:
            self._reading.cancel()
        self._connection.close()

    async def send(self, channel: str, kind: str, content: Mapping[str, Any], mark: str) -> str:
        """Send a message, marked in its metadata; return its id."""
        message = self._connection.message(kind, content, **{mark: True})
        await self._connection.send(channel, message)
        return str(message["header"]["msg_id"])

    async def receive(self, channel: str, seconds: float) -> dict[str, Any]:
        """Return the next message of a channel."""
        try:
            async with asyncio.timeout(seconds):
                message = await self._queues[channel].get()
        except TimeoutError:
            raise Empty from None
        if message is None:
            raise KernelError("no_kernel", UNREACHABLE)
        return message

    async def _read(self) -> None:
        while (text := await self._connection.read()) is not None:
            message = message_of(text)
            queue = self._queues.get(str(message.get("channel")))
            if queue is not None:
                await queue.put(message)
        for queue in self._queues.values():
            await queue.put(None)
