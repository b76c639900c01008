"""Reads and changes notebooks in the page that has them open, else on disk.

It also converts the cells of an nbformat notebook for the tools, and applies edits to them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, assert_never, get_args

from pydantic import ValidationError

from acp_jupyter.api.models.documents import (
    AcpMark,
    AnswerFrame,
    Cell,
    CellEdit,
    CellType,
    DeleteCell,
    EditNotebook,
    InsertCell,
    MoveCell,
    NotebookRefusal,
    NotebookState,
    ReadNotebook,
    RefusalReason,
    ReplaceSource,
    SetOutputs,
)
from acp_jupyter.api.pages import Pages
from acp_jupyter.cells.context import CONTEXTS, LEFT_OUT, context_of
from acp_jupyter.errors import FileMissing, FileRefused
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.host.workspace.confined_files import ConfinedFiles
from acp_jupyter.notebook_tools.context import NotebookAccess, PageNotebooks
from acp_jupyter.protocol.objects import items, number, obj, text


class Notebooks:
    """A `NotebookAccess` that prefers a page with the notebook over the file.

    Parameters
    ----------
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
    """A `PageNotebooks`. Used on the host's loop."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def read(self, path: Path) -> NotebookState | NotebookRefusal | None:
        """Return the notebook in its editor; None if the caller must read the file."""
        asked = await self._pages.ask(path, ReadNotebook())
        if asked.answer is not None:
            return _state_of_answer(asked.answer)
        return _no_answer(path) if asked.unsaved else None

    async def apply(
        self, path: Path, edits: Sequence[CellEdit]
    ) -> NotebookState | NotebookRefusal | None:
        """Apply all edits in the editor and save; None if the caller must change the file.

        Fingerprints are checked here. The page applies the edits only if the cells still have the
        same sources.
        """
        state = await self.read(path)
        if not isinstance(state, NotebookState):
            return state
        try:
            change_cells(_node(state), edits)
        except EditRefused as error:
            return error.refusal
        inserted = {edit.cell_id for edit in edits if isinstance(edit, InsertCell)}
        named = {edit.cell_id for edit in edits} - inserted
        expected = {cell.id: cell.source for cell in state.cells if cell.id in named}
        question = EditNotebook(edits=tuple(edits), expected=expected)
        asked = await self._pages.ask(path, question)
        # The page may still apply the edits, so the file must not change.
        return _no_answer(path) if asked.answer is None else _state_of_answer(asked.answer)


def _state_of_answer(answer: AnswerFrame) -> NotebookState | NotebookRefusal | None:
    if answer.refusal is not None:
        # The notebook is open as text; that editor follows changes of the file.
        return None if answer.refusal.reason == "no_notebook" else answer.refusal
    if answer.notebook is not None:
        return answer.notebook
    words = answer.error or "The page's answer could not be understood."
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
    return {
        "cells": [
            {**cell.model_dump(), "metadata": {"acp": {"context": cell.context}}}
            for cell in state.cells
        ]
    }


_MINOR_WITH_IDS = 5


def _malformed() -> tuple[type[Exception], ...]:
    """Return the exceptions that nbformat raises for JSON that is not a notebook."""
    from nbformat import ValidationError as InvalidNotebook

    return ValueError, KeyError, TypeError, AttributeError, RecursionError, InvalidNotebook


class FileNotebooks:
    """A `NotebookAccess` to files, which are written atomically and only if valid nbformat.

    Parameters
    ----------
    limits
        ``notebook_bytes`` limits reading and writing; the text for an agent has its own limit.
    """

    def __init__(self, root: Path, limits: Limits) -> None:
        self._files = ConfinedFiles(root, replace(limits, file_bytes=limits.notebook_bytes))
        self._lock = threading.Lock()

    async def read(self, path: Path) -> NotebookState | NotebookRefusal:
        """Return the notebook on disk."""
        return await asyncio.to_thread(self._read, path)

    async def apply(self, path: Path, edits: Sequence[CellEdit]) -> NotebookState | NotebookRefusal:
        """Apply all edits to the file, or none."""
        return await asyncio.to_thread(self._apply, path, tuple(edits))

    async def contexts(self, path: Path) -> tuple[Cell, ...]:
        """Return the cells, if any is pinned or left out; none if the file can't be read."""
        return await asyncio.to_thread(self._contexts, path)

    def _contexts(self, path: Path) -> tuple[Cell, ...]:
        try:
            raw = self._files.read_text(str(path))
        except (FileMissing, FileRefused):
            return ()
        # Most notebooks have no such cell, and reading one for each prompt takes a while.
        if not any(f'"{each}"' in raw for each in CONTEXTS):
            return ()
        state = self._read(path)
        return state.cells if isinstance(state, NotebookState) else ()

    def _read(self, path: Path) -> NotebookState | NotebookRefusal:
        try:
            return read_state(self.load(path))
        except EditRefused as error:
            return error.refusal

    def _apply(self, path: Path, edits: Sequence[CellEdit]) -> NotebookState | NotebookRefusal:
        with self._lock:
            try:
                notebook = self.load(path)
                change_cells(notebook, edits)
                self._save(path, notebook)
                return read_state(notebook)
            except EditRefused as error:
                return error.refusal

    def load(self, path: Path) -> Node:
        """Return the notebook on disk, as nbformat has it; this blocks."""
        # Slow to import, with the JSON schema checks; so only when an agent reads the notebook.
        import nbformat

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
        except _malformed():
            raise EditRefused("unreadable", f"{path.name} is not a readable notebook.") from None
        return notebook

    def _save(self, path: Path, notebook: Node) -> None:
        import nbformat

        minor = notebook.get("nbformat_minor")
        notebook["nbformat_minor"] = max(_MINOR_WITH_IDS, minor if isinstance(minor, int) else 0)
        try:
            nbformat.validate(notebook)
            text = str(nbformat.writes(notebook, nbformat.NO_CONVERT))  # type: ignore[no-untyped-call]
        except _malformed():
            words = f"{path.name} would no longer be a valid notebook; nothing was changed."
            raise EditRefused("invalid", words) from None
        try:
            self._files.write_text(str(path), text if text.endswith("\n") else f"{text}\n")
        except FileRefused as error:
            raise EditRefused("unreadable", error.message) from None


Node: TypeAlias = dict[str, Any]
"""An object of nbformat, which has attributes as well."""

_CELL_TYPES: tuple[CellType, ...] = get_args(CellType)


class EditRefused(Exception):
    """An edit doesn't fit the present notebook."""

    def __init__(
        self, reason: RefusalReason, message: str, cell_id: str = "", source: str | None = None
    ) -> None:
        super().__init__(message)
        self.refusal = NotebookRefusal(
            reason=reason, message=message, cell_id=cell_id, source=source
        )


def give_ids(notebook: Node) -> None:
    """Give every cell a unique id; the same file always gets the same ids."""
    used: set[str] = set()
    for index, cell in enumerate(notebook["cells"]):
        name = cell.get("id")
        if not isinstance(name, str) or not name or name in used:
            seed = f"{index}\n{cell.get('cell_type')}\n{cell.get('source')}"
            name = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:12]
            cell["id"] = name
        used.add(name)


def read_state(notebook: Node) -> NotebookState:
    """Return a notebook's cells and language; cells of an unknown type count as raw."""
    metadata = obj(notebook.get("metadata"))
    language = text(obj(metadata.get("language_info")).get("name"))
    language = language or text(obj(metadata.get("kernelspec")).get("language"))
    return NotebookState(cells=tuple(map(_cell, notebook["cells"])), language=language)


def _cell(node: Node) -> Cell:
    kinds = (known for known in _CELL_TYPES if known == node.get("cell_type"))
    kind: CellType = next(kinds, "raw")
    return Cell(
        id=str(node["id"]),
        cell_type=kind,
        source=text(node.get("source")),
        outputs=tuple(obj(output) for output in items(node.get("outputs"))),
        execution_count=number(node.get("execution_count")),
        acp=_mark(obj(node.get("metadata")).get("acp")),
        context=context_of(node),
    )


def _mark(raw: Any) -> AcpMark | None:
    try:
        return AcpMark.model_validate({"turn": raw["turn"], "agent": raw["agent"]})
    except (KeyError, TypeError, ValidationError):
        return None


def change_cells(notebook: Node, edits: Sequence[CellEdit]) -> None:
    """Apply edits to the notebook, in this order."""
    for edit in edits:
        match edit:
            case InsertCell():
                _insert(notebook, edit)
            case ReplaceSource():
                cell = _guarded(notebook, edit.cell_id, edit.fingerprint)
                cell["source"] = edit.source
                context = context_of(cell)
                kept = {} if context is None else {"context": context}
                cell.setdefault("metadata", {})["acp"] = {**edit.acp.model_dump(), **kept}
            case MoveCell():
                _move(notebook, edit)
            case DeleteCell():
                notebook["cells"].remove(_guarded(notebook, edit.cell_id, edit.fingerprint))
            case SetOutputs():
                _set_outputs(notebook, edit)
            case _:
                assert_never(edit)


def _insert(notebook: Node, edit: InsertCell) -> None:
    from nbformat import v4

    if any(cell["id"] == edit.cell_id for cell in notebook["cells"]):
        raise EditRefused("invalid", f"There is a cell {edit.cell_id} already.", edit.cell_id)
    make: Callable[..., Node] = getattr(v4, f"new_{edit.cell_type}_cell")
    cell = make(source=edit.source, id=edit.cell_id)
    cell["metadata"]["acp"] = edit.acp.model_dump()
    notebook["cells"].insert(_index_after(notebook, edit.after), cell)


def _move(notebook: Node, edit: MoveCell) -> None:
    cell = _guarded(notebook, edit.cell_id, edit.fingerprint)
    if edit.after == edit.cell_id:
        raise EditRefused("invalid", "A cell can't come after itself.", edit.cell_id)
    _index_after(notebook, edit.after)
    notebook["cells"].remove(cell)
    notebook["cells"].insert(_index_after(notebook, edit.after), cell)


def _set_outputs(notebook: Node, edit: SetOutputs) -> None:
    from nbformat import from_dict

    cell = _guarded(notebook, edit.cell_id, edit.fingerprint)
    if cell.get("cell_type") != "code":
        raise EditRefused("invalid", f"Cell {edit.cell_id} is not a code cell.", edit.cell_id)
    cell["outputs"] = [
        from_dict(output)  # type: ignore[no-untyped-call]
        for output in edit.outputs
    ]
    cell["execution_count"] = edit.execution_count


def _index_after(notebook: Node, cell_id: str | None) -> int:
    return 0 if cell_id is None else notebook["cells"].index(_find(notebook, cell_id)) + 1


def _find(notebook: Node, cell_id: str) -> Node:
    cells: list[Node] = notebook["cells"]
    for cell in cells:
        if cell["id"] == cell_id:
            return cell
    raise EditRefused(
        "cell_gone",
        f"Cell {cell_id} is no longer in the notebook. List the cells again.",
        cell_id,
    )


def _guarded(notebook: Node, cell_id: str, expected: str) -> Node:
    cell = _find(notebook, cell_id)
    if context_of(cell) == "left-out":
        raise EditRefused("left_out", f"Cell {cell_id} is {LEFT_OUT}.", cell_id)
    source = text(cell.get("source"))
    if fingerprint(source) != expected:
        raise EditRefused(
            "stale",
            f"Cell {cell_id} was changed since it was read. Read it again before you change it.",
            cell_id,
            source,
        )
    return cell
