#!/usr/bin/env python3
"""Reads the file that the prompt names, through the client, and repeats it."""

from __future__ import annotations

import json
import os

from _wire import Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    path = os.path.join(os.getcwd(), text.strip())
    answer = wire.ask("fs/read_text_file", {"sessionId": session_id, "path": path})
    wire.text(session_id, answer.get("result", {}).get("content", json.dumps(answer)))
    return "end_turn"


serve(prompt)
