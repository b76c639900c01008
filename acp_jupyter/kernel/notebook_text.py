"""A notebook file as text: its cells with their outputs, without the JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import JsonValue

from acp_jupyter.notebook_tools.outputs import uncoloured
from acp_jupyter.protocol.objects import items, obj, text

__all__ = ["notebook_text"]

_MOST_CHARS = 200_000
_OUTPUT_CHARS = 2_000
_TEXT_TYPES = ("text/markdown", "text/plain", "text/latex")


def notebook_text(content: bytes) -> str | None:
    """Return the cells of a notebook of any format 4, bounded; None for what is no notebook."""
    try:
        notebook = json.loads(content)
    except (ValueError, RecursionError):
        return None
    cells = obj(notebook).get("cells")
    if not isinstance(cells, list):
        return None
    parts: list[str] = []
    left = _MOST_CHARS
    for number, cell in enumerate(cells, 1):
        part = _cell(number, obj(cell))
        if len(part) > left:
            parts.append(f"… {len(cells) - number + 1} more cells left out")
            break
        left -= len(part)
        parts.append(part)
    return "\n\n".join(parts)


def _cell(number: int, cell: dict[str, JsonValue]) -> str:
    kind = text(cell.get("cell_type")) or "unknown"
    name = text(cell.get("id"))
    head = f"## Cell {number} ({kind}{f', id {name}' if name else ''})"
    source = _joined(cell.get("source"))
    if kind != "code":
        return f"{head}\n\n{source}"
    outputs = "".join(_outputs(cell.get("outputs")))
    shown = f"\n\nOutput:\n\n{_fenced(_cut(outputs))}" if outputs.strip() else ""
    return f"{head}\n\n{_fenced(source)}{shown}"


def _outputs(outputs: JsonValue) -> Iterator[str]:
    for each in items(outputs):
        output = obj(each)
        match output.get("output_type"):
            case "stream":
                yield _joined(output.get("text"))
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
            return f"{_joined(data[kind])}\n"
    return ""


def _joined(lines: JsonValue) -> str:
    """Return a multiline string of nbformat: one, or a list of its lines."""
    if isinstance(lines, list):
        return "".join(line for line in lines if isinstance(line, str))
    return lines if isinstance(lines, str) else ""


def _cut(words: str) -> str:
    words = uncoloured(words).rstrip("\n")
    left = len(words) - _OUTPUT_CHARS
    return words if left <= 0 else f"{words[:_OUTPUT_CHARS]}\n… {left} characters left out"


def _fenced(words: str) -> str:
    fence = "```"
    while fence in words:
        fence += "`"
    return f"{fence}\n{words}\n{fence}"
