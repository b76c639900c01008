#!/usr/bin/env python3
"""Gives its task to a child session, which asks and works; a prompt names the child's id.

``leave CHILD`` ends the turn while the child works; in ``speak CHILD``, of any session, it goes on.
"""

from __future__ import annotations

from _wire import Json, Wire, serve

OPTIONS: list[Json] = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


def asked_by(child: str) -> Json:
    call = {"toolCallId": "c", "title": "Run ls", "kind": "execute", "rawInput": {"command": "ls"}}
    return {"sessionId": child, "toolCall": call, "options": OPTIONS}


def prompt(wire: Wire, session_id: str, child: str) -> str:
    verb, _, named = child.partition(" ")
    if verb == "speak":
        wire.text(named, "I am still here.")
        answer = wire.ask("session/request_permission", asked_by(named))
        wire.text(session_id, f"Code {answer.get('error', {}).get('code')}")
        return "end_turn"
    child = named or child
    state = {"state": "running"}
    wire.update(session_id, "subagent_update", sessionId=child, title="Look", state=state)
    wire.text(child, "I am the child.")
    if verb == "leave":
        return "end_turn"
    answer = wire.ask("session/request_permission", asked_by(child))
    outcome = answer.get("result", {}).get("outcome", {})
    status = "completed" if outcome.get("optionId") == "yes" else "failed"
    wire.update(child, "tool_call_update", toolCallId="c", status=status)
    wire.update(session_id, "subagent_update", sessionId=child, state={"state": "idle"})
    return "end_turn"


serve(prompt)
