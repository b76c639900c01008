#!/usr/bin/env python3
"""Reads everything and answers nothing, like a program that is no agent."""

from __future__ import annotations

import sys

from _wire import Wire

print("waiting for a login", file=sys.stderr, flush=True)
wire = Wire()
while wire.line():
    pass
