"""A cell as text: its source, and the text of its outputs."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from acp_jupyter.api.models.documents import Cell
from acp_jupyter.cells.context import LEFT_OUT
from acp_jupyter.protocol.objects import items, lines_or_text, obj, text
from acp_jupyter.transcript.escaping import without_ansi

_TEXT_TYPES = ("text/markdown", "text/plain", "text/latex")


def cell_text(number: int, cell: Cell) -> str:
    """Return the source of a cell with what it printed, or that it is left out."""
    if cell.is_left_out:
        return f"Cell {number} is {LEFT_OUT}."
    printed = output_text(list(cell.outputs)).rstrip("\n")
    return f"{cell.source}\n\n# Output:\n{printed}" if printed else cell.source


def output_text(outputs: JsonValue) -> str:
    """Return the text of a cell's outputs; a picture is named."""
    return without_ansi("".join(_outputs(outputs)))


def _outputs(outputs: JsonValue) -> Iterator[str]:
    for each in items(outputs):
        output = obj(each)
        match output.get("output_type"):
            case "stream":
                yield lines_or_text(output.get("text"))
            case "error":
                yield f"{text(output.get('ename'))}: {text(output.get('evalue'))}\n"
            case _:
                yield _data(obj(output.get("data")))


def _data(data: dict[str, JsonValue]) -> str:
    pictures = [kind for kind in data if kind.startswith("image/")]
    if pictures:
        return f"[a picture, {pictures[0]}]\n"
    for kind in _TEXT_TYPES:
        if kind in data:
            return f"{lines_or_text(data[kind])}\n"
    return ""
