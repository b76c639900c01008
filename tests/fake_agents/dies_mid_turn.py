#!/usr/bin/env python3
"""Kills itself with SIGKILL in the middle of a turn, after a last word to stderr."""

from __future__ import annotations

import os
import signal
import sys

from _wire import Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    del text
    wire.text(session_id, "I was about to ")
    print("out of memory, maybe", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
    return "end_turn"


serve(prompt)
