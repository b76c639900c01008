"""Handlers of an agent's requests for one session, and the sessions that share a process.

Permissions and elicitations are answered here, files and terminals in `workspace_handlers`. Only
announced methods have a handler.
"""

from __future__ import annotations

from typing import Any, assert_never

from acp_jupyter.host.requests.answers import PermissionWithdrawn
from acp_jupyter.host.requests.elicitation import Elicitations, QuestionRefused, QuestionWithdrawn
from acp_jupyter.host.requests.host_permissions import HostPermissions
from acp_jupyter.host.requests.permissions import PermissionRequests
from acp_jupyter.host.rpc.agent_answers import (
    CANCELLED,
    INVALID_PARAMS,
    NO_METHOD,
    ErrorAnswer,
)
from acp_jupyter.host.rpc.mcp_messages import McpMessages
from acp_jupyter.host.rpc.workspace_handlers import FileHandlers, TerminalHandlers, TerminalService
from acp_jupyter.host.workspace.agent_files import AgentFiles
from acp_jupyter.host.workspace.terminals import SessionTerminals
from acp_jupyter.protocol.objects import Obj


class SessionClient(TerminalHandlers, FileHandlers):
    """Handlers for one session."""

    def __init__(
        self,
        files: AgentFiles,
        permissions: PermissionRequests,
        host_permissions: HostPermissions,
        elicitations: Elicitations,
        terminals: SessionTerminals,
    ) -> None:
        self.files = files
        self.permissions = permissions
        self.host_permissions = host_permissions
        self.elicitations = elicitations
        self.mcp = McpMessages()
        self._terminals = terminals
        self._played: TerminalService | None = None

    def play_terminals(self, recorded: TerminalService) -> None:
        """Answer requests for terminals from a recording: no command runs."""
        self._played = recorded

    def agent_exited(self) -> None:
        """Settle what only the ended process could have gone on with."""
        self.permissions.expire_all()
        self.elicitations.expire_all()
        self._terminals.end_soon()

    @property
    def terminals(self) -> TerminalService:
        """The session's terminals."""
        return self._terminals if self._played is None else self._played

    async def request_permission(self, request_seq: int, **_: Any) -> Obj:
        """ACP: session/request_permission."""
        try:
            option_id = await self.permissions.ask(f"p{request_seq}")
        except PermissionWithdrawn:
            raise ErrorAnswer(CANCELLED, "Request cancelled") from None
        if option_id is None:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": option_id}}

    async def create_elicitation(self, request_seq: int, **_: Any) -> Obj:
        """ACP: elicitation/create."""
        return await answer_question(self.elicitations, f"e{request_seq}")

    async def complete_elicitation(self, elicitation_id: str, **_: Any) -> None:
        """ACP: elicitation/complete."""
        self.elicitations.complete(elicitation_id)

    async def mcp_message(
        self,
        server_id: str,
        request_id: str,
        method: str,
        params: Obj | None,
        request_seq: int,
    ) -> Obj:
        """ACP: mcp/message."""
        return await self.mcp.answer(request_seq, server_id, request_id, method, params)

    def withdraw(self, request_seq: int) -> None:
        """Withdraw a request of the agent. ACP: $/cancel_request."""
        self.mcp.withdraw(request_seq)
        self.permissions.withdraw(f"p{request_seq}")
        self.permissions.withdraw(f"h{request_seq}")
        self.elicitations.withdraw(f"e{request_seq}")


class ClientRouter:
    """The sessions that share a process."""

    def __init__(self) -> None:
        self._clients: dict[str, SessionClient] = {}

    def restricts_another(self, session_id: str) -> bool:
        """Return whether another session of the process forbids things now."""
        others = (client for name, client in self._clients.items() if name != session_id)
        return any(client.host_permissions.restricts for client in others)

    def add(self, session_id: str, client: SessionClient) -> None:
        """Add a session's handlers, by our id of the session."""
        self._clients[session_id] = client

    def remove(self, session_id: str) -> None:
        """Remove a session's handlers."""
        self._clients.pop(session_id, None)

    def withdraw(self, session_id: str, request_seq: int) -> None:
        """Withdraw a request of the agent. ACP: $/cancel_request."""
        client = self._clients.get(session_id)
        if client is not None:
            client.withdraw(request_seq)

    def client_of(self, session_id: str) -> SessionClient:
        """Return a session's handlers."""
        client = self._clients.get(session_id)
        if client is None:
            raise ErrorAnswer(NO_METHOD, "The session has ended")
        return client


async def answer_question(elicitations: Elicitations, request_id: str) -> Obj:
    """Wait for the user's answer to an elicitation and return the response for the agent."""
    try:
        outcome = await elicitations.ask(request_id)
    except QuestionRefused as error:
        raise ErrorAnswer(INVALID_PARAMS, "Invalid params", {"details": str(error)}) from None
    except QuestionWithdrawn:
        raise ErrorAnswer(CANCELLED, "Request cancelled") from None
    match outcome.action:
        case "accept":
            content: Obj = {"content": dict(outcome.content)} if outcome.content else {}
            return {"action": "accept", **content}
        case "decline" | "cancel":
            return {"action": outcome.action}
        case _:
            assert_never(outcome.action)
