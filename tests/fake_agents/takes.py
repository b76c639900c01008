#!/usr/bin/env python3
"""Tells which blocks a prompt had; its arguments are the prompt capabilities it announces."""

from __future__ import annotations

import json
import sys
from typing import Any

import _wire
from _wire import Json, Wire, serve

CAPABILITIES = dict.fromkeys(sys.argv[1:], True)


class Telling(Wire):
    """Keeps the blocks of the last prompt."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[Json] = []

    def next(self) -> Json | None:
        message = super().next()
        if message is not None and message.get("method") == "session/prompt":
            self.blocks = message["params"]["prompt"]
        return message


def initialize_result(name: str) -> Json:
    result = plain(name)
    result["agentCapabilities"]["promptCapabilities"] = CAPABILITIES
    return result


def prompt(wire: Wire, session_id: str, text: str) -> str:
    blocks: Any = wire.blocks if isinstance(wire, Telling) else []
    wire.text(session_id, json.dumps(blocks))
    if text == "slow":
        wire.rest(30)
    return "end_turn"


plain = _wire.initialize_result
_wire.initialize_result = initialize_result
serve(prompt, Telling())
