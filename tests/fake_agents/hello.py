#!/usr/bin/env python3
"""Says hello, with a thought, and repeats the prompt."""

from __future__ import annotations

from _wire import Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    thought = {"type": "text", "text": "Somebody said something."}
    wire.update(session_id, "agent_thought_chunk", content=thought)
    for piece in ("Hello from ", "the **fake** agent. ", "You said: ", text):
        wire.text(session_id, piece)
    return "end_turn"


serve(prompt)
