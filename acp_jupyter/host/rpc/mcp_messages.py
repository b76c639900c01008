"""MCP servers of the host that an agent reaches over its own connection. ACP: mcp/message.

A message names its server, not its session: the log router knows whose server it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

from acp_jupyter.errors import AgentDied
from acp_jupyter.host.rpc.agent_answers import CANCELLED, INVALID_PARAMS, ErrorAnswer
from acp_jupyter.host.rpc.agent_connection import AgentConnection
from acp_jupyter.host.rpc.log_router import SessionLog
from acp_jupyter.protocol.objects import Obj

METHOD = "mcp/message"
_TOO_MANY = -33000
_NO_SERVER = -33001
_SERVER_FAILED = -33002
_REQUESTS_AT_ONCE = 64

_logger = logging.getLogger(__name__)
Notify: TypeAlias = Callable[[str, Mapping[str, Any]], Awaitable[None]]
"""Tells the agent something about the request that is answered: its method and parameters."""


class McpServer(Protocol):
    """An MCP server of one session. Each request stands alone."""

    @property
    def name(self) -> str:
        """The name by which the agent knows it."""

    async def answer(self, request: Obj, notify: Notify) -> Obj:
        """Return the ``result`` or the ``error`` of a request of MCP."""


class McpMessages:
    """The MCP server that a session offers to its agent, and the requests that it answers."""

    def __init__(self) -> None:
        self._server_id = ""
        self._server: McpServer | None = None
        self._notify: Callable[[Obj], Awaitable[None]] | None = None
        self._running: dict[int, tuple[str, asyncio.Future[Obj]]] = {}
        self._withdrawn: deque[int] = deque(maxlen=_REQUESTS_AT_ONCE)
        """Requests that were cancelled, some before their answer was begun."""

    def declare(self, server: McpServer, connection: AgentConnection, log: SessionLog) -> Obj:
        """Offer a server; return its entry in the ``mcpServers`` of the session.

        It takes the place of an earlier one. ACP: McpServerAcp.
        """
        self._server_id = f"{server.name}-{secrets.token_hex(8)}"
        self._server = server
        connection.bind(self._server_id, log)

        async def notify(params: Obj) -> None:
            with contextlib.suppress(AgentDied):
                await connection.messages.notify(METHOD, params, log)

        self._notify = notify
        return {"type": "acp", "name": server.name, "serverId": self._server_id}

    async def answer(
        self, request_seq: int, server_id: str, request_id: str, method: str, params: Obj | None
    ) -> Obj:
        """Answer a message."""
        server, tell = self._server, self._notify
        if request_seq in self._withdrawn:
            raise ErrorAnswer(CANCELLED, "Request cancelled")
        if server is None or tell is None or server_id != self._server_id:
            raise ErrorAnswer(_NO_SERVER, "There is no such MCP server here")
        if any(request_id == running for running, _ in self._running.values()):
            raise ErrorAnswer(INVALID_PARAMS, "This MCP request is open already")
        if len(self._running) >= _REQUESTS_AT_ONCE:
            raise ErrorAnswer(_TOO_MANY, "Too many MCP requests are open")

        async def notify(about: str, more: Mapping[str, Any]) -> None:
            named = {"serverId": server_id, "requestId": request_id}
            await tell({**named, "method": about, "params": dict(more)})

        request: Obj = {"jsonrpc": "2.0", "id": request_id, "method": method}
        if params is not None:
            request["params"] = params
        work = asyncio.ensure_future(server.answer(request, notify))
        self._running[request_seq] = (request_id, work)
        try:
            return await work
        except asyncio.CancelledError:
            if request_seq not in self._withdrawn:
                raise
            raise ErrorAnswer(CANCELLED, "Request cancelled") from None
        except Exception:
            _logger.exception("The MCP server %s failed at %s", server.name, method[:100])
            raise ErrorAnswer(_SERVER_FAILED, "The MCP server failed") from None
        finally:
            del self._running[request_seq]

    def withdraw(self, request_seq: int) -> None:
        """End a request that the agent has cancelled."""
        self._withdrawn.append(request_seq)
        if request_seq in self._running:
            self._running[request_seq][1].cancel()
