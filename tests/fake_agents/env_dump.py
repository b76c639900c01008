#!/usr/bin/env python3
"""Prints its environment as JSON text."""

from __future__ import annotations

import json
import os

from _wire import Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    del text
    wire.text(session_id, json.dumps(dict(os.environ)))
    return "end_turn"


serve(prompt)
