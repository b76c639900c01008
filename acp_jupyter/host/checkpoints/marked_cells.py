"""The cells of a notebook that a turn's tools wrote, told by their marks, and taken back.

The notebook of a turn is saved while the turn runs: what else changed in it may be its user's.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

from acp_jupyter.errors import ChangesRefused
from acp_jupyter.protocol.fingerprint import fingerprint
from acp_jupyter.protocol.objects import Obj, items, obj, text

__all__ = ["edited_cells", "has_marked", "without_marked"]

_UNREAD = "was not whole when the turn began, so what its cells were is not known"
_MIXED = "has cells without ids, and others changed them too: which ones a tool wrote can't be told"


def has_marked(notebook: str, turn_ids: Collection[str]) -> bool:
    """Tell whether some cell is as a tool wrote it in one of the turns."""
    return any(_is_tools(cell, turn_ids) for cell in _cells(_read(notebook)))


def edited_cells(notebook: str, turn_id: str) -> tuple[str, ...]:
    """Return the ids of cells that others have changed after a tool wrote them in the turn."""
    return tuple(
        _id(cell)
        for cell in _cells(_read(notebook))
        if _turn(cell) == turn_id and not _is_tools(cell, {turn_id})
    )


def without_marked(
    old: str, new: str, turn_ids: Collection[str], named: Collection[str] = ()
) -> str:
    """Return the notebook after some turns, with the cells that they wrote as they were before.

    A cell that its user has changed after a tool wrote it stays. Where cells have no ids, or
    share one, they are paired by their content and place; what is gone is there again.

    Parameters
    ----------
    old, new
        Before the turns and after them.
    turn_ids
        Whose marks count.
    named
        Ids of cells that their tools may have deleted or moved: those are where they were.

    Raises
    ------
    ChangesRefused
        The cells have no ids, and can't be told apart; or what they were can't be read.
    """
    was, is_ = _read(old), _read(new)
    if "cells" not in was:
        raise ChangesRefused(_UNREAD)
    before, after = _cells(was), _cells(is_)
    if _have_ids(before) and _have_ids(after):
        made = _by_id(before, after, turn_ids, named)
    else:
        made = list(_by_content(before, after, turn_ids))
    return json.dumps({**is_, "cells": made})


def _by_id(
    before: list[Obj], after: list[Obj], turn_ids: Collection[str], named: Collection[str]
) -> list[Obj]:
    former = {_id(cell): cell for cell in before}
    made: dict[str, Obj] = {}
    moving: set[str] = set()
    for cell in after:
        name = _id(cell)
        if not _is_tools(cell, turn_ids):
            made[name] = cell
        elif name in former:
            made[name] = former[name]
        if name in former and (name in named or _is_tools(cell, turn_ids)):
            moving.add(name)
    if [name for name in made if name in former] == [name for name in former if name in made]:
        moving.clear()
    order = [name for name in made if name not in moving]
    # Each goes below what it was below.
    above = ""
    for name in former:
        if name in moving or (name in named and name not in made):
            order.insert(order.index(above) + 1 if above in order else 0, name)
        above = name if name in order else above
    return [made.get(name) or former[name] for name in order]


def _by_content(before: list[Obj], after: list[Obj], turn_ids: Collection[str]) -> Iterator[Obj]:
    """Pair what is the same, then what has the same source, then what is at one place."""
    exact_before, exact_after = ([_content(cell) for cell in each] for each in (before, after))
    blocks = _blocks(exact_before, exact_after)
    free = Counter(
        exact_before[i] for same, i1, i2, _, _ in blocks if not same for i in range(i1, i2)
    )
    for same, i1, i2, j1, j2 in blocks:
        if same:
            yield from after[j1:j2]
            continue
        there: list[Obj] = []
        for cell, content in zip(after[j1:j2], exact_after[j1:j2], strict=True):
            if free[content] > 0:
                free[content] -= 1  # it was elsewhere, and is there again
            else:
                there.append(cell)
        yield from _joined(before[i1:i2], there, turn_ids)


def _joined(before: list[Obj], after: list[Obj], turn_ids: Collection[str]) -> Iterator[Obj]:
    """Yield the cells of a place where both sides differ."""
    tools = [_is_tools(cell, turn_ids) for cell in after]
    sources = [
        f"{place} tool" if tool else _kind_and_source(cell)
        for place, (cell, tool) in enumerate(zip(after, tools, strict=True))
    ]
    for same, i1, i2, j1, j2 in _blocks([_kind_and_source(cell) for cell in before], sources):
        others = [cell for cell, tool in zip(after[j1:j2], tools[j1:j2], strict=True) if not tool]
        if same or i1 == i2:
            yield from others
        elif not others:
            yield from before[i1:i2]
        elif i2 - i1 == j2 - j1:
            pairs = zip(before[i1:i2], after[j1:j2], tools[j1:j2], strict=True)
            yield from (was if tool else is_ for was, is_, tool in pairs)
        else:
            raise ChangesRefused(_MIXED)


def _blocks(before: Sequence[str], after: Sequence[str]) -> list[tuple[bool, int, int, int, int]]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [(tag == "equal", i1, i2, j1, j2) for tag, i1, i2, j1, j2 in matcher.get_opcodes()]


def _content(cell: Obj) -> str:
    content = {**cell, "id": None, "source": _source(cell)}
    return json.dumps(content, sort_keys=True)


def _kind_and_source(cell: Obj) -> str:
    return json.dumps([cell.get("cell_type"), _source(cell)])


def _is_tools(cell: Obj, turn_ids: Collection[str]) -> bool:
    """Tell whether a tool wrote what is in it; marks of old did not say what that was."""
    written = text(_mark(cell).get("written"))
    return _turn(cell) in turn_ids and written in {"", fingerprint(_source(cell))}


def _turn(cell: Obj) -> str:
    return text(_mark(cell).get("turn"))


def _mark(cell: Obj) -> Obj:
    return obj(obj(cell.get("metadata")).get("acp"))


def _source(cell: Obj) -> str:
    source = cell.get("source")
    return "".join(map(text, source)) if isinstance(source, list) else text(source)


def _have_ids(cells: list[Obj]) -> bool:
    names = {_id(cell) for cell in cells}
    return "" not in names and len(names) == len(cells)


def _id(cell: Obj) -> str:
    return text(cell.get("id"))


def _cells(notebook: Obj) -> list[Obj]:
    return [cell for cell in items(notebook.get("cells")) if isinstance(cell, dict)]


def _read(notebook: str) -> Obj:
    try:
        return obj(json.loads(notebook))
    except (ValueError, RecursionError):
        return {}
