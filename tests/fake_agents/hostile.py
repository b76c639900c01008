#!/usr/bin/env python3
"""Sends what is hard to take in. The prompt is a JSON object that says what; see `LOADS`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from _wire import Json, Wire, serve

BATCH = 500
MIB = 1024 * 1024


def everywhere(wire: Wire, session_id: str, wanted: Json) -> None:
    """Say the text of ``NAME.json`` wherever an agent can say one; ``NAME.txt`` is a file of it."""
    with open(f"{wanted['name']}.json") as file:
        text = json.load(file)
    shown = os.path.abspath(f"{wanted['name']}.txt")
    wire.text(session_id, text)
    wire.update(session_id, "tool_call", toolCallId="c1", title=text[:200], kind="read")
    content = [{"type": "content", "content": {"type": "text", "text": text}}]
    done: Json = {"toolCallId": "c1", "status": "completed"}
    wire.update(session_id, "tool_call_update", content=content, rawOutput=text, **done)
    read = wire.ask("fs/read_text_file", {"sessionId": session_id, "path": shown})
    command: Json = {"command": "cat", "args": [shown]}
    whole = {"command": f"cat {shown}"}
    call: Json = {"toolCallId": "c2", "title": "cat", "kind": "execute", "rawInput": whole}
    wire.update(session_id, "tool_call", status="pending", **call)
    options = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]
    about = {"sessionId": session_id, "toolCall": call, "options": options}
    wire.ask("session/request_permission", about)
    made = wire.ask("terminal/create", {"sessionId": session_id, **command})
    ran = made.get("result")
    if ran is not None:
        terminal = {"sessionId": session_id, "terminalId": ran["terminalId"]}
        view = [{"type": "terminal", "terminalId": ran["terminalId"]}]
        wire.update(session_id, "tool_call_update", toolCallId="c2", content=view)
        wire.ask("terminal/wait_for_exit", terminal)
        wire.ask("terminal/output", terminal)
        wire.ask("terminal/release", terminal)
    wire.update(session_id, "tool_call_update", toolCallId="c2", status="completed")
    told = [name for name, answer in (("read", read), ("terminal", made)) if "result" in answer]
    wire.text(session_id, f"\n\nDone: {' '.join(told)}")


def calls(wire: Wire, session_id: str, wanted: Json) -> None:
    """Begin and complete ``count`` tool calls."""
    for start in range(0, wanted["count"], BATCH):
        numbers = range(start, min(start + BATCH, wanted["count"]))
        wire.write(b"".join(line for number in numbers for line in call(session_id, number)))


def call(session_id: str, number: int) -> tuple[bytes, bytes]:
    about: Json = {"toolCallId": f"c{number}", "title": f"Step {number}", "kind": "execute"}
    begun = {"status": "pending", "rawInput": {"command": f"make step-{number}"}}
    text = f"step {number} is done\n"
    content = [{"type": "content", "content": {"type": "text", "text": text}}]
    ended = {"status": "completed", "content": content, "rawOutput": {"output": text, "exit": 0}}
    return (
        line(session_id, {"sessionUpdate": "tool_call", **about, **begun}),
        line(
            session_id, {"sessionUpdate": "tool_call_update", "toolCallId": f"c{number}", **ended}
        ),
    )


def lines(wire: Wire, session_id: str, wanted: Json) -> None:
    """Write ``count`` lines of ``mib`` MiB, and a word after them."""
    size = int(wanted["mib"] * MIB)
    head, _, tail = line(session_id, chunk("TEXT")).partition(b"TEXT")
    if wanted["kind"] == "text":
        long = head + b"lorem ipsum " * (size // 12) + tail
    elif wanted["kind"] == "brackets":
        opened = json.dumps({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Deep"})
        whole = line(session_id, json.loads(opened) | {"rawInput": "TEXT"})
        head, _, tail = whole.partition(b'"TEXT"')
        long = head + b"[" + b"[]," * (size // 3) + b"[]]" + tail
    else:
        long = b'{"jsonrpc": ' * (size // 12) + b"\n"
    for _ in range(wanted["count"]):
        wire.write(long)
    wire.text(session_id, "\n\nAfter the long lines.")


def chunk(text: str) -> Json:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}


def line(session_id: str, update: Json) -> bytes:
    params = {"sessionId": session_id, "update": update}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(message).encode() + b"\n"


LOADS: dict[str, Callable[[Wire, str, Json], None]] = {
    "everywhere": everywhere,
    "calls": calls,
    "lines": lines,
}


def prompt(wire: Wire, session_id: str, text: str) -> str:
    wanted: dict[str, Any] = json.loads(text)
    LOADS[wanted["load"]](wire, session_id, wanted)
    return "end_turn"


serve(prompt)
