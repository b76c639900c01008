#!/usr/bin/env python3
"""Answers initialize, and never session/new."""

from __future__ import annotations

from _wire import Wire, initialize_result

wire = Wire()
while (message := wire.next()) is not None:
    if message.get("method") == "initialize":
        wire.result(message, initialize_result("never_new_session"))
