"""What a session answers to its agent: permissions, questions, files and terminals."""

from __future__ import annotations

from typing import Any, Protocol

import acp
from acp.schema import (
    AllowedOutcome,
    CancelElicitationResponse,
    CreateElicitationResponse,
    DeniedOutcome,
    ElicitationMode,
    PermissionOption,
    RequestPermissionResponse,
    ToolCallUpdate,
)

from acp_jupyter.host.asking import PermissionWithdrawn
from acp_jupyter.host.consent import Consent
from acp_jupyter.host.elicitation.reply import answer_question
from acp_jupyter.host.elicitation.session import Elicitations
from acp_jupyter.host.files.agent import AgentFiles
from acp_jupyter.host.files.client import FileHandlers
from acp_jupyter.host.terminals.client import TerminalHandlers, TerminalService

__all__ = ["SessionClient"]

_NO_METHOD = -32601
_CANCELLED = -32800


class _Asks(Protocol):
    async def ask(self, request_id: str) -> str | None: ...

    def withdraw(self, request_id: str) -> None: ...


class SessionClient(TerminalHandlers, FileHandlers):
    """The SDK's ``Client`` for one session.

    Only what is advertised is here; to anything else the SDK answers -32601.
    """

    def __init__(self, files: AgentFiles) -> None:
        self.permissions: _Asks | None = None
        """Answers permission requests; without it nothing is allowed."""
        self.elicitations: Elicitations | None = None
        """Answers the agent's questions; without it they are cancelled."""
        self.terminals: TerminalService | None = None
        """Runs commands; without it there are none."""
        self.host_permissions: Consent | None = None
        """Asks before what the agent does without asking; without it nothing is done."""
        self.files = files

    def terminals_of(self, kwargs: dict[str, Any]) -> TerminalService:
        """Return the session's terminals."""
        if self.terminals is None:
            raise acp.RequestError(_NO_METHOD, "Method not found")
        return self.terminals

    def host_permissions_of(self, kwargs: dict[str, Any]) -> Consent:
        """Return what asks before the agent does something."""
        if self.host_permissions is None:
            raise acp.RequestError(_NO_METHOD, "Method not found")
        return self.host_permissions

    async def request_permission(
        self,
        session_id: str,
        tool_call: ToolCallUpdate,
        options: list[PermissionOption],
        **kwargs: Any,
    ) -> RequestPermissionResponse:
        """ACP: session/request_permission."""
        option_id = None
        if self.permissions is not None:
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
        if self.elicitations is None:
            return CancelElicitationResponse(action="cancel")
        return await answer_question(self.elicitations, f"e{kwargs['request_seq']}")

    async def complete_elicitation(self, elicitation_id: str, **kwargs: Any) -> None:
        """ACP: elicitation/complete."""
        if self.elicitations is not None:
            self.elicitations.complete(elicitation_id)

    def withdraw(self, request_seq: int) -> None:
        """ACP: $/cancel_request; the agent takes a request back."""
        if self.permissions is not None:
            self.permissions.withdraw(f"p{request_seq}")
            self.permissions.withdraw(f"h{request_seq}")
        if self.elicitations is not None:
            self.elicitations.withdraw(f"e{request_seq}")

    def on_connect(self, conn: object) -> None:
        """Nothing to do: requests to the agent go through the connection."""
