"""The history of a notebook, and going back to before one of its turns."""

from __future__ import annotations

from acp_jupyter.feature import Feature

FEATURE = Feature(
    commands="commands:COMMANDS",
    handlers="handlers:handlers",
    subcommands="subcommands:SUBCOMMANDS",
    cell="cell_options:REWIND",
)
