"""Notebooks as they lie on disk, for the tools where no page holds them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat import ValidationError

from acp_jupyter.delivery.notebook_cells import CellEdit, NotebookRefusal, NotebookState
from acp_jupyter.errors import FileMissing, FileRefused
from acp_jupyter.host.files.workspace import WorkspaceFiles
from acp_jupyter.host.limits import Limits
from acp_jupyter.notebook.cell_edits import EditRefused, Node, change_cells, give_ids, read_state

__all__ = ["FileNotebooks"]

_MINOR_WITH_IDS = 5
_MALFORMED = (ValueError, KeyError, TypeError, AttributeError, RecursionError, ValidationError)
"""What nbformat raises on JSON that is no notebook."""


class FileNotebooks:
    """An `OpenNotebook` by the file; written in one step, and only as nbformat allows.

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
        """Return the notebook as it is on disk."""
        return await asyncio.to_thread(self._read, path)

    async def apply(self, path: Path, edits: Sequence[CellEdit]) -> NotebookState | NotebookRefusal:
        """Make all changes in the file, or none."""
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
