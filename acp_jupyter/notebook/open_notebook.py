"""What the notebook tools need of whoever holds a notebook: a page, or the disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from acp_jupyter.delivery.notebook_cells import CellEdit, NotebookRefusal, NotebookState

__all__ = ["OpenNotebook", "PageNotebooks"]


class OpenNotebook(Protocol):
    """Reads and changes notebooks by their absolute path. Used on the host's loop."""

    async def read(self, path: Path) -> NotebookState | NotebookRefusal:
        """Return the notebook as it is now. Never raises, always ends."""

    async def apply(self, path: Path, edits: Sequence[CellEdit]) -> NotebookState | NotebookRefusal:
        """Make all changes, in this order, or none; return what came of it.

        Each change that names a fingerprint is refused as ``stale`` where the cell holds another
        source by then, and as ``cell_gone`` where there is no such cell. Never raises.
        """


class PageNotebooks(Protocol):
    """The same by the pages that hold notebooks; None where the file on disk counts."""

    async def read(self, path: Path) -> NotebookState | NotebookRefusal | None:
        """Return the notebook as its editor has it; None: read the file."""

    async def apply(
        self, path: Path, edits: Sequence[CellEdit]
    ) -> NotebookState | NotebookRefusal | None:
        """Make all changes in the editor, and save; None: nothing was done, change the file."""
