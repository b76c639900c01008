"""From the requests of one agent process to the session that each is for."""

from __future__ import annotations

from typing import Any

import acp
from acp.schema import (
    CreateElicitationResponse,
    CreateTerminalResponse,
    ElicitationMode,
    PermissionOption,
    ReadTextFileResponse,
    RequestPermissionResponse,
    ToolCallUpdate,
    WriteTextFileResponse,
)

from acp_jupyter.host.client import SessionClient
from acp_jupyter.host.terminals.client import TerminalHandlers, TerminalService

__all__ = ["ClientRouter"]

_NO_METHOD = -32601


class ClientRouter(TerminalHandlers):
    """The SDK's ``Client`` for a process that serves many sessions.

    ``log_of``, which the transport puts beside the SDK's keywords, says which one asks; what the
    agent itself calls the session need not be known yet.
    """

    def __init__(self) -> None:
        self._clients: dict[str, SessionClient] = {}

    def restricts_another(self, session_id: str) -> bool:
        """Tell whether another session of the process forbids things now."""
        others = (client for name, client in self._clients.items() if name != session_id)
        return any(c.host_permissions is not None and c.host_permissions.restricts for c in others)

    def add(self, session_id: str, client: SessionClient) -> None:
        """Answer for a session, by our id of it."""
        self._clients[session_id] = client

    def remove(self, session_id: str) -> None:
        """Answer for a session no more."""
        self._clients.pop(session_id, None)

    def withdraw(self, session_id: str, request_seq: int) -> None:
        """ACP: $/cancel_request, for a request of the agent."""
        client = self._clients.get(session_id)
        if client is not None:
            client.withdraw(request_seq)

    def _client(self, kwargs: dict[str, Any]) -> SessionClient:
        client = self._clients.get(kwargs["log_of"])
        if client is None:
            raise acp.RequestError(_NO_METHOD, "The session has ended")
        return client

    async def create_terminal(self, *args: Any, **kwargs: Any) -> CreateTerminalResponse:
        """ACP: terminal/create."""
        return await self._client(kwargs).create_terminal(*args, **kwargs)

    async def request_permission(
        self,
        session_id: str,
        tool_call: ToolCallUpdate,
        options: list[PermissionOption],
        **kwargs: Any,
    ) -> RequestPermissionResponse:
        """ACP: session/request_permission."""
        client = self._client(kwargs)
        return await client.request_permission(session_id, tool_call, options, **kwargs)

    async def read_text_file(
        self,
        session_id: str,
        path: str,
        line: int | None = None,
        limit: int | None = None,
        **kwargs: Any,
    ) -> ReadTextFileResponse:
        """ACP: fs/read_text_file."""
        client = self._client(kwargs)
        return await client.read_text_file(session_id, path, line, limit, **kwargs)

    async def write_text_file(
        self, session_id: str, path: str, content: str, **kwargs: Any
    ) -> WriteTextFileResponse:
        """ACP: fs/write_text_file."""
        client = self._client(kwargs)
        return await client.write_text_file(session_id, path, content, **kwargs)

    def terminals_of(self, kwargs: dict[str, Any]) -> TerminalService:
        """Return the terminals of the session that asks."""
        return self._client(kwargs).terminals_of(kwargs)

    async def create_elicitation(
        self, message: str, mode: ElicitationMode, **kwargs: Any
    ) -> CreateElicitationResponse:
        """ACP: elicitation/create."""
        return await self._client(kwargs).create_elicitation(message, mode, **kwargs)

    async def complete_elicitation(self, elicitation_id: str, **kwargs: Any) -> None:
        """ACP: elicitation/complete, which names no session."""
        for client in tuple(self._clients.values()):
            await client.complete_elicitation(elicitation_id)

    def on_connect(self, conn: object) -> None:
        """Nothing to do: requests to the agent go through the connection."""
