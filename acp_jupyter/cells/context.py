"""Which cells go along with prompts, and which never leave: ``metadata.acp.context`` of a cell.

The user sets it, and it is saved with the notebook. Everything that gives an agent a cell asks
`context_of`, whatever form the cell has: JSON of a file here, a `Cell` elsewhere.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias, get_args

from pydantic import JsonValue

from acp_jupyter.protocol.objects import Obj, items, number, obj, text

CellContext = Literal["pinned", "left-out"]
"""``pinned``: it goes along with each prompt of its notebook. ``left-out``: it never leaves."""

CONTEXTS: tuple[CellContext, ...] = get_args(CellContext)

LEFT_OUT = "left out by the user"
"""What an agent gets in place of a cell that is left out."""

FRAME_LEFT_OUT = f"[a frame of a cell that is {LEFT_OUT}]"
"""What an agent gets in place of the code of such a cell in a traceback."""

_FILE_SOURCE = f"This cell is {LEFT_OUT}."
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_FRAME = re.compile(r"\bIn ?\[(\d{1,9})\]|<ipython-input-(\d{1,9})-|\bipykernel_\d")
"""How a traceback names the cell of a frame: by its execution count, or by a temporary file."""

IsHidden: TypeAlias = Callable[[int | None], bool]
"""Returns whether the code with an execution count is left out."""


def context_of(cell: Obj) -> CellContext | None:
    """Return what the user set for a cell of nbformat; None if nothing that is known."""
    value = obj(obj(cell.get("metadata")).get("acp")).get("context")
    return next((each for each in CONTEXTS if each == value), None)


def hidden_code(cells: Iterable[tuple[CellContext | None, int | None]]) -> IsHidden | None:
    """Return what says whether code is left out; None if no cell is.

    A traceback and a function name their cell by its execution count. Where cells are left out, so
    is code whose cell isn't found.

    Parameters
    ----------
    cells
        What the user set for each cell, and its execution count.
    """
    known = tuple(cells)
    if not any(context == "left-out" for context, _ in known):
        return None
    hidden = {count for context, count in known if context == "left-out"}
    shown = {count for context, count in known if context != "left-out"} - {None}
    return lambda count: count in hidden or count not in shown


def without_left_out_frames(
    outputs: Iterable[Obj], is_hidden: IsHidden, *, of_tool: bool = False
) -> tuple[Obj, ...]:
    """Return a cell's outputs without the code of left-out cells in tracebacks.

    Parameters
    ----------
    of_tool
        Whether a tool has run the code, which has no cell of its own; it is the first frame.
    """
    return tuple(
        {**each, "traceback": _without_frames(each, is_hidden, of_tool=of_tool)}
        if each.get("output_type") == "error" and each.get("traceback")
        else each
        for each in outputs
    )


def _without_frames(output: Obj, is_hidden: IsHidden, *, of_tool: bool) -> list[JsonValue]:
    frames = [text(frame) for frame in items(output.get("traceback"))]
    counts = [_counts_in(frame) for frame in frames]
    first = next((each[0] for each in counts if each), None)
    own = {first} if of_tool else set()
    if not any(counts):
        return []  # of a kernel that doesn't name cells: the error's name and value are left
    return [
        FRAME_LEFT_OUT if any(each not in own and is_hidden(each) for each in named) else frame
        for frame, named in zip(frames, counts, strict=True)
    ]


def _counts_in(frame: str) -> list[int | None]:
    found = _FRAME.finditer(_COLOUR.sub("", frame))
    return [int(count) if (count := each[1] or each[2]) else None for each in found]


class NotNotebook(ValueError):
    """A text is no notebook, or does not have the cells that it must have."""


def hide_left_out(notebook: str) -> str:
    """Return the text of a notebook's file without the cells that are left out.

    Each stays at its place, with its id and a sentence as its source. Its code is not in the
    tracebacks of other cells either.

    Raises
    ------
    NotNotebook
        It may have such cells, and can't be read.
    """
    if '"left-out"' not in notebook:
        return notebook
    read = _read(notebook)
    cells = [obj(cell) for cell in items(read.get("cells"))]
    is_hidden = _hidden_code(cells)
    if is_hidden is None:
        return notebook
    shown = [_hidden(cell, is_hidden) for cell in cells]
    return json.dumps({**read, "cells": shown}, indent=1, ensure_ascii=False) + "\n"


def with_left_out(notebook: str, before: str) -> str:
    """Return a notebook that an agent wrote, with what it did not see of the one ``before``.

    Raises
    ------
    NotNotebook
        One of these cells is missing, or the text can't be read.
    """
    if '"left-out"' not in before:
        return notebook
    former = [obj(cell) for cell in items(_read(before).get("cells"))]
    is_hidden = _hidden_code(former)
    if is_hidden is None:
        return notebook
    kept: dict[str, list[Obj]] = defaultdict(list)
    for cell in former:
        if context_of(cell) == "left-out":
            kept[text(cell.get("id"))].append(cell)
    others = {text(cell.get("id")): cell for cell in former if context_of(cell) != "left-out"}
    read = _read(notebook)
    cells = [
        _with_frames(_kept(obj(cell), kept), others, is_hidden) for cell in items(read.get("cells"))
    ]
    if any(kept.values()):
        raise NotNotebook(
            f"it has cells that are {LEFT_OUT}: write them back as you read them, with their ids "
            "and metadata"
        )
    return json.dumps({**read, "cells": cells}, indent=1, ensure_ascii=False) + "\n"


def _hidden_code(cells: Iterable[Obj]) -> IsHidden | None:
    return hidden_code((context_of(cell), number(cell.get("execution_count"))) for cell in cells)


def _hidden(cell: Obj, is_hidden: IsHidden) -> Obj:
    if context_of(cell) != "left-out":
        return {**cell, "outputs": _outputs(cell, is_hidden)} if "outputs" in cell else cell
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


def _with_frames(cell: Obj, others: dict[str, Obj], is_hidden: IsHidden) -> Obj:
    """Return a cell with the tracebacks that it had, unless the agent has changed its outputs."""
    former = others.get(text(cell.get("id")))
    if former is None or "outputs" not in former or context_of(cell) == "left-out":
        return cell
    same = cell.get("outputs") == _outputs(former, is_hidden)
    return {**cell, "outputs": former["outputs"]} if same else cell


def _outputs(cell: Obj, is_hidden: IsHidden) -> list[JsonValue]:
    return list(without_left_out_frames(map(obj, items(cell.get("outputs"))), is_hidden))


def _read(notebook: str) -> Obj:
    try:
        return obj(json.loads(notebook))
    except (ValueError, RecursionError):
        raise NotNotebook("it can't be read as a notebook") from None
