#!/usr/bin/env python3
"""Uses the notebook tools that it is offered. The prompt is a JSON list of calls.

Each is ``{"tool", "args"}``, and may have ``ask`` (the agent asks its user first), ``hide`` (it
tells nothing of the call), or ``shown`` (arguments that it tells in place of the true ones).
``{"read": NAME}`` reads a file of the session's folder by its client.
What the tools answer is said as text, one JSON line per call; images are counted.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from _wire import Json, Wire, serve

_OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


class _Wire(Wire):
    """Remembers the MCP servers of each session, in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.servers: list[list[Json]] = []
        self.folders: list[str] = []

    def next(self) -> Json | None:
        message = super().next()
        if message is not None and message.get("method") == "session/new":
            self.servers.append(message["params"]["mcpServers"])
            self.folders.append(message["params"]["cwd"])
        return message


class _Tools:
    """An MCP client on stdio."""

    def __init__(self, server: Json) -> None:
        env = {pair["name"]: pair["value"] for pair in server["env"]}
        self._process = subprocess.Popen(
            [server["command"], *server["args"]],
            env={**os.environ, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._ids = 0
        client = {"name": "notebook_user", "version": "1"}
        self.hello = self.ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client},
        )
        self._send({"method": "notifications/initialized"})

    def ask(self, method: str, params: Json) -> Json:
        self._ids += 1
        self._send({"id": self._ids, "method": method, "params": params})
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self._ids:
                return dict(message.get("result") or {"error": message.get("error")})
        return {"error": "closed"}

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        try:
            self._process.stdin.write(data.encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            pass


_tools: dict[str, _Tools] = {}


def _told(result: Json) -> Json:
    content: list[Any] = result.get("content") or []
    return {
        "failed": result.get("isError", "error" in result),
        "text": "\n".join(part["text"] for part in content if part["type"] == "text"),
        "images": [part["mimeType"] for part in content if part["type"] == "image"],
    }


def _call(wire: Wire, session_id: str, number: int, step: Json) -> Json:
    call_id = f"call-{number}"
    shown = step.get("shown", step["args"])
    title = f"notebook_{step['tool']}"
    if not step.get("hide"):
        wire.update(session_id, "tool_call", toolCallId=call_id, title=title, rawInput=shown)
    if step.get("ask"):
        call = {"toolCallId": call_id, "title": title, "rawInput": shown}
        params = {"sessionId": session_id, "toolCall": call, "options": _OPTIONS}
        answer = wire.ask("session/request_permission", params)["result"]["outcome"]
        if answer.get("optionId") != "yes":
            return {"failed": True, "text": "not asked", "images": []}
    result = _tools[session_id].ask("tools/call", {"name": step["tool"], "arguments": step["args"]})
    if not step.get("hide"):
        done = "failed" if result.get("isError") else "completed"
        wire.update(session_id, "tool_call_update", toolCallId=call_id, status=done)
    return _told(result)


def _read(wire: Wire, session_id: str, path: str) -> Json:
    answer = wire.ask("fs/read_text_file", {"sessionId": session_id, "path": path})
    return {"failed": "error" in answer, "text": (answer.get("result") or {}).get("content", "")}


def prompt(wire: Wire, session_id: str, text: str) -> str:
    assert isinstance(wire, _Wire)
    place = int(session_id.rpartition("-")[2]) - 1
    servers = wire.servers[place]
    if not servers:
        wire.text(session_id, "no tools\n")
        return "end_turn"
    if session_id not in _tools:
        _tools[session_id] = _Tools(servers[-1])
    if text == "tools":
        listed = _tools[session_id].ask("tools/list", {})
        wire.text(session_id, json.dumps([tool["name"] for tool in listed["tools"]]) + "\n")
        return "end_turn"
    for number, step in enumerate(json.loads(text)):
        if "read" in step:
            path = os.path.join(wire.folders[place], step["read"])
            told = _read(wire, session_id, path)
        else:
            told = _call(wire, session_id, number, step)
        wire.text(session_id, json.dumps(told) + "\n")
    return "end_turn"


serve(prompt, _Wire())
