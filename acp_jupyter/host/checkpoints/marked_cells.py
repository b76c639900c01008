"""The cells of a notebook that a turn's tools wrote, told by their marks, and taken back.

The notebook of a turn is saved while the turn runs: what else changed in it may be its user's.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from acp_jupyter.packets.json_fields import Obj, items, obj, text

__all__ = ["has_marked", "without_marked"]


def has_marked(notebook: str, turn_ids: Collection[str]) -> bool:
    """Tell whether some cell carries the mark of one of the turns."""
    return any(_turn_of(cell) in turn_ids for cell in _cells(_read(notebook)))


def without_marked(
    old: str, new: str, turn_ids: Collection[str], deleted: Collection[str] = ()
) -> str:
    """Return the notebook after some turns, with the cells that they wrote as they were before.

    Parameters
    ----------
    old, new
        Before the turns and after them.
    turn_ids
        Whose marks count.
    deleted
        Ids of cells that their tools may have deleted: those that are gone are there again.
    """
    is_ = _read(new)
    former = {text(cell.get("id")): cell for cell in _cells(_read(old))}
    made: list[Obj] = []
    for cell in _cells(is_):
        was = former.get(text(cell.get("id")))
        if _turn_of(cell) not in turn_ids:
            made.append(cell)
        elif was is not None:
            made.append(was)
    _put_back(made, former, deleted)
    return json.dumps({**is_, "cells": made})


def _put_back(made: list[Obj], former: dict[str, Obj], deleted: Collection[str]) -> None:
    """Each goes below what it was below."""
    places = [text(cell.get("id")) for cell in made]
    above = ""
    for cell_id, cell in former.items():
        if cell_id in deleted and cell_id not in places:
            at = places.index(above) + 1 if above in places else 0
            made.insert(at, cell)
            places.insert(at, cell_id)
        above = cell_id if cell_id in places else above


def _turn_of(cell: Obj) -> str:
    return text(obj(obj(cell.get("metadata")).get("acp")).get("turn"))


def _cells(notebook: Obj) -> list[Obj]:
    return [cell for cell in items(notebook.get("cells")) if isinstance(cell, dict)]


def _read(notebook: str) -> Obj:
    try:
        return obj(json.loads(notebook))
    except (ValueError, RecursionError):
        return {}
