"""A client for the agent's requests that remembers them; its answers are given by the test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from acp_jupyter.host.rpc.agent_answers import NO_METHOD, RESOURCE_NOT_FOUND, ErrorAnswer
from acp_jupyter.host.rpc.workspace_handlers import TerminalHandlers, TerminalService
from acp_jupyter.protocol.objects import Obj

__all__ = ["RecordingClient"]


class RecordingClient(TerminalHandlers):
    """Chooses the option ``choice`` of every permission request, or cancels."""

    def __init__(self, choice: str | None = None) -> None:
        self.choice = choice
        self.asked: list[dict[str, Any]] = []
        self.written: list[tuple[str, str]] = []
        self.before_answer: Callable[[], Awaitable[None]] | None = None

    @property
    def terminals(self) -> TerminalService:
        raise ErrorAnswer(NO_METHOD, "Method not found")

    async def request_permission(self, **request: Any) -> Obj:
        self.asked.append(request)
        if self.before_answer is not None:
            await self.before_answer()
        if self.choice is None:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": self.choice}}

    async def read_text_file(self, path: str, **_: Any) -> Obj:
        raise ErrorAnswer(RESOURCE_NOT_FOUND, "Resource not found", {"uri": path})

    async def write_text_file(self, path: str, content: str, **_: Any) -> Obj:
        self.written.append((path, content))
        return {}
