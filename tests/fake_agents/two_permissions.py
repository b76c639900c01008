#!/usr/bin/env python3
"""Asks for two permissions at once, the second without having announced its tool call."""

from __future__ import annotations

from _wire import Json, Wire, serve

OPTIONS: list[Json] = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


def prompt(wire: Wire, session_id: str, text: str) -> str:
    del text
    first = {"toolCallId": "call-1", "title": "Run ls", "kind": "execute"}
    second = {"toolCallId": "call-2", "title": "Run pwd", "kind": "execute"}
    wire.update(session_id, "tool_call", **first, rawInput={"command": "ls"}, status="pending")
    for request_id, call in ((11, first), (12, second)):
        params = {"sessionId": session_id, "toolCall": call, "options": OPTIONS}
        wire.send({"id": request_id, "method": "session/request_permission", "params": params})
    words = []
    for request_id, call in ((11, first), (12, second)):
        outcome = wire.response(request_id).get("result", {}).get("outcome", {})
        chosen = outcome.get("optionId", outcome.get("outcome"))
        status = "completed" if chosen == "yes" else "failed"
        wire.update(session_id, "tool_call_update", toolCallId=call["toolCallId"], status=status)
        words.append(f"{call['toolCallId']} {chosen}")
    wire.text(session_id, ", ".join(words))
    return "end_turn"


serve(prompt)
