"""Which outputs of a notebook are stale: the command and its result."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acp_jupyter.api.models.command_row import POST, BaseCommand, CommandRow
from acp_jupyter.features.checks.stale import CellRun, CodeCell, StaleCell
from acp_jupyter.protocol.objects import Model


class FindStale(BaseCommand):
    """Compare what cells ran with what they contain now."""

    name: Literal["find_stale"] = "find_stale"
    cells: tuple[CodeCell, ...] = Field(max_length=5000)
    """The notebook's code cells, in its order."""
    runs: tuple[CellRun, ...] = Field(max_length=2000)
    """The runs of cells, oldest first."""
    python: bool = True
    """Whether the cells are Python; names of other languages are not read."""


class StaleCells(Model):
    """The cells whose output is stale."""

    cells: tuple[StaleCell, ...]


COMMANDS = (
    CommandRow(FindStale, POST("stale", body=True), StaleCells, only_user="look for stale cells"),
)
