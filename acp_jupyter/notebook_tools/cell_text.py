"""Writes cells as text for an agent, and applies its edits to a source."""

from __future__ import annotations

from collections.abc import Sequence

from acp_jupyter.api.models.documents import Cell, NbOutput, NotebookState
from acp_jupyter.cells.context import LEFT_OUT
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from acp_jupyter.notebook_tools.context import ToolError
from acp_jupyter.notebook_tools.outputs import Reply
from acp_jupyter.notebook_tools.tools import MAX_CHARS, TextEdit
from acp_jupyter.protocol.formatting import shorten_middle

_LISTED = 200
_FIRST_LINE_CHARS = 100
_SOURCE_CHARS = 30_000


def write_cell_list(
    reply: Reply, name: str, state: NotebookState, start: int, prompt_cell: str
) -> None:
    """Add the list of cells to a reply."""
    cells = state.cells
    saved = "with unsaved changes" if state.unsaved else "saved"
    reply.add_text(f"{name}: {len(cells)} cells, {saved}.")
    listed = cells[start : start + _LISTED]
    if not listed:
        return
    lines = [_cell_summary(index, cell, prompt_cell) for index, cell in enumerate(listed, start)]
    reply.data(f"the list of cells of {name}", "\n".join(lines))
    left = len(cells) - start - len(listed)
    if left > 0:
        reply.add_text(f"{left} more: list_cells with start={start + len(listed)}.")


def write_cells(
    reply: Reply, name: str, chosen: Sequence[tuple[int, Cell]], *, outputs: bool
) -> None:
    """Add whole cells to a reply, each with its index."""
    for index, cell in chosen:
        if cell.is_left_out:
            reply.add_text(f"[{index}] id={cell.id} {cell.cell_type}: {LEFT_OUT}.")
            continue
        origin = f"cell {cell.id} of {name}"
        count = "" if cell.execution_count is None else f", ran as [{cell.execution_count}]"
        reply.add_text(
            f"[{index}] id={cell.id} {cell.cell_type}{count}, "
            f"fingerprint={fingerprint(cell.source)}"
        )
        reply.data(f"source of {origin}", shorten_middle(cell.source, _SOURCE_CHARS))
        if outputs and cell.cell_type == "code":
            reply.outputs(origin, cell.outputs)


def _cell_summary(index: int, cell: Cell, prompt_cell: str) -> str:
    if cell.is_left_out:
        return f"[{index}] id={cell.id} {cell.cell_type}; {LEFT_OUT}"
    lines = cell.source.splitlines() or [""]
    parts = [f"[{index}] id={cell.id} {cell.cell_type} fingerprint={fingerprint(cell.source)}"]
    if cell.execution_count is not None:
        parts.append(f"ran as [{cell.execution_count}]")
    if cell.outputs:
        parts.append(f"outputs: {', '.join(dict.fromkeys(map(_kind, cell.outputs)))[:100]}")
    if cell.acp is not None:
        parts.append(f"written by {cell.acp.agent[:40]}")
    if cell.id == prompt_cell:
        parts.append("the cell that you are asked from")
    count = f"{len(lines)} lines" if len(lines) > 1 else "1 line"
    return f"{'; '.join(parts)}; {count}: {lines[0][:_FIRST_LINE_CHARS]}"


def _kind(output: NbOutput) -> str:
    kind = output.get("output_type")
    if kind in {"stream", "error"}:
        return str(kind)
    data = output.get("data")
    kinds = [name for name in data if name != "text/plain"] if isinstance(data, dict) else []
    return str(kinds[0]) if kinds else "text/plain"


def edited(source: str, edits: Sequence[TextEdit]) -> str:
    """Apply edits to a text, one after the other."""
    for number, edit in enumerate(edits, 1):
        count = source.count(edit.old)
        if count == 0:
            raise ToolError(
                f"not_found: the old text of edit {number} is not in the cell. Nothing was "
                "changed. Give it exactly as read_cells shows it, with its spaces and line ends."
            )
        if count > 1 and not edit.all:
            raise ToolError(
                f"ambiguous: the old text of edit {number} is in the cell {count} times. Nothing "
                "was changed. Give more of the text around it, or all=true to change each."
            )
        if len(source) + count * (len(edit.new) - len(edit.old)) > MAX_CHARS:
            raise ToolError(f"too_long: a cell can have {MAX_CHARS} characters at most.")
        source = source.replace(edit.old, edit.new)
    return source
