#!/usr/bin/env python3
"""Asks, and says whether the answer stood in the log when it came.

``reads_log.py FOLDER [withdraws]``: the folder is that of the sessions; it may take its
question back.
"""

from __future__ import annotations

import sys
from pathlib import Path

from _wire import Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    del text
    options = [
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]
    call = {"toolCallId": "t", "title": "Edit a.txt", "kind": "edit", "locations": [{"path": "a"}]}
    params = {"sessionId": session_id, "toolCall": call, "options": options}
    wire.send({"id": 7, "method": "session/request_permission", "params": params})
    if "withdraws" in sys.argv:
        wire.send({"method": "$/cancel_request", "params": {"requestId": 7}})
    wire.response(7)
    logs = [path.read_text() for path in Path(sys.argv[1]).glob("*/traffic.ndjson")]
    wire.text(session_id, "logged" if "permission_settled" in "".join(logs) else "not logged")
    return "end_turn"


serve(prompt)
