#!/usr/bin/env python3
"""Takes messages while a turn runs: ``steers.py ANSWER``.

The turn of the prompt ``slow`` goes on until it was offered a message that it takes, or is stopped;
it says what it hears. ``ANSWER`` is the outcome that it answers, or JSON to answer with, ``error``,
or ``silent``; with ``gone`` it exits, ``late`` ends the turn before it answers that a prompt is
required, ``tardy`` ends it and has taken the message, and ``unable`` announces nothing.
Without ``ANSWER`` it takes what it is offered.
"""

from __future__ import annotations

import json
import sys

import _wire
from _wire import Json, Wire, serve, text_of

OUTCOME = sys.argv[1] if len(sys.argv) > 1 else "injected"
plain = _wire.initialize_result


def initialize_result(name: str) -> Json:
    supported = {} if OUTCOME == "unable" else {"_meta": {"steering": {"supported": True}}}
    return plain(name) | supported


def prompt(wire: Wire, session_id: str, text: str) -> str:
    wire.text(session_id, f"begins {text}")
    if text != "slow":
        return "end_turn"
    while (message := wire.next()) is not None:
        if message.get("method") == "session/cancel":
            return "cancelled"
        if message.get("method") != "_session/steering":
            continue
        params = message["params"]
        assert params["_meta"] == {"steering": {"idleBehavior": "promptRequired"}}
        assert params["sessionId"] == session_id
        if OUTCOME == "silent":
            wire.text(session_id, "hears")
            continue
        if OUTCOME == "gone":
            sys.exit(3)
        if OUTCOME == "error":
            wire.error(message, -32603, "No")
        elif OUTCOME in {"late", "tardy"}:
            held.append(message)
            return "end_turn"
        else:
            answer = json.loads(OUTCOME) if OUTCOME[0] in "{[n1" else {"outcome": OUTCOME}
            wire.result(message, answer)
        wire.text(session_id, f"heard {text_of(params)}")
        if OUTCOME in {"injected", "startedNewTurn"}:
            return "end_turn"
    return "end_turn"


class Late(Wire):
    """Answers what it held back once the turn has ended."""

    def result(self, request: Json, result: object) -> None:
        super().result(request, result)
        while held:
            steering = held.pop()
            if OUTCOME == "tardy":
                early = self.line(0.2)
                heard = "too early" if early else "heard"
                self.text(steering["params"]["sessionId"], heard)
            outcome = "promptRequired" if OUTCOME == "late" else "injected"
            super().result(steering, {"outcome": outcome})


held: list[Json] = []
_wire.initialize_result = initialize_result
serve(prompt, Late())
