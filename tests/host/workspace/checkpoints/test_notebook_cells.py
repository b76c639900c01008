"""Single cells of a notebook, taken back in any order."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.errors import BadRequest, ChangesRefused
from acp_jupyter.host.workspace.checkpoints.notebook_cells import without_cells
from acp_jupyter.protocol.host_events.session import Hunk

_SOURCES = st.lists(st.sampled_from(["x = 1", "ü\n", "]},", '"', "\\"]), max_size=6)


def _cell(source: str, **more: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": [], **more}


def _notebook(*cells: dict[str, object], **more: object) -> bytes:
    written = {"cells": list(cells), "metadata": {"n": 1e3}, "nbformat": 4, **more}
    return (json.dumps(written, indent=1, ensure_ascii=False) + "\n").encode()


def _sources(notebook: bytes) -> list[str]:
    return [cell["source"] for cell in json.loads(notebook)["cells"]]


def _hunk(*places: int) -> Hunk:
    names = ("old_start", "old_end", "new_start", "new_end")
    return Hunk(**dict(zip(names, places, strict=True)))


CHANGED = _hunk(0, 1, 0, 1)
ADDED = _hunk(1, 1, 1, 2)
DELETED = _hunk(2, 3, 3, 3)
OLD = _notebook(_cell("x = 1"), _cell("y = 1"), _cell("z = 1"))
NEW = _notebook(_cell("x = 2"), _cell("new"), _cell("y = 1", outputs=[{"text": "1"}]), by="agent")


def test_one_cell_is_taken_back_and_all_else_stays() -> None:
    one = without_cells(OLD, NEW, [CHANGED])
    assert one == NEW.replace(b"x = 2", b"x = 1")
    assert _sources(without_cells(OLD, NEW, [ADDED])) == ["x = 2", "y = 1"]
    assert _sources(without_cells(OLD, NEW, [DELETED])) == ["x = 2", "new", "y = 1", "z = 1"]
    all_of_it = json.loads(without_cells(OLD, NEW, [DELETED, CHANGED, ADDED]))
    assert [cell["source"] for cell in all_of_it["cells"]] == ["x = 1", "y = 1", "z = 1"]
    assert all_of_it["cells"][1]["outputs"] == [{"text": "1"}]
    assert all_of_it["by"] == "agent"
    assert without_cells(OLD, NEW, []) == NEW


def test_what_is_around_the_cells_is_taken_back_by_itself() -> None:
    around = _hunk(0, 0, 0, 0)
    assert "by" not in json.loads(without_cells(OLD, NEW, [around]))
    assert _sources(without_cells(OLD, NEW, [around])) == _sources(NEW)
    assert without_cells(OLD, NEW, [around, _hunk(0, 3, 0, 3)]) == OLD


def test_a_notebook_may_become_empty_and_be_filled_again() -> None:
    empty, full = _notebook(), _notebook(_cell("a"), _cell("b"))
    assert _sources(without_cells(empty, full, [_hunk(0, 0, 0, 2)])) == []
    assert _sources(without_cells(full, empty, [_hunk(1, 2, 0, 0), _hunk(0, 1, 0, 0)])) == [
        "a",
        "b",
    ]


@given(_SOURCES, _SOURCES, st.integers(0, 6), st.randoms(use_true_random=False))
def test_any_cells_in_any_order(
    before: list[str], after: list[str], count: int, order: random.Random
) -> None:
    old, new = (_notebook(*map(_cell, sources)) for sources in (before, after))
    both = min(len(before), len(after))
    hunks = [_hunk(place, place + 1, place, place + 1) for place in range(both)]
    hunks += [_hunk(both, both, place, place + 1) for place in range(both, len(after))]
    order.shuffle(hunks)
    some = hunks[:count]
    taken = without_cells(old, new, some)
    places = {hunk.new_start for hunk in some}
    expected = [
        before[place] if place in places else source
        for place, source in enumerate(after)
        if place not in places or place < both
    ]
    assert _sources(taken) == expected
    if both == len(before) == len(after) == len(some):
        assert taken == old


@pytest.mark.parametrize(
    "hunks",
    [
        [(0, 1, 0, 9)],
        [(0, 9, 0, 1)],
        [(1, 0, 0, 1)],
        [(0, 1, 1, 0)],
        [(0, 1, 0, 2), (1, 2, 1, 2)],
    ],
)
def test_nonsense_is_refused(hunks: list[tuple[int, int, int, int]]) -> None:
    with pytest.raises(BadRequest):
        without_cells(OLD, NEW, [_hunk(*places) for places in hunks])


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b'{"worksheets": []}',
        b'{"cells": {}}',
        b'{"cells": [1, 2',
        b'{"cells": [], "cells": []}',
        b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_what_is_no_notebook_is_left_whole(text: bytes) -> None:
    for old, new in ((text, NEW), (OLD, text)):
        with pytest.raises(ChangesRefused, match="can only be reverted as a whole"):
            without_cells(old, new, [CHANGED])
