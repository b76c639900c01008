#!/usr/bin/env python3
"""Stops reading its stdin after session/new; with --close it closes it."""

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
        break
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "--close" in sys.argv:
    os.close(0)
while True:
    signal.pause()
