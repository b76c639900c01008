"""The cells of a notebook in a checkpoint, with the outputs that can be shown."""

from __future__ import annotations

import json
from typing import get_args

from acp_jupyter.api.models.documents import Cell, CellType, NbOutput
from acp_jupyter.protocol.formatting import shorten
from acp_jupyter.protocol.objects import Obj, items, lines_or_text, number, obj, text

_TYPES: tuple[CellType, ...] = get_args(CellType)
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml")
_TEXTS = ("text/plain", "text/markdown")
"""Text formats; the first one present is used."""
_TEXT_CHARS = 20_000
"""Longest output, in characters."""
_MAX_CHARS = 8_000_000
"""Limit for all sources and outputs, similar to that of changed files in one answer."""
_TOO_LARGE = "This output is too large to be shown here."


def read_cells(notebook: bytes) -> tuple[tuple[Cell, ...], str] | None:
    """Return the cells and their language; None if the content is not a notebook."""
    try:
        read: Obj = obj(json.loads(notebook))
    except (ValueError, RecursionError):
        return None
    if not isinstance(read.get("cells"), list):
        return None
    room = _MAX_CHARS
    cells: list[Cell] = []
    for place, node in enumerate(map(obj, items(read["cells"]))):
        source = lines_or_text(node.get("source"))
        room -= len(source)
        if room < 0:
            break
        outputs: list[NbOutput] = []
        for output in map(obj, items(node.get("outputs"))):
            shown = _shown(output)
            size = len(json.dumps(shown))
            if size > room:
                shown, size = {"output_type": "stream", "text": _TOO_LARGE}, 0
            room -= size
            outputs.append(shown)
        kinds = (known for known in _TYPES if known == node.get("cell_type"))
        cells.append(
            Cell(
                id=text(node.get("id")) or str(place),
                cell_type=next(kinds, "raw"),
                source=source,
                outputs=tuple(outputs),
                execution_count=number(node.get("execution_count")),
            )
        )
    metadata = obj(read.get("metadata"))
    language = text(obj(metadata.get("language_info")).get("name"))
    return tuple(cells), language or text(obj(metadata.get("kernelspec")).get("language"))


def _shown(output: Obj) -> NbOutput:
    """Return the parts of an output that are text or pictures."""
    kind = text(output.get("output_type"))
    if kind == "stream":
        return {
            "output_type": kind,
            "text": shorten(lines_or_text(output.get("text")), _TEXT_CHARS),
        }
    if kind == "error":
        lines = "\n".join(text(line) for line in items(output.get("traceback")))
        words = lines or f"{text(output.get('ename'))}: {text(output.get('evalue'))}"
        return {"output_type": kind, "text": shorten(words, _TEXT_CHARS)}
    data = obj(output.get("data"))
    shown: Obj = {mime: lines_or_text(data[mime]) for mime in _PICTURES if mime in data}
    plain = next((mime for mime in _TEXTS if mime in data), "")
    if plain:
        shown["text/plain"] = shorten(lines_or_text(data[plain]), _TEXT_CHARS)
    return {"output_type": kind, "data": shown}
