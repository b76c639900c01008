"""A log that a test writes, to be played by the replay agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["CWD", "Score"]

CWD = "/recorded/ws"
OPTIONS = [
    {"optionId": "y", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "a", "name": "Always", "kind": "allow_always"},
    {"optionId": "n", "name": "Reject", "kind": "reject_once"},
]


class Score:
    """What a client and an agent said to each other; time passes only by `rest`."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.time = 0.0
        self._ids = {">": 0, "<": 0}

    def line(self, side: str, message: dict[str, Any]) -> None:
        self.lines.append({"t": self.time, "d": side, "m": message})

    def rest(self, seconds: float) -> None:
        self.time += seconds

    def request(self, side: str, method: str, params: dict[str, Any]) -> int:
        self._ids[side] += 1
        self.line(side, {"id": self._ids[side], "method": method, "params": params})
        return self._ids[side]

    def answer(self, side: str, request_id: int, result: Any) -> None:
        self.line(side, {"id": request_id, "result": result})

    def fail(self, side: str, request_id: int, message: str) -> None:
        error = {"code": -32000, "message": message}
        self.line(side, {"id": request_id, "error": error})

    def start(self) -> None:
        hello = {"protocolVersion": 1, "agentInfo": {"name": "painter", "version": "2"}}
        self.answer("<", self.request(">", "initialize", {"protocolVersion": 1}), hello)

    def open(self, session_id: str = "s1", cwd: str = CWD, **more: Any) -> None:
        if self._ids[">"] == 0:
            self.start()
        new = self.request(">", "session/new", {"cwd": cwd, "mcpServers": []})
        self.answer("<", new, {"sessionId": session_id, **more})

    def prompt(self, text: str, session_id: str = "s1") -> int:
        prompt = [{"type": "text", "text": text}]
        return self.request(">", "session/prompt", {"sessionId": session_id, "prompt": prompt})

    def end(self, prompt: int, stop_reason: str = "end_turn") -> None:
        self.answer("<", prompt, {"stopReason": stop_reason})

    def update(self, kind: str, session_id: str = "s1", /, **fields: Any) -> None:
        params = {"sessionId": session_id, "update": {"sessionUpdate": kind, **fields}}
        self.line("<", {"method": "session/update", "params": params})

    def say(self, text: str, session_id: str = "s1") -> None:
        self.update("agent_message_chunk", session_id, content={"type": "text", "text": text})

    def ask(self, method: str, **params: Any) -> int:
        return self.request("<", method, {"sessionId": "s1", **params})

    def ask_permission(self) -> int:
        call = {"toolCallId": "c1", "title": "Paint"}
        return self.ask("session/request_permission", toolCall=call, options=OPTIONS)

    def choose(self, request_id: int, option_id: str) -> None:
        outcome = {"outcome": "selected", "optionId": option_id}
        self.answer(">", request_id, {"outcome": outcome})

    def cancel(self) -> None:
        self.line(">", {"method": "session/cancel", "params": {"sessionId": "s1"}})

    def note(self, **fields: Any) -> None:
        self.line("!", fields)

    def write(self, path: Path) -> Path:
        path.write_text("".join(json.dumps(line) + "\n" for line in self.lines))
        return path
