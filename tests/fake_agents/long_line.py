#!/usr/bin/env python3
"""Writes one line of as many MiB as the prompt says, then a short one."""

from __future__ import annotations

from _wire import Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    wire.text(session_id, "x" * int(float(text) * 1024 * 1024))
    wire.text(session_id, "after the long line")
    return "end_turn"


serve(prompt)
