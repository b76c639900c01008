"""Which cells of the notebook go along with prompts: ``%acp context``.

That a cell which is left out never leaves is the core's: `acp_jupyter.cells.context`.
"""

from __future__ import annotations

from acp_jupyter.feature import Feature

FEATURE = Feature(subcommands="subcommands:SUBCOMMANDS")
