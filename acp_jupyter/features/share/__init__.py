"""Sharing a turn or a session as one HTML file, which can be played step by step."""

from __future__ import annotations

from acp_jupyter.feature import Feature

FEATURE = Feature(subcommands="subcommands:SUBCOMMANDS", transcripts="shared_page:TRANSCRIPTS")
