"""Checks whether a notebook's outputs match its cells: which are stale, which a run changes.

`stale` compares the source that a cell ran with its present source, by the names that cells set
and use; `run_check` runs a copy from the top in a second kernel, and `compare` compares outputs.
"""

from __future__ import annotations

from acp_jupyter.feature import Feature, Program

FEATURE = Feature(
    commands="commands:COMMANDS",
    handlers="handlers:handlers",
    routes="server:ROUTES",
    wire_models="report:WIRE_MODELS",
    program=Program(
        "check", "run a copy of a notebook from the top and compare its outputs", "check:main"
    ),
)
