#!/usr/bin/env python3
"""Uses the MCP servers that it reaches over ACP. The prompt is a JSON list of requests.

Each is ``{"tool", "args"}``, or ``{"method"}`` with ``params``, and may have ``bare`` (no version
of MCP is told), ``server`` (another one is named), ``id`` (of the inner request), ``notify`` (no
answer is wanted), ``progress`` (the next message is said, too), ``twice`` (it is sent again
meanwhile) and ``cancel`` (it is taken back; where that names a pipe, once somebody writes into it).
What comes back is said as text, one JSON line per request. ``servers`` says what the agent was
offered.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from _wire import Json, Wire, serve

_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class _Wire(Wire):
    """Announces that it takes such servers, and remembers those of each session."""

    def __init__(self) -> None:
        super().__init__()
        self.servers: list[list[Json]] = []

    def next(self) -> Json | None:
        message = super().next()
        if message is not None and message.get("method") == "session/new":
            self.servers.append(message["params"]["mcpServers"])
        return message

    def send(self, message: Json) -> None:
        if "agentCapabilities" in (message.get("result") or {}):
            message["result"]["agentCapabilities"]["mcpCapabilities"] = {"acp": True}
        super().send(message)


def _params(step: Json, server_id: str, number: int) -> Json:
    params: Json = dict(step.get("params") or {})
    request_id = step.get("id", f"inner-{number}")
    method = step.get("method", "tools/call")
    if "tool" in step:
        params = {"name": step["tool"], "arguments": step["args"]}
    if not step.get("bare"):
        params["_meta"] = {**_META, "progressToken": request_id} if "progress" in step else _META
    server_id = step.get("server", server_id)
    return {"serverId": server_id, "requestId": request_id, "method": method, "params": params}


def _told(answer: Json) -> Any:
    result = (answer.get("result") or {}).get("result")
    if not isinstance(result, dict) or "content" not in result:
        return answer.get("result", {"refused": answer.get("error")})
    return {
        "failed": result.get("isError", False),
        "text": "\n".join(part["text"] for part in result["content"] if part["type"] == "text"),
        "images": [part["mimeType"] for part in result["content"] if part["type"] == "image"],
    }


def prompt(wire: Wire, session_id: str, text: str) -> str:
    assert isinstance(wire, _Wire)
    servers = wire.servers[int(session_id.rpartition("-")[2]) - 1]
    if text == "servers":
        wire.text(session_id, json.dumps(servers))
        return "end_turn"
    server_id = next((each["serverId"] for each in servers if each.get("type") == "acp"), "")
    for number, step in enumerate(json.loads(text)):
        params = _params(step, server_id, number)
        if step.get("notify"):
            wire.send({"method": "mcp/message", "params": params})
            continue
        outer = f"mcp-{number}"
        wire.send({"id": outer, "method": "mcp/message", "params": params})
        if step.get("twice"):
            again = wire.ask("mcp/message", params, f"{outer}-again")
            wire.text(session_id, json.dumps(_told(again)) + "\n")
        if step.get("progress"):
            wire.text(session_id, json.dumps(wire.next()) + "\n")
        if step.get("cancel"):
            if step["cancel"] is not True:
                Path(step["cancel"]).read_text()
            wire.send({"method": "$/cancel_request", "params": {"requestId": outer}})
        wire.text(session_id, json.dumps(_told(wire.response(outer))) + "\n")
    return "end_turn"


serve(prompt, _Wire())
