"""Reverts single cells of a notebook: given ones, or those that a turn's tools marked.

The notebook is not parsed and serialised, since that would change its numbers and indents: the old
text of a cell replaces the new one. The notebook of a turn is saved while the turn runs, so other
changes in it may be the user's: only marked cells are reverted there.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from acp_jupyter.errors import BadRequest, ChangesRefused
from acp_jupyter.host.workspace.checkpoints.merge import merged, with_change, with_change_apart
from acp_jupyter.protocol.host_events.session import Hunk
from acp_jupyter.protocol.objects import Obj, items, lines_or_text, obj, text

_UNREAD = "was incomplete when the turn began, so its earlier cells are not known"
_MIXED = "has cells without ids that others changed, too, so it is unknown which ones a tool wrote"


def has_marked(notebook: str, turn_ids: Collection[str]) -> bool:
    """Return whether any cell is still as a tool wrote it in one of the turns."""
    return any(_is_tools(cell, turn_ids) for cell in _cells(_read_cells(notebook)))


def edited_cells(notebook: str, turn_id: str) -> tuple[str, ...]:
    """Return the ids of cells that a tool wrote in the turn and somebody changed since."""
    return tuple(
        _id(cell)
        for cell in _cells(_read_cells(notebook))
        if _turn(cell) == turn_id and not _is_tools(cell, {turn_id})
    )


def without_marked(
    old: str, new: str, turn_ids: Collection[str], named: Collection[str] = ()
) -> str:
    """Return the notebook after some turns, with the cells that they wrote reverted.

    A cell that the user has changed after a tool wrote it stays. If cells have no ids, or share
    one, they are paired by content and position, and deleted cells are restored.

    Parameters
    ----------
    named
        Ids of cells that their tools may have deleted or moved: these are put back.
    """
    was, is_ = _read_cells(old), _read_cells(new)
    if "cells" not in was:
        raise ChangesRefused(_UNREAD)
    before, after = _cells(was), _cells(is_)
    if _have_ids(before) and _have_ids(after):
        restored = _by_id(before, after, turn_ids, named)
    else:
        restored = list(_by_content(before, after, turn_ids))
    return json.dumps({**is_, "cells": restored})


def _by_id(
    before: list[Obj], after: list[Obj], turn_ids: Collection[str], named: Collection[str]
) -> list[Obj]:
    former = {_id(cell): cell for cell in before}
    restored: dict[str, Obj] = {}
    moving: set[str] = set()
    for cell in after:
        name = _id(cell)
        if not _is_tools(cell, turn_ids):
            restored[name] = cell
        elif name in former:
            restored[name] = former[name]
        if name in former and (name in named or _is_tools(cell, turn_ids)):
            moving.add(name)
    if [name for name in restored if name in former] == [
        name for name in former if name in restored
    ]:
        moving.clear()
    order = [name for name in restored if name not in moving]
    # Put each cell below its former predecessor.
    above = ""
    for name in former:
        if name in moving or (name in named and name not in restored):
            order.insert(order.index(above) + 1 if above in order else 0, name)
        above = name if name in order else above
    return [restored.get(name) or former[name] for name in order]


def _by_content(before: list[Obj], after: list[Obj], turn_ids: Collection[str]) -> Iterator[Obj]:
    """Pair equal cells, then cells of equal source, then those at the same position."""
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
                free[content] -= 1  # the cell was moved, and is restored at its old place
            else:
                there.append(cell)
        yield from _joined(before[i1:i2], there, turn_ids)


def _joined(before: list[Obj], after: list[Obj], turn_ids: Collection[str]) -> Iterator[Obj]:
    """Yield the cells of a place where both sides differ."""
    tools = [_is_tools(cell, turn_ids) for cell in after]
    sources = [
        f"{index} tool" if tool else _kind_and_source(cell)
        for index, (cell, tool) in enumerate(zip(after, tools, strict=True))
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
    """Return whether a tool wrote what is in it; marks of old did not say what that was."""
    written = text(_mark(cell).get("written"))
    return _turn(cell) in turn_ids and written in {"", fingerprint(_source(cell))}


def _turn(cell: Obj) -> str:
    return text(_mark(cell).get("turn"))


def _mark(cell: Obj) -> Obj:
    return obj(obj(cell.get("metadata")).get("acp"))


def _source(cell: Obj) -> str:
    return lines_or_text(cell.get("source"))


def _have_ids(cells: list[Obj]) -> bool:
    names = {_id(cell) for cell in cells}
    return "" not in names and len(names) == len(cells)


def _id(cell: Obj) -> str:
    return text(cell.get("id"))


def _cells(notebook: Obj) -> list[Obj]:
    return [cell for cell in items(notebook.get("cells")) if isinstance(cell, dict)]


def _read_cells(notebook: str) -> Obj:
    try:
        return obj(json.loads(notebook))
    except (ValueError, RecursionError):
        return {}


_SPACE = " \t\r\n"
_BETWEEN = ",\n  "
"""The text that Jupyter writes between two cells."""
_OUTSIDE_CELLS = Hunk(old_start=0, old_end=0, new_start=0, new_end=0)
"""No cells: the notebook's own metadata."""
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Cells:
    """The text of a notebook, split into its cells and the parts around them."""

    before: str
    """Up to the opening bracket and the space after it."""
    cells: tuple[str, ...]
    between: str
    after: str
    """The text from the space before the closing bracket on."""


def is_notebook(path: str) -> bool:
    """Return whether a file consists of cells, and not of lines."""
    return path.endswith(".ipynb")


def without_cells(old: bytes, new: bytes, hunks: Iterable[Hunk]) -> bytes:
    """Return the notebook after the turn with some cells reverted.

    Parameters
    ----------
    hunks
        Ranges of cells; an empty range at the beginning means the notebook's own metadata.
    """
    chosen = sorted(hunks, key=lambda each: (each.new_start, each.new_end, each.old_start))
    if not chosen:
        return new
    before, after = _split_notebook(old), _split_notebook(new)
    restored: list[str] = []
    at = 0
    for hunk in chosen:
        inside = hunk.old_start <= hunk.old_end <= len(before.cells)
        if not (inside and at <= hunk.new_start <= hunk.new_end <= len(after.cells)):
            raise BadRequest("These cells are not in this notebook, or overlap.")
        restored += after.cells[at : hunk.new_start] + before.cells[hunk.old_start : hunk.old_end]
        at = hunk.new_end
    restored += after.cells[at:]
    around = before if _OUTSIDE_CELLS in chosen else after
    frame = around if around.cells else before
    text = around.before + frame.between.join(restored) + around.after
    return text.encode()


@dataclass(frozen=True, slots=True)
class MergedNotebook:
    """A notebook with a person's changes of a save, without those of tools."""

    content: bytes | None
    by_person: bool
    turns: tuple[str, ...]
    """The turns whose tools changed the notebook, by the marks of cells."""


def merged_notebook(
    known: bytes | None, before: bytes | None, after: bytes, named: Collection[str]
) -> MergedNotebook:
    """Apply a person's changes from ``before`` to ``after`` to a notebook, cell by cell.

    Parameters
    ----------
    known
        The notebook to change; None for none.
    """
    nothing = _Cells("{", (), _BETWEEN, "}")
    was, is_ = nothing if before is None else _split(before), _split(after)
    own = nothing if known is None else _split(known)
    old, new = [_read_cell(cell) for cell in was.cells], [_read_cell(cell) for cell in is_.cells]
    former = {_id(cell): cell for cell in old}
    ran = [_without_run(cell, former.get(_id(cell)), named) for cell in new]
    turns = {_turn(cell) for cell in new if text(_mark(cell).get("written"))} - {""}
    theirs = ran
    if turns or any(name in named for name in former):
        there, now = (json.dumps({"cells": cells}) for cells in (old, ran))
        try:
            theirs = _cells(_read_cells(without_marked(there, now, turns, named)))
        except ChangesRefused as error:
            raise ValueError(str(error)) from None
    pieces = {_key(_read_cell(cell)): cell for each in (was, is_, own) for cell in each.cells}
    base, ours, wanted = (
        list(map(_key, cells)) for cells in (old, [_read_cell(cell) for cell in own.cells], theirs)
    )
    by_tools = wanted != list(map(_key, new))
    marks = tuple(sorted(turns)) if by_tools else ()
    framed = before is not None and _frame(was) != _frame(is_)
    if wanted == base and not framed and (before is not None or by_tools):
        return MergedNotebook(known, by_person=False, turns=marks)
    cells = merged(base, ours, wanted)
    if not by_tools and known == before:
        return MergedNotebook(after, by_person=True, turns=())
    if cells == ours and not framed and known is not None:
        return MergedNotebook(known, by_person=True, turns=marks)
    around = own if known is not None and not framed else is_
    made = _notebook(around, around if around.cells else is_, cells, pieces)
    return MergedNotebook(made, by_person=True, turns=marks)


def cell_keys(notebook: bytes) -> list[str]:
    """Return a key for each cell, the same for equal cells, however they are formatted."""
    return _keys(_split(notebook))


def notebook_with_change(
    known: bytes, before: bytes, after: bytes, *, apart: bool = False
) -> bytes | None:
    """Apply the change from ``before`` to ``after`` to a notebook, cell by cell.

    None if it has the change already, or if its cells were changed otherwise; with ``apart`` also
    if cells beside them were, or what is around the cells.
    """
    own, was, is_ = _split(known), _split(before), _split(after)
    pieces = {_key(_read_cell(cell)): cell for each in (was, is_, own) for cell in each.cells}
    merge = with_change_apart if apart else with_change
    cells = merge(*(_keys(each) for each in (was, own, is_)))
    if cells is None or (apart and _frame(own) != _frame(was) != _frame(is_)):
        return None
    around = is_ if _frame(own) == _frame(was) != _frame(is_) else own
    return _notebook(around, own if own.cells else is_, cells, pieces)


def _notebook(
    around: _Cells, spaced: _Cells, cells: Sequence[str], pieces: Mapping[str, str]
) -> bytes:
    """Return a notebook with the frame of ``around`` and the separator of ``spaced``."""
    body = spaced.between.join(pieces[cell] for cell in cells)
    return f"{around.before}{body}{around.after}".encode()


def _without_run(cell: Obj, former: Obj | None, named: Collection[str]) -> Obj:
    """Return a cell as it was before a tool ran it."""
    is_run = former is not None and _id(cell) in named and _source(cell) == _source(former)
    return former if is_run and former is not None else cell


def _read_cell(cell: str) -> Obj:
    return obj(json.loads(cell))


def _keys(notebook: _Cells) -> list[str]:
    return [_key(_read_cell(cell)) for cell in notebook.cells]


def _key(cell: Obj) -> str:
    return json.dumps(cell, sort_keys=True)


def _frame(notebook: _Cells) -> str:
    """Return what is around the cells, however it is written."""
    return _key(obj(json.loads(f"{notebook.before}{notebook.after}")))


def _split(data: bytes) -> _Cells:
    try:
        return _split_notebook(data)
    except ChangesRefused as error:
        raise ValueError(str(error)) from None


def _split_notebook(data: bytes) -> _Cells:
    try:
        text = data.decode()
        start, end = _cells_span(text)
        return _split_cells(text, start, end)
    except (ValueError, RecursionError, IndexError):
        raise ChangesRefused("This notebook can only be reverted as a whole.") from None


def _cells_span(text: str) -> tuple[int, int]:
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


def _split_cells(text: str, start: int, end: int) -> _Cells:
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


def fingerprint(source: str) -> str:
    """Return what a cell's source is recognised by."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]
