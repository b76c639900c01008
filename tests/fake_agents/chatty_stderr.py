#!/usr/bin/env python3
"""Writes 300 kB to stderr before it answers anything."""

from __future__ import annotations

import sys

from _wire import Wire, serve

for number in range(3000):
    sys.stderr.write(f"{number:05d} " + "x" * 93 + "\n")
sys.stderr.write("the last words\n")
sys.stderr.flush()


def prompt(wire: Wire, session_id: str, text: str) -> str:
    del text
    wire.text(session_id, "done complaining")
    return "end_turn"


serve(prompt)
