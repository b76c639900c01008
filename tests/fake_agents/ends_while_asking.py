#!/usr/bin/env python3
"""Asks for permission and ends the turn without waiting for the answer."""

from __future__ import annotations

from _wire import Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    options = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]
    call = {"toolCallId": "c1", "title": "Run it", "kind": "execute"}
    params = {"sessionId": session_id, "toolCall": call, "options": options}
    wire.send({"id": f"ask-{text}", "method": "session/request_permission", "params": params})
    return "end_turn"


serve(prompt)
