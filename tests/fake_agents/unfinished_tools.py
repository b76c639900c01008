#!/usr/bin/env python3
"""Ends its turn with tool calls open, and goes on to talk after it."""

from __future__ import annotations

from _wire import Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    del text
    for number, status in enumerate(("pending", "in_progress")):
        title = f"Open call {number}"
        wire.update(
            session_id, "tool_call", toolCallId=f"open-{number}", title=title, status=status
        )
    return "end_turn"


serve(prompt)
