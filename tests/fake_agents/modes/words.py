"""Agents that say something."""

from __future__ import annotations

import os
import time

from _wire import Wire, in_turns

PIECE = 160


@in_turns
def hello(wire: Wire, session_id: str, text: str) -> str:
    """Say hello, with a thought, and repeat the prompt."""
    thought = {"type": "text", "text": "Somebody said something."}
    wire.update(session_id, "agent_thought_chunk", content=thought)
    for piece in ("Hello from ", "the **fake** agent. ", "You said: ", text):
        wire.text(session_id, piece)
    return "end_turn"


@in_turns
def lingers(wire: Wire, session_id: str, text: str) -> str:
    """Say something; told to stop, say more once the file that the prompt names is there."""
    wire.text(session_id, "early ")
    wire.rest(3600)
    while not os.path.exists(text.strip()):
        time.sleep(0.05)
    wire.text(session_id, "and late")
    return "cancelled"


@in_turns
def says(wire: Wire, session_id: str, text: str) -> str:
    """Say what is in the file of its folder that the prompt names, a few words at a time."""
    with open(text.strip(), encoding="utf-8") as file:
        said = file.read()
    for start in range(0, len(said), PIECE):
        wire.text(session_id, said[start : start + PIECE])
    return "end_turn"


@in_turns
def slow_stream(
    wire: Wire, session_id: str, _: str, count: str = "200", seconds: str = "0.02"
) -> str:
    """Stream numbered words."""
    for number in range(int(count)):
        wire.text(session_id, f"word{number} ")
        if wire.rest(float(seconds)):
            break
    return "end_turn"
