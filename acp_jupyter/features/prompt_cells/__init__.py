"""Prompt cells in notebooks of any kernel: cells with ``%%acp`` that their kernel doesn't know.

The page sends their prompts, and the kernel never sees them; `handlers` reads their first line with
the parser of the magic.
"""

from __future__ import annotations

from acp_jupyter.feature import Feature

FEATURE = Feature(commands="commands:COMMANDS", handlers="handlers:handlers")
