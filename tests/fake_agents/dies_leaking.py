#!/usr/bin/env python3
"""Dies in mid-turn with its secret and its folder in the last lines of stderr."""

from __future__ import annotations

import os
import sys

from _wire import Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    wire.text(session_id, f"Now {text}.")
    print(f"no such file: {os.getcwd()}/x, key {os.environ['LEAKY_API_KEY']}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(4)


serve(prompt)
