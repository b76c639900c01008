"""Takes back single cells of a notebook: the rest of its text stays, byte for byte.

The text is not parsed and written anew, since that would touch every number and indent in it:
what a cell was is put in the place of what it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from acp_jupyter.errors import BadRequest, ChangesRefused
from acp_jupyter.protocol.host_events.workspace import Hunk

__all__ = ["is_notebook", "without_cells"]

_SPACE = " \t\r\n"
_BETWEEN = ",\n  "
"""What Jupyter writes between two cells."""
_AROUND = Hunk(old_start=0, old_end=0, new_start=0, new_end=0)
"""No cells: the notebook's own metadata."""
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Cells:
    """A notebook's text around its cells, and theirs."""

    before: str
    """Up to the bracket and the space after it."""
    cells: tuple[str, ...]
    between: str
    after: str
    """From the space before the closing bracket on."""


def is_notebook(path: str) -> bool:
    """Tell whether a file's parts are cells, in place of lines."""
    return path.endswith(".ipynb")


def without_cells(old: bytes, new: bytes, hunks: Iterable[Hunk]) -> bytes:
    """Return the notebook after the turn, with some cells as they were before it.

    Parameters
    ----------
    old, new
        Before the turn and after it.
    hunks
        Ranges of cells; the one that is empty and at the very beginning is what is around them.

    Raises
    ------
    ChangesRefused
        One of the texts is no notebook.
    BadRequest
        The ranges overlap, or lie outside the notebook.
    """
    chosen = sorted(hunks, key=lambda each: (each.new_start, each.new_end, each.old_start))
    if not chosen:
        return new
    before, after = _read(old), _read(new)
    made: list[str] = []
    at = 0
    for hunk in chosen:
        inside = hunk.old_start <= hunk.old_end <= len(before.cells)
        if not (inside and at <= hunk.new_start <= hunk.new_end <= len(after.cells)):
            raise BadRequest("These cells are not in this notebook, or overlap.")
        made += after.cells[at : hunk.new_start] + before.cells[hunk.old_start : hunk.old_end]
        at = hunk.new_end
    made += after.cells[at:]
    around = before if _AROUND in chosen else after
    frame = around if around.cells else before
    text = around.before + frame.between.join(made) + around.after
    return text.encode()


def _read(data: bytes) -> _Cells:
    try:
        text = data.decode()
        start, end = _place(text)
        return _split(text, start, end)
    except (ValueError, RecursionError, IndexError):
        raise ChangesRefused("This notebook can be taken back as a whole only.") from None


def _place(text: str) -> tuple[int, int]:
    """Return where the value of ``cells`` begins and ends."""
    at = _skip(text, _expect(text, _skip(text, 0), "{"))
    found: tuple[int, int] | None = None
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _expect(text, _skip(text, at), ":"))
        start = at
        _, at = _DECODER.raw_decode(text, at)
        if key == "cells":
            if found is not None or text[start] != "[":
                raise ValueError(key)
            found = (start, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    if found is None:
        raise ValueError("cells")
    return found


def _split(text: str, start: int, end: int) -> _Cells:
    first = at = _skip(text, start + 1)
    spans: list[tuple[int, int]] = []
    while text[at] != "]":
        begin = at
        _, at = _DECODER.raw_decode(text, at)
        spans.append((begin, at))
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    last = spans[-1][1] if spans else first
    between = text[spans[0][1] : spans[1][0]] if len(spans) > 1 else _BETWEEN
    cells = tuple(text[begin:stop] for begin, stop in spans)
    return _Cells(text[:first], cells, between, text[last:])


def _expect(text: str, at: int, sign: str) -> int:
    if text[at] != sign:
        raise ValueError(sign)
    return at + 1


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _SPACE:
        at += 1
    return at
