"""Trying a prompt several ways at once, each in a copy of the folder."""

from __future__ import annotations

from acp_jupyter.feature import Feature

FEATURE = Feature(
    commands="commands:COMMANDS",
    handlers="handlers:handlers",
    server="server:VariantsOnServer",
    cell="cell_options:TRY",
)
