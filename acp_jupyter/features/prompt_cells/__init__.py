"""Prompt cells in notebooks of any kernel: cells with ``%%acp`` that their kernel doesn't know.

The page sends their prompts, and the kernel never sees them; `handlers` reads their first line with
the parser of the magic. `run` does the same without a page: ``jupyter acp run``.
"""

from __future__ import annotations

from acp_jupyter.feature import Feature, Program

FEATURE = Feature(
    commands="commands:COMMANDS",
    handlers="handlers:handlers",
    program=Program(
        "run", "run a notebook of any kernel from the top, with its prompts", "run:main"
    ),
)
