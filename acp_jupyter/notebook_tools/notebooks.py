"""Reads and changes notebooks in the page that has them open, else on disk."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat import ValidationError

from acp_jupyter.api.models.documents import (
    AnswerFrame,
    CellEdit,
    EditNotebook,
    InsertCell,
    NotebookRefusal,
    NotebookState,
    ReadNotebook,
)
from acp_jupyter.api.pages import Pages
from acp_jupyter.errors import FileMissing, FileRefused
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.workspace_files import WorkspaceFiles
from acp_jupyter.notebook_tools.cell_edits import (
    EditRefused,
    Node,
    change_cells,
    give_ids,
    read_state,
)
from acp_jupyter.notebook_tools.context import NotebookAccess, PageNotebooks


class Notebooks:
    """A `NotebookAccess` that prefers a page with the notebook over the file.

    Parameters
    ----------
    files
        Access to the files.
    pages
        Access to the pages; None if there are none.
    """

    def __init__(self, files: NotebookAccess, pages: PageNotebooks | None = None) -> None:
        self._files = files
        self._pages = pages

    async def read(self, path: Path) -> NotebookState | NotebookRefusal:
        """Return the present notebook."""
        held = None if self._pages is None else await self._pages.read(path)
        return await self._files.read(path) if held is None else held

    async def apply(self, path: Path, edits: Sequence[CellEdit]) -> NotebookState | NotebookRefusal:
        """Apply all edits, or none."""
        held = None if self._pages is None else await self._pages.apply(path, edits)
        return await self._files.apply(path, edits) if held is None else held


_REASON_CHARS = 1000


class NotebooksInPages:
    """A `PageNotebooks`. Used on the host's loop.

    Parameters
    ----------
    pages
        All connected pages.
    """

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def read(self, path: Path) -> NotebookState | NotebookRefusal | None:
        """Return the notebook in its editor; None: read the file."""
        asked = await self._pages.ask(path, ReadNotebook())
        if asked.answer is not None:
            return _state_of_answer(asked.answer)
        return _no_answer(path) if asked.unsaved else None

    async def apply(
        self, path: Path, edits: Sequence[CellEdit]
    ) -> NotebookState | NotebookRefusal | None:
        """Apply all edits in the editor and save; None: nothing was done, change the file.

        Fingerprints are checked here; the page applies the edits only if the cells still have the
        same sources.
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
        # The page may still apply them, so the file is left alone.
        return _no_answer(path) if asked.answer is None else _state_of_answer(asked.answer)


def _state_of_answer(answer: AnswerFrame) -> NotebookState | NotebookRefusal | None:
    if answer.refusal is not None:
        # The notebook is open as text: that editor follows a change of the file.
        return None if answer.refusal.reason == "no_notebook" else answer.refusal
    if answer.notebook is not None:
        return answer.notebook
    words = answer.error or "The page gave no answer that could be understood."
    return NotebookRefusal(
        reason="invalid", message=f"Nothing was changed: {words[:_REASON_CHARS]}"
    )


def _no_answer(path: Path) -> NotebookRefusal:
    return NotebookRefusal(
        reason="no_answer",
        message=(
            f"{path.name} is open in a page that does not answer. Read it again before you try "
            "again."
        ),
    )


def _node(state: NotebookState) -> Node:
    return {"cells": [{**cell.model_dump(), "metadata": {}} for cell in state.cells]}


_MINOR_WITH_IDS = 5
_MALFORMED = (ValueError, KeyError, TypeError, AttributeError, RecursionError, ValidationError)
"""What nbformat raises on JSON that is no notebook."""


class FileNotebooks:
    """A `NotebookAccess` to files, which are written atomically and only if valid nbformat.

    Parameters
    ----------
    root
        No notebook outside it is read or changed.
    limits
        ``file_bytes`` holds for reading and for writing.
    """

    def __init__(self, root: Path, limits: Limits) -> None:
        self._files = WorkspaceFiles(root, limits)
        self._lock = threading.Lock()

    async def read(self, path: Path) -> NotebookState | NotebookRefusal:
        """Return the notebook on disk."""
        return await asyncio.to_thread(self._read, path)

    async def apply(self, path: Path, edits: Sequence[CellEdit]) -> NotebookState | NotebookRefusal:
        """Apply all edits to the file, or none."""
        return await asyncio.to_thread(self._apply, path, tuple(edits))

    def _read(self, path: Path) -> NotebookState | NotebookRefusal:
        try:
            return read_state(self._load(path))
        except EditRefused as error:
            return error.refusal

    def _apply(self, path: Path, edits: Sequence[CellEdit]) -> NotebookState | NotebookRefusal:
        with self._lock:
            try:
                notebook = self._load(path)
                change_cells(notebook, edits)
                self._save(path, notebook)
                return read_state(notebook)
            except EditRefused as error:
                return error.refusal

    def _load(self, path: Path) -> Node:
        try:
            raw = self._files.read_text(str(path))
        except FileMissing as error:
            raise EditRefused(
                "no_notebook", f"{error.message} It may have been renamed, or is not saved yet."
            ) from None
        except FileRefused as error:
            raise EditRefused("unreadable", error.message) from None
        try:
            major = json.loads(raw)["nbformat"]
            if major != nbformat.current_nbformat:
                raise EditRefused(
                    "unreadable",
                    f"{path.name} has the notebook format {major!s:.20}; only 4 can be changed. "
                    "Open and save it in Jupyter first.",
                )
            notebook: Node = nbformat.reader.reads(raw)  # type: ignore[no-untyped-call]
            give_ids(notebook)
        except _MALFORMED:
            raise EditRefused("unreadable", f"{path.name} is not a readable notebook.") from None
        return notebook

    def _save(self, path: Path, notebook: Node) -> None:
        minor = notebook.get("nbformat_minor")
        notebook["nbformat_minor"] = max(_MINOR_WITH_IDS, minor if isinstance(minor, int) else 0)
        try:
            nbformat.validate(notebook)
            text = str(nbformat.writes(notebook, nbformat.NO_CONVERT))  # type: ignore[no-untyped-call]
        except _MALFORMED:
            words = f"{path.name} would not be a valid notebook any more; nothing was changed."
            raise EditRefused("invalid", words) from None
        try:
            self._files.write_text(str(path), text if text.endswith("\n") else f"{text}\n")
        except FileRefused as error:
            raise EditRefused("unreadable", error.message) from None
