"""A client for the agent's requests that remembers them; its answers are given by the test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from acp import RequestError
from acp.schema import (
    AllowedOutcome,
    DeniedOutcome,
    ReadTextFileResponse,
    RequestPermissionResponse,
    WriteTextFileResponse,
)

from acp_jupyter.host.rpc.workspace_handlers import TerminalHandlers, TerminalService

__all__ = ["RecordingClient"]


class RecordingClient(TerminalHandlers):
    """Chooses the option ``choice`` of every permission request, or cancels."""

    def __init__(self, choice: str | None = None) -> None:
        self.choice = choice
        self.asked: list[dict[str, Any]] = []
        self.written: list[tuple[str, str]] = []
        self.before_answer: Callable[[], Awaitable[None]] | None = None

    def terminals_of(self, kwargs: dict[str, Any]) -> TerminalService:
        raise RequestError(-32601, "Method not found")

    async def request_permission(self, **request: Any) -> RequestPermissionResponse:
        self.asked.append(request)
        if self.before_answer is not None:
            await self.before_answer()
        if self.choice is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        outcome = AllowedOutcome(outcome="selected", option_id=self.choice)
        return RequestPermissionResponse(outcome=outcome)

    async def read_text_file(self, path: str, **_: Any) -> ReadTextFileResponse:
        raise RequestError.resource_not_found(path)

    async def write_text_file(self, path: str, content: str, **_: Any) -> WriteTextFileResponse:
        self.written.append((path, content))
        return WriteTextFileResponse()

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        del params
        raise RequestError.method_not_found(f"_{method}")

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Take any notification."""
