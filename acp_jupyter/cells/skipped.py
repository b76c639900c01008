"""Decides which cells a check doesn't run: those that ask agents, and others."""

from __future__ import annotations

from typing import Any

from acp_jupyter.cells.markers import Markers, markers_of
from acp_jupyter.cells.names import is_prompt, names_of

ASKS = "it asks an agent"


class SkippedCells:
    """Decides for one cell after the other whether it is skipped, and why."""

    def __init__(self) -> None:
        self._missing: dict[str, int] = {}
        """Names that skipped cells would have set, with the cells' numbers."""

    def why(self, number: int, cell: Any) -> str:
        """Return why a cell (of nbformat) is skipped; empty if it runs."""
        reason = self._reason(cell)
        if reason:
            self.add(number, cell)
        else:
            for name in names_of(cell.source).sets:
                self._missing.pop(name, None)
        return reason

    def add(self, number: int, cell: Any) -> None:
        """Note that a cell was skipped although it ran."""
        self._missing.update(dict.fromkeys(names_of(cell.source).sets, number))

    def _reason(self, cell: Any) -> str:
        if not cell.source.strip():
            return "empty"
        if is_prompt(cell.source):
            return ASKS
        if Markers.SKIP in markers_of(cell):
            return "marked to be skipped"
        for name in sorted(names_of(cell.source).uses):
            if name in self._missing:
                return f"it uses {name}, which cell {self._missing[name]} sets; that was skipped"
        return ""
