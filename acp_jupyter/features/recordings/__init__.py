"""Recording the sessions of a notebook, and playing them again without agents."""

from __future__ import annotations

from acp_jupyter.feature import Feature

FEATURE = Feature(recordings="recordings:FileRecordings", subcommands="subcommands:SUBCOMMANDS")
