#!/usr/bin/env python3
"""Proposes an edit of ``edited.txt`` in its folder and writes it only if allowed.

``--always-first`` lists allow_always first, as some agents do.
"""

from __future__ import annotations

import os
import sys

from _wire import Json, Wire, serve

OPTIONS: list[Json] = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Allow for this session", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
if "--always-first" in sys.argv:
    OPTIONS = [OPTIONS[1], OPTIONS[0], OPTIONS[2]]


def prompt(wire: Wire, session_id: str, text: str) -> str:
    path = os.path.join(os.getcwd(), "edited.txt")
    diff = {"type": "diff", "path": path, "oldText": None, "newText": f"{text}\n"}
    call = {"toolCallId": "edit-1", "title": "Edit edited.txt", "kind": "edit"}
    details = {"locations": [{"path": path}], "content": [diff], "rawInput": {"file_path": path}}
    wire.update(session_id, "tool_call", **call, **details, status="pending")
    params = {"sessionId": session_id, "toolCall": {**call, **details}, "options": OPTIONS}
    answer = wire.ask("session/request_permission", params)
    outcome = answer.get("result", {}).get("outcome", {})
    kinds = {option["optionId"]: option["kind"] for option in OPTIONS}
    if outcome.get("outcome") == "cancelled":
        wire.cancelled = True
        return "cancelled"
    if not kinds.get(outcome.get("optionId"), "").startswith("allow_"):
        wire.update(session_id, "tool_call_update", toolCallId="edit-1", status="failed")
        wire.text(session_id, "I left the file alone.")
        return "end_turn"
    wire.update(session_id, "tool_call_update", toolCallId="edit-1", status="in_progress")
    content = {"sessionId": session_id, "path": path, "content": f"{text}\n"}
    written = wire.ask("fs/write_text_file", content)
    status = "failed" if "error" in written else "completed"
    wire.update(session_id, "tool_call_update", toolCallId="edit-1", status=status)
    wire.text(session_id, "I wrote the file." if status == "completed" else str(written["error"]))
    return "end_turn"


serve(prompt)
