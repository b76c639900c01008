"""Reads the cells of an nbformat notebook, and applies lists of edits to them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, assert_never, get_args

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell
from pydantic import ValidationError

from acp_jupyter.api.models.documents import (
    AcpMark,
    Cell,
    CellEdit,
    CellType,
    DeleteCell,
    InsertCell,
    MoveCell,
    NotebookRefusal,
    NotebookState,
    RefusalReason,
    ReplaceSource,
    SetOutputs,
)
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.protocol.objects import items, number, obj, text

Node: TypeAlias = dict[str, Any]
"""An object of nbformat, which has attributes as well."""

_CELL_TYPES: tuple[CellType, ...] = get_args(CellType)
_MAKERS = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}


class EditRefused(Exception):
    """An edit does not fit the present notebook."""

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
    for place, cell in enumerate(notebook["cells"]):
        name = cell.get("id")
        if not isinstance(name, str) or not name or name in used:
            told = f"{place}\n{cell.get('cell_type')}\n{cell.get('source')}"
            name = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]
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
    )


def _mark(raw: Any) -> AcpMark | None:
    try:
        return AcpMark.model_validate({"turn": raw["turn"], "agent": raw["agent"]})
    except (KeyError, TypeError, ValidationError):
        return None


def change_cells(notebook: Node, edits: Sequence[CellEdit]) -> None:
    """Apply edits to the notebook, in this order.

    Raises
    ------
    EditRefused
        An edit does not fit; the notebook is then half changed and must not be used.
    """
    for edit in edits:
        match edit:
            case InsertCell():
                _insert(notebook, edit)
            case ReplaceSource():
                cell = _guarded(notebook, edit.cell_id, edit.fingerprint)
                cell["source"] = edit.source
                cell.setdefault("metadata", {})["acp"] = edit.acp.model_dump()
            case MoveCell():
                _move(notebook, edit)
            case DeleteCell():
                notebook["cells"].remove(_guarded(notebook, edit.cell_id, edit.fingerprint))
            case SetOutputs():
                _set_outputs(notebook, edit)
            case _:
                assert_never(edit)


def _insert(notebook: Node, edit: InsertCell) -> None:
    if any(cell["id"] == edit.cell_id for cell in notebook["cells"]):
        raise EditRefused("invalid", f"There is a cell {edit.cell_id} already.", edit.cell_id)
    make: Callable[..., Node] = _MAKERS[edit.cell_type]
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
    cell = _guarded(notebook, edit.cell_id, edit.fingerprint)
    if cell.get("cell_type") != "code":
        raise EditRefused("invalid", f"Cell {edit.cell_id} is not a code cell.", edit.cell_id)
    cell["outputs"] = [
        nbformat.from_dict(output)  # type: ignore[no-untyped-call]
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
        f"There is no cell {cell_id} in the notebook any more. List the cells again.",
        cell_id,
    )


def _guarded(notebook: Node, cell_id: str, expected: str) -> Node:
    cell = _find(notebook, cell_id)
    source = text(cell.get("source"))
    if fingerprint(source) != expected:
        raise EditRefused(
            "stale",
            f"Cell {cell_id} was changed since it was read. Read it again before you change it.",
            cell_id,
            source,
        )
    return cell
