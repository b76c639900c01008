#!/usr/bin/env python3
"""Streams numbered words, 200 at 20 ms unless the command line says otherwise."""

from __future__ import annotations

import sys

from _wire import Wire, serve

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 200
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 0.02


def prompt(wire: Wire, session_id: str, text: str) -> str:
    del text
    for number in range(COUNT):
        wire.text(session_id, f"word{number} ")
        if wire.rest(SECONDS):
            break
    return "end_turn"


serve(prompt)
