"""Saved prompts: ``.acp/prompts/NAME.md`` in a folder is ``/NAME`` in a message or a cell."""

from __future__ import annotations

from acp_jupyter.feature import Feature

FEATURE = Feature(
    commands="commands:COMMANDS",
    handlers="handlers:handlers",
    prompts="expand:expand",
    subcommands="subcommands:SUBCOMMANDS",
    cell_prompt="kernel:with_agent",
)
