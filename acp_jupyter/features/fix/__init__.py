"""Sending the last error of a kernel to an agent: ``%acp fix``."""

from __future__ import annotations

from acp_jupyter.feature import Feature

FEATURE = Feature(
    subcommands="subcommands:SUBCOMMANDS",
    cell_ended="last_failure:last_failure.note",
)
