"""Cells in words for an agent."""

from __future__ import annotations

from collections.abc import Sequence

from acp_jupyter.delivery.notebook_cells import Cell, NbOutput, NotebookState
from acp_jupyter.notebook.reply import Reply, bounded
from acp_jupyter.packets.fingerprint import fingerprint

__all__ = ["list_cells", "read_cells"]

_LISTED = 200
_LINE_CHARS = 100
_SOURCE_CHARS = 30_000


def list_cells(reply: Reply, name: str, state: NotebookState, start: int, prompt_cell: str) -> None:
    """Say which cells there are."""
    cells = state.cells
    saved = "with unsaved changes" if state.unsaved else "saved"
    reply.add_text(f"{name}: {len(cells)} cells, {saved}.")
    listed = cells[start : start + _LISTED]
    if not listed:
        return
    lines = [_line(place, cell, prompt_cell) for place, cell in enumerate(listed, start)]
    reply.data(f"the list of cells of {name}", "\n".join(lines))
    left = len(cells) - start - len(listed)
    if left > 0:
        reply.add_text(f"{left} more: list_cells with start={start + len(listed)}.")


def read_cells(
    reply: Reply, name: str, chosen: Sequence[tuple[int, Cell]], *, outputs: bool
) -> None:
    """Give cells whole, each with its place."""
    for place, cell in chosen:
        origin = f"cell {cell.id} of {name}"
        count = "" if cell.execution_count is None else f", ran as [{cell.execution_count}]"
        reply.add_text(
            f"[{place}] id={cell.id} {cell.cell_type}{count}, "
            f"fingerprint={fingerprint(cell.source)}"
        )
        reply.data(f"source of {origin}", bounded(cell.source, _SOURCE_CHARS))
        if outputs and cell.cell_type == "code":
            reply.outputs(origin, cell.outputs)


def _line(index: int, cell: Cell, asking: str) -> str:
    lines = cell.source.splitlines() or [""]
    parts = [f"[{index}] id={cell.id} {cell.cell_type} fingerprint={fingerprint(cell.source)}"]
    if cell.execution_count is not None:
        parts.append(f"ran as [{cell.execution_count}]")
    if cell.outputs:
        parts.append(f"outputs: {', '.join(dict.fromkeys(map(_kind, cell.outputs)))[:100]}")
    if cell.acp is not None:
        parts.append(f"written by {cell.acp.agent[:40]}")
    if cell.id == asking:
        parts.append("the cell that you are asked from")
    count = f"{len(lines)} lines" if len(lines) > 1 else "1 line"
    return f"{'; '.join(parts)}; {count}: {lines[0][:_LINE_CHARS]}"


def _kind(output: NbOutput) -> str:
    kind = output.get("output_type")
    if kind in {"stream", "error"}:
        return str(kind)
    data = output.get("data")
    kinds = [name for name in data if name != "text/plain"] if isinstance(data, dict) else []
    return str(kinds[0]) if kinds else "text/plain"
