#!/usr/bin/env python3
"""Keeps all that it says in a file, before it says it: ``keeps_turns.py FILE``.

``count N`` says N words, with a tool call between them; ``ask N`` asks for permission first;
``steps M N`` says N words M times, and waits for the file ``FILE.NUMBER`` before each but the
first. Its ``session/load`` tells each turn's words in one piece, as most agents do.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from _wire import Json, Wire, text_of

STORE = Path(sys.argv[1])
wire = Wire()


def keep(kind: str, text: str) -> None:
    with STORE.open("a") as file:
        file.write(json.dumps([kind, text]) + "\n")


def say(session_id: str, text: str) -> None:
    keep("agent_message_chunk", text)
    wire.text(session_id, text)


def call(session_id: str, name: str) -> None:
    keep("tool_call", name)
    tell_call(session_id, name)


def tell_call(session_id: str, name: str) -> None:
    fields = {"title": name, "kind": "edit", "status": "completed"}
    wire.update(session_id, "tool_call", toolCallId=name, **fields)


def tell_again(session_id: str) -> None:
    parts: list[tuple[str, str]] = []
    for line in STORE.read_text().splitlines() if STORE.exists() else ():
        kind, text = json.loads(line)
        if parts and parts[-1][0] == kind != "tool_call":
            text = parts.pop()[1] + text
        parts.append((kind, text))
    for kind, text in parts:
        if kind == "tool_call":
            tell_call(session_id, text)
        else:
            wire.update(session_id, kind, content={"type": "text", "text": text})


def prompt(message: Json, session_id: str, text: str) -> None:
    keep("user_message_chunk", text)
    if text.startswith("ask"):
        options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
        tool_call = {"toolCallId": f"asked-{os.getpid()}", "kind": "execute", "title": "Run ls"}
        asked = {"sessionId": session_id, "toolCall": tool_call, "options": options}
        wire.ask("session/request_permission", asked)
    many = int(text.split()[-1])
    steps = int(text.split()[1]) if text.startswith("steps") else 1
    for number in range(steps * many):
        step, first = divmod(number, many)
        while step and not first and not STORE.with_name(f"{STORE.name}.{step}").exists():
            time.sleep(0.01)
        if number == 10:
            call(session_id, f"{text} edit")
        say(session_id, f"{number} ")
    wire.result(message, {"stopReason": "end_turn"})


while (message := wire.next()) is not None:
    params = message.get("params") or {}
    match message.get("method"):
        case "initialize":
            info = {"name": "keeper", "version": "1.0"}
            answer = {"protocolVersion": 1, "agentInfo": info}
            wire.result(message, {**answer, "agentCapabilities": {"loadSession": True}})
        case "session/new":
            wire.result(message, {"sessionId": "kept"})
        case "session/load":
            tell_again(params["sessionId"])
            wire.result(message, {})
        case "session/prompt":
            prompt(message, params["sessionId"], text_of(params))
        case method if method and "id" in message:
            wire.error(message, -32601, "Method not found")
        case _:
            pass
