#!/usr/bin/env python3
"""Asks for what its prompt says, as JSON, and tells each answer; other prompts it repeats.

``announce`` are tool calls, ``ask`` the requests' tool calls, ``options`` what they offer, and
with ``withdraw`` it takes its requests back at once.
"""

from __future__ import annotations

import json

from _wire import Json, Wire, serve

OPTIONS: list[Json] = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


def prompt(wire: Wire, session_id: str, text: str) -> str:
    if not text.startswith("{"):
        wire.text(session_id, f"Heard: {text}")
        return "end_turn"
    order: Json = json.loads(text)
    for call in order.get("announce", []):
        wire.update(session_id, "tool_call", **{"status": "pending", **call})
    asked = list(enumerate(order["ask"], 100))
    for request_id, call in asked:
        options = order.get("options", OPTIONS)
        params = {"sessionId": session_id, "toolCall": call, "options": options}
        wire.send({"id": request_id, "method": "session/request_permission", "params": params})
        if order.get("withdraw"):
            wire.send({"method": "$/cancel_request", "params": {"requestId": request_id}})
    answers = []
    for request_id, _ in asked:
        answer = wire.response(request_id)
        outcome = answer.get("result", {}).get("outcome", {})
        code = answer.get("error", {}).get("code")
        answers.append(str(code or outcome.get("optionId") or outcome.get("outcome")))
    if not wire.cancelled:
        wire.text(session_id, ", ".join(answers))
    return "end_turn"


serve(prompt)
