#!/usr/bin/env python3
"""Stops reading its stdin after session/new; with --close it closes it in the first turn."""

from __future__ import annotations

import os
import signal
import sys

from _wire import Wire, initialize_result

wire = Wire()
while (message := wire.next()) is not None:
    if message.get("method") == "initialize":
        wire.result(message, initialize_result("deaf"))
    elif message.get("method") == "session/new":
        wire.result(message, {"sessionId": "deaf-1"})
        if "--close" not in sys.argv:
            break
    elif message.get("method") == "session/prompt":
        os.close(0)
        break
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    signal.pause()
