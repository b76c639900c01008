#!/usr/bin/env python3
"""Says what is in the file of its folder that the prompt names, a few words at a time."""

from __future__ import annotations

from pathlib import Path

from _wire import Wire, serve

PIECE = 160


def prompt(wire: Wire, session_id: str, text: str) -> str:
    said = Path(text.strip()).read_text("utf-8")
    for start in range(0, len(said), PIECE):
        wire.text(session_id, said[start : start + PIECE])
    return "end_turn"


serve(prompt)
