"""Handlers of an agent's requests: for one session, and for a process that serves many.

Permissions and elicitations are answered here, files and terminals in `workspace_handlers`. Only
announced methods have a handler; the SDK answers others with -32601.
"""

from __future__ import annotations

from typing import Any, assert_never

import acp
from acp.schema import (
    AcceptElicitationResponse,
    AllowedOutcome,
    CancelElicitationResponse,
    CreateElicitationResponse,
    CreateTerminalResponse,
    DeclineElicitationResponse,
    DeniedOutcome,
    ElicitationMode,
    PermissionOption,
    ReadTextFileResponse,
    RequestPermissionResponse,
    ToolCallUpdate,
    WriteTextFileResponse,
)

from acp_jupyter.host.requests.answers import PermissionWithdrawn
from acp_jupyter.host.requests.elicitation import Elicitations, QuestionRefused, QuestionWithdrawn
from acp_jupyter.host.requests.host_permissions import HostPermissions
from acp_jupyter.host.requests.permissions import PermissionRequests
from acp_jupyter.host.rpc.workspace_handlers import FileHandlers, TerminalHandlers, TerminalService
from acp_jupyter.host.workspace.agent_files import AgentFiles
from acp_jupyter.host.workspace.terminals import SessionTerminals

_NO_METHOD = -32601
_CANCELLED = -32800


class SessionClient(TerminalHandlers, FileHandlers):
    """The SDK's ``Client`` for one session.

    Parameters
    ----------
    files
        Reads and writes files of the session's folder.
    permissions
        Answers permission requests.
    host_permissions
        Asks before the host acts for the agent.
    elicitations
        Answers elicitations.
    terminals
        Runs commands.
    """

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

    def terminals_of(self, kwargs: dict[str, Any]) -> TerminalService:
        """Return the session's terminals."""
        return self._terminals if self._played is None else self._played

    def host_permissions_of(self, kwargs: dict[str, Any]) -> HostPermissions:
        """Return the session's `HostPermissions`."""
        return self.host_permissions

    async def request_permission(
        self,
        session_id: str,
        tool_call: ToolCallUpdate,
        options: list[PermissionOption],
        **kwargs: Any,
    ) -> RequestPermissionResponse:
        """ACP: session/request_permission."""
        try:
            option_id = await self.permissions.ask(f"p{kwargs['request_seq']}")
        except PermissionWithdrawn:
            raise acp.RequestError(_CANCELLED, "Request cancelled") from None
        if option_id is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        chosen = AllowedOutcome(outcome="selected", option_id=option_id)
        return RequestPermissionResponse(outcome=chosen)

    async def create_elicitation(
        self, message: str, mode: ElicitationMode, **kwargs: Any
    ) -> CreateElicitationResponse:
        """ACP: elicitation/create."""
        return await answer_question(self.elicitations, f"e{kwargs['request_seq']}")

    async def complete_elicitation(self, elicitation_id: str, **kwargs: Any) -> None:
        """ACP: elicitation/complete."""
        self.elicitations.complete(elicitation_id)

    def withdraw(self, request_seq: int) -> None:
        """Withdraw a request of the agent. ACP: $/cancel_request."""
        self.permissions.withdraw(f"p{request_seq}")
        self.permissions.withdraw(f"h{request_seq}")
        self.elicitations.withdraw(f"e{request_seq}")

    def on_connect(self, conn: object) -> None:
        """Do nothing: requests to the agent go through the connection."""


class ClientRouter(TerminalHandlers):
    """The SDK's ``Client`` for a process that serves many sessions.

    ``log_of``, which the transport adds to the SDK's keywords, names the session; the agent's own
    id of it may not be known yet.
    """

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
        """Return the terminals of the request's session."""
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
        """Do nothing: requests to the agent go through the connection."""


_INVALID_PARAMS = -32602


async def answer_question(elicitations: Elicitations, request_id: str) -> CreateElicitationResponse:
    """Wait for the user's answer to an elicitation and return the response for the agent.

    Raises
    ------
    acp.RequestError
        The question can't be asked, or was withdrawn.
    """
    try:
        outcome = await elicitations.ask(request_id)
    except QuestionRefused as error:
        raise acp.RequestError(_INVALID_PARAMS, "Invalid params", {"details": str(error)}) from None
    except QuestionWithdrawn:
        raise acp.RequestError(_CANCELLED, "Request cancelled") from None
    match outcome.action:
        case "accept":
            # Set explicitly: defaults are not serialised.
            if outcome.content:
                return AcceptElicitationResponse.model_validate(
                    {"action": "accept", "content": outcome.content}
                )
            return AcceptElicitationResponse(action="accept")
        case "decline":
            return DeclineElicitationResponse(action="decline")
        case "cancel":
            return CancelElicitationResponse(action="cancel")
        case _:
            assert_never(outcome.action)
