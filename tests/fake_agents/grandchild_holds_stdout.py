#!/usr/bin/env python3
"""Starts a child that inherits its pipes, and dies of the first prompt with code 7.

The child's process id is in the last update. This is how an npm launcher behaves.
"""

from __future__ import annotations

import os
import subprocess

from _wire import Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    del text
    child = subprocess.Popen(["sleep", "600"])
    wire.text(session_id, f"child {child.pid}")
    os._exit(7)


serve(prompt)
