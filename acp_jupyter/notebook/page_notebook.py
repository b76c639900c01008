"""Notebooks by the pages that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from acp_jupyter.delivery.ask_frames import AnswerFrame, EditNotebook, ReadNotebook
from acp_jupyter.delivery.asks import Pages
from acp_jupyter.delivery.notebook_cells import (
    CellEdit,
    InsertCell,
    NotebookRefusal,
    NotebookState,
)
from acp_jupyter.notebook.cell_edits import EditRefused, Node, change_cells

__all__ = ["PagesOfNotebooks"]

_SAID = 1000


class PagesOfNotebooks:
    """A `PageNotebooks`. Used on the host's loop.

    Parameters
    ----------
    pages
        All connected pages.
    """

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def read(self, path: Path) -> NotebookState | NotebookRefusal | None:
        """Return the notebook as its editor has it; None: read the file."""
        asked = await self._pages.ask(path, ReadNotebook())
        if asked.answer is not None:
            return _told(asked.answer)
        return _silence(path) if asked.unsaved else None

    async def apply(
        self, path: Path, edits: Sequence[CellEdit]
    ) -> NotebookState | NotebookRefusal | None:
        """Make all changes in the editor, and save; None: nothing was done, change the file.

        What the edits are guarded by is compared here; the page makes them only where the cells
        still have these sources.
        """
        state = await self.read(path)
        if not isinstance(state, NotebookState):
            return state
        try:
            change_cells(_node(state), edits)
        except EditRefused as error:
            return error.refusal
        made = {edit.cell_id for edit in edits if isinstance(edit, InsertCell)}
        named = {edit.cell_id for edit in edits} - made
        expected = {cell.id: cell.source for cell in state.cells if cell.id in named}
        question = EditNotebook(edits=tuple(edits), expected=expected)
        asked = await self._pages.ask(path, question)
        # It may still do it: the file is left alone.
        return _silence(path) if asked.answer is None else _told(asked.answer)


def _told(answer: AnswerFrame) -> NotebookState | NotebookRefusal | None:
    if answer.refusal is not None:
        # Open as text: a change of the file comes into that editor.
        return None if answer.refusal.reason == "no_notebook" else answer.refusal
    if answer.notebook is not None:
        return answer.notebook
    words = answer.error or "The page gave no answer that could be understood."
    return NotebookRefusal(reason="invalid", message=f"Nothing was changed: {words[:_SAID]}")


def _silence(path: Path) -> NotebookRefusal:
    return NotebookRefusal(
        reason="no_answer",
        message=(
            f"{path.name} is open in a page that does not answer. Read it again before you try "
            "again."
        ),
    )


def _node(state: NotebookState) -> Node:
    return {"cells": [{**cell.model_dump(), "metadata": {}} for cell in state.cells]}
