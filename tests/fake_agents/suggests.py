#!/usr/bin/env python3
"""Answers each prompt with a cell, and counts the prompts in ``prompts.ndjson`` of its folder.

The name in the last line ``do = "…"`` above the place says what else it does: ``ask`` asks for
permission to run a command, ``hold`` waits until somebody writes into the pipe ``go``, ``forever``
works until it is stopped, ``nothing`` answers without code, ``fail`` fails.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

from _notebook_tools import ToolsWire
from _wire import Json, Wire, serve

_OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def _asked(wire: Wire, session_id: str) -> Any:
    call: Json = {
        "toolCallId": "run",
        "title": "touch acted",
        "kind": "execute",
        "rawInput": {"command": "touch acted"},
    }
    params = {"sessionId": session_id, "toolCall": call, "options": _OPTIONS}
    return wire.ask("session/request_permission", params)["result"]["outcome"]


def prompt(wire: Wire, session_id: str, text: str) -> str:
    assert isinstance(wire, ToolsWire)
    place = int(session_id.rpartition("-")[2]) - 1
    folder = wire.folders[place]
    above = text.partition("Below that place:")[0]
    found = re.findall(r'^do = "(\w+)"$', above, re.M)
    task = found[-1] if found else ""
    note: Json = {"prompt": text, "servers": len(wire.servers[place])}
    if task == "ask":
        note["outcome"] = _asked(wire, session_id)
    with open(os.path.join(folder, "prompts.ndjson"), "a") as file:
        file.write(json.dumps(note) + "\n")
    if task == "fail":
        sys.exit(3)
    if task == "nothing":
        wire.text(session_id, "There is nothing left to do.")
        return "end_turn"
    if task == "hold":
        with open(os.path.join(folder, "go")) as pipe:
            pipe.read()
    while task == "forever" and not wire.cancelled:
        wire.rest(60)
    wire.text(session_id, "Here it is:\n\n```python\ntotal = sum(prices)\nprint(total)\n```\n")
    return "end_turn"


serve(prompt, ToolsWire())
