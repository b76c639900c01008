#!/usr/bin/env python3
"""Writes 20,000 chunks flat out, or as many as the command line says; with ``calls`` tool calls."""

from __future__ import annotations

import json
import sys

from _wire import Json, Wire, serve

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
CALLS = sys.argv[2:] == ["calls"]
BATCH = 500


def line(session_id: str, number: int) -> bytes:
    update: Json = {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": f"{number} "},
    }
    if CALLS:
        call = {"toolCallId": f"c{number}", "title": f"Read {number}", "kind": "read"}
        update = {"sessionUpdate": "tool_call", **call, "status": "completed"}
    params = {"sessionId": session_id, "update": update}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(message).encode() + b"\n"


def prompt(wire: Wire, session_id: str, text: str) -> str:
    del text
    for start in range(0, COUNT, BATCH):
        numbers = range(start, min(start + BATCH, COUNT))
        wire.write(b"".join(line(session_id, number) for number in numbers))
    return "end_turn"


serve(prompt)
