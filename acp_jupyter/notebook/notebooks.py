"""Notebooks wherever they are: in the page that holds them, else on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from acp_jupyter.delivery.notebook_cells import CellEdit, NotebookRefusal, NotebookState
from acp_jupyter.notebook.open_notebook import OpenNotebook, PageNotebooks

__all__ = ["Notebooks"]


class Notebooks:
    """An `OpenNotebook`: the page counts where one holds the notebook.

    Parameters
    ----------
    files
        By the disk.
    pages
        By the pages; None where there are none.
    """

    def __init__(self, files: OpenNotebook, pages: PageNotebooks | None = None) -> None:
        self._files = files
        self._pages = pages

    async def read(self, path: Path) -> NotebookState | NotebookRefusal:
        """Return the notebook as it is now."""
        held = None if self._pages is None else await self._pages.read(path)
        return await self._files.read(path) if held is None else held

    async def apply(self, path: Path, edits: Sequence[CellEdit]) -> NotebookState | NotebookRefusal:
        """Make all changes, or none."""
        held = None if self._pages is None else await self._pages.apply(path, edits)
        return await self._files.apply(path, edits) if held is None else held
