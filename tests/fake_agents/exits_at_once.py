#!/usr/bin/env python3
"""Complains and leaves with code 3."""

from __future__ import annotations

import sys

print("cannot find the configuration\x1b[31m in red\x1b[0m", file=sys.stderr)
sys.exit(3)
