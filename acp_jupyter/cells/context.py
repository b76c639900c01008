"""Which cells go along with prompts, and which never leave: ``metadata.acp.context`` of a cell.

The user sets it, and it is saved with the notebook. Everything that gives an agent a cell asks
`context_of`, whatever form the cell has: JSON of a file here, a `Cell` elsewhere.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Literal, get_args

from acp_jupyter.protocol.objects import Obj, items, obj, text

CellContext = Literal["pinned", "left-out"]
"""``pinned``: it goes along with each prompt of its notebook. ``left-out``: it never leaves."""

CONTEXTS: tuple[CellContext, ...] = get_args(CellContext)

LEFT_OUT = "left out by the user"
"""What an agent gets in place of a cell that is left out."""

_FILE_SOURCE = f"This cell is {LEFT_OUT}."


def context_of(cell: Obj) -> CellContext | None:
    """Return what the user set for a cell of nbformat; None if nothing that is known."""
    value = obj(obj(cell.get("metadata")).get("acp")).get("context")
    return next((each for each in CONTEXTS if each == value), None)


class NotNotebook(ValueError):
    """A text is no notebook, or does not have the cells that it must have."""


def hide_left_out(notebook: str) -> str:
    """Return the text of a notebook's file without the cells that are left out.

    Each stays at its place, with its id and a sentence as its source.

    Raises
    ------
    NotNotebook
        It may have such cells, and can't be read.
    """
    if '"left-out"' not in notebook:
        return notebook
    read = _read(notebook)
    cells = items(read.get("cells"))
    if not any(context_of(obj(cell)) == "left-out" for cell in cells):
        return notebook
    shown = [_hidden(obj(cell)) for cell in cells]
    return json.dumps({**read, "cells": shown}, indent=1, ensure_ascii=False) + "\n"


def with_left_out(notebook: str, before: str) -> str:
    """Return a notebook that an agent wrote, with the cells of ``before`` that it did not see.

    Raises
    ------
    NotNotebook
        One of these cells is missing, or the text can't be read.
    """
    if '"left-out"' not in before:
        return notebook
    kept: dict[str, list[Obj]] = defaultdict(list)
    for cell in map(obj, items(_read(before).get("cells"))):
        if context_of(cell) == "left-out":
            kept[text(cell.get("id"))].append(cell)
    if not kept:
        return notebook
    read = _read(notebook)
    cells = [_kept(obj(cell), kept) for cell in items(read.get("cells"))]
    if any(kept.values()):
        raise NotNotebook(
            f"it has cells that are {LEFT_OUT}: write them back as you read them, with their ids "
            "and metadata"
        )
    return json.dumps({**read, "cells": cells}, indent=1, ensure_ascii=False) + "\n"


def _hidden(cell: Obj) -> Obj:
    if context_of(cell) != "left-out":
        return cell
    hidden: Obj = {name: cell[name] for name in ("cell_type", "id") if name in cell}
    hidden |= {"metadata": {"acp": {"context": "left-out"}}, "source": _FILE_SOURCE}
    if cell.get("cell_type") == "code":
        hidden |= {"execution_count": None, "outputs": []}
    return hidden


def _kept(cell: Obj, kept: dict[str, list[Obj]]) -> Obj:
    if context_of(cell) != "left-out":
        return cell
    former = kept.get(text(cell.get("id")))
    return former.pop(0) if former else cell


def _read(notebook: str) -> Obj:
    try:
        return obj(json.loads(notebook))
    except (ValueError, RecursionError):
        raise NotNotebook("it can't be read as a notebook") from None
