"""Bare JSON-RPC lines of a conversation, for a test to write."""

from __future__ import annotations

from typing import Any

__all__ = ["Log"]


class Log:
    """Lines of both sides, in their order."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def ask(self, number: int, method: str, **params: Any) -> None:
        self.lines.append({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    def answer(self, number: int, **result: Any) -> None:
        self.lines.append({"jsonrpc": "2.0", "id": number, "result": result})

    def new(self, number: int, session: str, cwd: str = "/ws") -> None:
        self.ask(number, "session/new", cwd=cwd, mcpServers=[])
        self.answer(number, sessionId=session)

    def prompt(self, number: int, text: str, session: str = "s") -> None:
        blocks = [{"type": "text", "text": text}]
        self.ask(number, "session/prompt", sessionId=session, prompt=blocks)

    def end(self, number: int) -> None:
        self.answer(number, stopReason="end_turn")

    def update(self, kind: str, session: str = "s", /, **fields: Any) -> None:
        params = {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
        self.lines.append({"jsonrpc": "2.0", "method": "session/update", "params": params})

    def says(self, text: str, kind: str = "agent_message_chunk", session: str = "s") -> None:
        self.update(kind, session, content={"type": "text", "text": text})

    def note(self, **fields: Any) -> None:
        self.lines.append({"seq": len(self.lines) + 1, "t": 1e9, "d": "!", "m": fields})
