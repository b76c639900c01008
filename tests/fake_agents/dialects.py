#!/usr/bin/env python3
"""Sends what real agents were seen to send instead of well-formed ACP, one case per line."""

from __future__ import annotations

import json
from typing import Any

from _wire import Json, Wire, serve


def chunk(content: Any, **more: Any) -> Json:
    return {"sessionUpdate": "agent_message_chunk", "content": content, **more}


def text(word: str) -> Json:
    return {"type": "text", "text": word}


UPDATES: list[Json] = [
    {"sessionUpdate": "something_new", "payload": {"deep": [1]}},
    {"sessionUpdate": "tool_call", "toolCallId": "a", "kind": "write", "status": "running"},
    {"sessionUpdate": "tool_call_update", "toolCallId": "a", "content": [text("bare block")]},
    {"sessionUpdate": "tool_call_update", "toolCallId": "a", "content": "a string"},
    {"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "cancelled"},
    {"session_update": "tool_call", "tool_call_id": "b", "title": "snake", "raw_input": {"a_b": 1}},
    {"sessionUpdate": "tool_call_update", "toolCallId": 7, "locations": ["/x", {"line": 2}, 5]},
    chunk("content as a string "),
    chunk([text("content "), text("as a list ")]),
    chunk(text("extra fields "), type="x", timestamp=1, id="y", name="z", _meta=None),
    chunk({"type": "image", "data": "AAAA", "mediaType": "image/png"}),
    chunk({"type": "hologram", "data": 1}),
    {
        "sessionUpdate": "plan",
        "entries": [{"content": "one", "status": "doing"}, "two", {"title": "x", "priority": 1}],
    },
    {"sessionUpdate": "usage_update", "used": None, "size": 200_000.0},
    {"sessionUpdate": "usage_update", "used": 12.7, "size": 200_000},
    {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "/init"}, 5]},
    {"sessionUpdate": "config_option_update", "configOptions": [{"id": "x", "type": "dial"}, 3]},
    {"sessionUpdate": "current_mode_update", "modeId": "plan"},
    {"sessionUpdate": "notice", "severity": "warning", "title": "Careful"},
]


def prompt(wire: Wire, session_id: str, prompt_text: str) -> str:
    del prompt_text
    for update in UPDATES:
        params: Json = {"sessionId": session_id, "update": update}
        wire.send({"method": "session/update", "params": params})
    word = {"sessionId": session_id, "update": chunk(text("batched "))}
    both = [{"jsonrpc": "2.0", "method": "session/update", "params": word}] * 2
    wire.write(json.dumps(both).encode() + b"\n")
    for method in ("session/notification", "acp/notification/session_update"):
        params = {"sessionId": session_id, "update": chunk(text(f"{method} "))}
        wire.send({"method": method, "params": params})
    wire.write(b'{"content":"bare object ","type":"text"}\n')
    half = '{"method":"session/update","params":{"sessionId":%s,"update":%s}}\n'
    emoji = json.dumps(chunk(text("half an emoji \ud83d ")))
    wire.write((half % (json.dumps(session_id), emoji)).encode())
    wire.write(
        (half % (json.dumps(session_id), json.dumps(chunk(text("bytes ?? ")))))
        .encode()
        .replace(b"??", b"\xff\xfe")
    )
    meta = {"session_id": "stolen", "self": 1, "options": []}
    call = {"title": "No id"}
    options = [{"optionId": "maybe", "name": "Maybe", "kind": "perhaps"}, "plain"]
    answer = wire.ask(
        "session/request_permission",
        {"sessionId": session_id, "toolCall": call, "options": options, "_meta": meta},
    )
    wire.text(session_id, f"permission {json.dumps(answer.get('result', answer))} ")
    answer = wire.ask("cursor/ask_question", {"question": "Blue?"})
    wire.text(session_id, f"question {answer.get('error', {}).get('code')} ")
    answer = wire.ask("terminal/create", {"sessionId": session_id, "command": "ls"})
    wire.text(session_id, f"terminal {answer.get('error', {}).get('code')} ")
    wire.send({"method": "$/cancel_request", "params": {"requestId": 99}})
    wire.send({"method": "auth/status", "params": {}})
    answer = wire.ask("session/update", {"sessionId": session_id, "update": chunk(text("asked "))})
    wire.text(session_id, "the end")
    return "stop_sequence"


serve(prompt)
