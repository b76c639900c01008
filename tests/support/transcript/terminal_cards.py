"""Lines about terminals, and the cards that follow from them."""

from __future__ import annotations

from typing import Any

from acp_jupyter.protocol.host_events.session import TerminalOutput, TerminalStarted
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.transcript.traffic import Script

__all__ = ["call", "cards", "puts", "shows", "starts"]


def cards(script: Script) -> list[ToolCall]:
    state = script.transcript
    return [item for item in state.window(0, len(state.items)) if isinstance(item, ToolCall)]


def starts(script: Script, terminal_id: str = "x", command: str = "make") -> None:
    script.note(TerminalStarted(terminal_id=terminal_id, command=command, cwd="/ws/sub"))


def puts(script: Script, text: str, terminal_id: str = "x", **more: Any) -> None:
    script.note(TerminalOutput(terminal_id=terminal_id, text=text, **more))


def call(script: Script, **fields: Any) -> None:
    script.update("tool_call_update", toolCallId="c1", **fields)


def shows(terminal_id: str = "x") -> list[dict[str, str]]:
    return [{"type": "terminal", "terminalId": terminal_id}]
