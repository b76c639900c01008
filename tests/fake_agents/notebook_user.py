#!/usr/bin/env python3
"""Uses the notebook tools that it is offered. The prompt is a JSON list of calls.

Each is ``{"tool", "args"}``, and may have ``ask`` (the agent asks its user first), ``hide`` (it
tells nothing of the call), or ``shown`` (arguments that it tells in place of the true ones).
``{"works_at": [NAME, LINE]}`` tells that it works in a file, and ``{"waits": true}`` asks the user
something. ``{"read": NAME}`` reads a file of the session's folder by its client.
What the tools answer is said as text, one JSON line per call; images are counted.
"""

from __future__ import annotations

import json
import os
from typing import Any

from _notebook_tools import NotebookTools, ToolsWire
from _wire import Json, Wire, serve

_OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


_tools: dict[str, NotebookTools] = {}


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


def _works_at(wire: Wire, session_id: str, number: int, path: str, line: int) -> None:
    shown = {"title": f"Read {path}", "kind": "read", "status": "completed"}
    locations = [{"path": path, "line": line}]
    wire.update(session_id, "tool_call", toolCallId=f"call-{number}", locations=locations, **shown)


def _waits(wire: Wire, session_id: str, number: int) -> None:
    call = {"toolCallId": f"waits-{number}", "title": "Go on"}
    params = {"sessionId": session_id, "toolCall": call, "options": _OPTIONS}
    wire.ask("session/request_permission", params)


def _read(wire: Wire, session_id: str, path: str) -> Json:
    answer = wire.ask("fs/read_text_file", {"sessionId": session_id, "path": path})
    return {"failed": "error" in answer, "text": (answer.get("result") or {}).get("content", "")}


def prompt(wire: Wire, session_id: str, text: str) -> str:
    assert isinstance(wire, ToolsWire)
    place = int(session_id.rpartition("-")[2]) - 1
    servers = wire.servers[place]
    if not servers:
        wire.text(session_id, "no tools\n")
        return "end_turn"
    if session_id not in _tools:
        _tools[session_id] = NotebookTools(servers[-1])
    if text == "tools":
        listed = _tools[session_id].ask("tools/list", {})
        wire.text(session_id, json.dumps([tool["name"] for tool in listed["tools"]]) + "\n")
        return "end_turn"
    for number, step in enumerate(json.loads(text)):
        if "works_at" in step:
            name, line = step["works_at"]
            _works_at(wire, session_id, number, os.path.join(wire.folders[place], name), line)
            continue
        if "waits" in step:
            _waits(wire, session_id, number)
            continue
        if "read" in step:
            path = os.path.join(wire.folders[place], step["read"])
            told = _read(wire, session_id, path)
        else:
            told = _call(wire, session_id, number, step)
        wire.text(session_id, json.dumps(told) + "\n")
    return "end_turn"


serve(prompt, ToolsWire())
