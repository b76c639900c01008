"""What a session answers to its agent: permissions, questions, files and terminals."""

from __future__ import annotations

from typing import Any, Protocol

import acp
from acp.schema import (
    AllowedOutcome,
    CancelElicitationResponse,
    CreateElicitationResponse,
    CreateTerminalResponse,
    DeniedOutcome,
    ElicitationMode,
    PermissionOption,
    RequestPermissionResponse,
    ToolCallUpdate,
    WriteTextFileResponse,
)

from acp_jupyter.host.asking import PermissionWithdrawn
from acp_jupyter.host.elicitation.reply import answer_question
from acp_jupyter.host.elicitation.session import Elicitations
from acp_jupyter.host.files.agent import AgentFiles
from acp_jupyter.host.files.client import FileHandlers
from acp_jupyter.host.terminals.client import TerminalHandlers, TerminalService

__all__ = ["SessionClient"]

_NO_METHOD = -32601
_INVALID_PARAMS = -32602
_CANCELLED = -32800


class _Asks(Protocol):
    async def ask(self, request_id: str) -> str | None: ...

    def withdraw(self, request_id: str) -> None: ...

    def forbidden(self) -> str: ...


class SessionClient(TerminalHandlers, FileHandlers):
    """The SDK's ``Client`` for one session.

    Only what is advertised is here; to anything else the SDK answers -32601.
    """

    def __init__(self, files: AgentFiles) -> None:
        self.asking: _Asks | None = None
        """Answers permission requests; without it nothing is allowed."""
        self.elicitations: Elicitations | None = None
        """Answers the agent's questions; without it they are cancelled."""
        self.terminals: TerminalService | None = None
        """Runs commands; without it there are none."""
        self.files = files

    def terminals_of(self, kwargs: dict[str, Any]) -> TerminalService:
        """Return the session's terminals."""
        if self.terminals is None:
            raise acp.RequestError(_NO_METHOD, "Method not found")
        return self.terminals

    async def create_terminal(self, *args: Any, **kwargs: Any) -> CreateTerminalResponse:
        """ACP: terminal/create; agents may run commands without asking first."""
        self._refuse_forbidden()
        return await super().create_terminal(*args, **kwargs)

    async def write_text_file(self, *args: Any, **kwargs: Any) -> WriteTextFileResponse:
        """ACP: fs/write_text_file; agents may write without asking first."""
        self._refuse_forbidden()
        return await super().write_text_file(*args, **kwargs)

    def _refuse_forbidden(self) -> None:
        words = "" if self.asking is None else self.asking.forbidden()
        if words:
            raise acp.RequestError(_INVALID_PARAMS, words)

    async def request_permission(
        self,
        session_id: str,
        tool_call: ToolCallUpdate,
        options: list[PermissionOption],
        **kwargs: Any,
    ) -> RequestPermissionResponse:
        """ACP: session/request_permission."""
        option_id = None
        if self.asking is not None:
            try:
                option_id = await self.asking.ask(f"p{kwargs['request_seq']}")
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
        if self.asking is not None:
            self.asking.withdraw(f"p{request_seq}")
        if self.elicitations is not None:
            self.elicitations.withdraw(f"e{request_seq}")

    def on_connect(self, conn: object) -> None:
        """Nothing to do: requests to the agent go through the connection."""
