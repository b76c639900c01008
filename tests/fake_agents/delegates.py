#!/usr/bin/env python3
"""Gives its task to a child session, which asks and works; a prompt names the child's id."""

from __future__ import annotations

from _wire import Json, Wire, serve

OPTIONS: list[Json] = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


def prompt(wire: Wire, session_id: str, child: str) -> str:
    state = {"state": "running"}
    wire.update(session_id, "subagent_update", sessionId=child, title="Look", state=state)
    wire.text(child, "I am the child.")
    call = {"toolCallId": "c", "title": "Run ls", "kind": "execute", "rawInput": {"command": "ls"}}
    asked = {"sessionId": child, "toolCall": call, "options": OPTIONS}
    answer = wire.ask("session/request_permission", asked)
    outcome = answer.get("result", {}).get("outcome", {})
    status = "completed" if outcome.get("optionId") == "yes" else "failed"
    wire.update(child, "tool_call_update", toolCallId="c", status=status)
    wire.update(session_id, "subagent_update", sessionId=child, state={"state": "idle"})
    return "end_turn"


serve(prompt)
