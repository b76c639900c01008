"""A turn's own notebook taken back, whatever tools and its user did, with and without ids."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from acp_jupyter.errors import ChangesRefused
from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint, without_marked
from tests.support.generated import examples

Cell = dict[str, Any]
SOURCES = st.sampled_from(["x", "y", "", "load()", "x\ny"])


def mark(source: str) -> dict[str, Any]:
    return {"turn": "t", "agent": "demo", "written": fingerprint(source)}


def cell(source: str, number: int = 0, name: str | None = None) -> Cell:
    made = {
        **{"cell_type": "code", "source": source, "execution_count": number},
        **{"metadata": {"tags": [str(number)]}, "outputs": [{"n": number}]},
    }
    return made if name is None else {**made, "id": name}


def notebook(cells: list[Cell]) -> str:
    return json.dumps({"cells": cells, "metadata": {"by": "user"}, "nbformat": 4})


def taken_back(old: list[Cell], new: list[Cell], named: set[str] | None = None) -> list[Cell]:
    back = without_marked(notebook(old), notebook(new), {"t"}, named or set())
    found: list[Cell] = json.loads(back)["cells"]
    return found


def written(was: Cell, source: str) -> Cell:
    return {**was, "source": source, "metadata": {**was["metadata"], "acp": mark(source)}}


@st.composite
def tool_turns(draw: st.DrawFn) -> tuple[list[Cell], list[Cell], set[str], bool]:
    """A notebook, what tools made of it, and the ids that they were told."""
    named = draw(st.booleans())
    sources = draw(st.lists(SOURCES, max_size=6))
    old = [cell(source, n, f"c{n}" if named else None) for n, source in enumerate(sources)]
    new = copy.deepcopy(old)
    told: set[str] = set()
    for number in range(draw(st.integers(0, 5))):
        kind = draw(st.sampled_from(["insert", "replace", "delete", "move"]))
        if kind == "insert" or not new:
            name = f"n{number}" if named else None
            source = draw(SOURCES)
            made = {**cell(source, 0, name), "metadata": {"acp": mark(source)}, "outputs": []}
            new.insert(draw(st.integers(0, len(new))), made)
            continue
        at = draw(st.integers(0, len(new) - 1))
        told.add(new[at].get("id", ""))
        if kind == "replace":
            new[at] = written(new[at], draw(SOURCES))
        elif kind == "delete":
            del new[at]
        else:
            moved = new.pop(at)
            new.insert(draw(st.integers(0, len(new))), moved)
    return old, new, told - {""}, named


LOAD, TRAIN, PLOT = (cell(source, n) for n, source in enumerate(("load", "train", "plot")))


@examples(150)
@given(tool_turns())
@example(([LOAD, TRAIN, PLOT], [written(LOAD, "load 2"), TRAIN, PLOT], set(), False))
@example(([LOAD, TRAIN, PLOT], [LOAD, PLOT], set(), False))
@example(([LOAD, TRAIN], [TRAIN, LOAD], set(), False))
@example(([LOAD], [written(cell("load"), "load"), LOAD], set(), False))
def test_what_tools_alone_did_is_all_taken_back(
    turn: tuple[list[Cell], list[Cell], set[str], bool],
) -> None:
    old, new, told, _ = turn
    assert taken_back(old, new, told) == old


@examples(150)
@given(tool_turns(), st.data())
def test_what_the_user_wrote_in_the_same_turn_stays(
    turn: tuple[list[Cell], list[Cell], set[str], bool], data: st.DataObject
) -> None:
    old, new, told, _ = turn
    typed: list[str] = []
    for number in range(data.draw(st.integers(1, 3))):
        words = f"typed {number}"
        at = data.draw(st.integers(0, len(new)))
        if at < len(new) and data.draw(st.booleans()):
            new[at] = {**new[at], "source": words}
        else:
            new.insert(at, cell(words, 0, f"u{number}" if old and "id" in old[0] else None))
    typed = [each["source"] for each in new if each["source"].startswith("typed")]
    try:
        back = taken_back(old, new, told)
    except ChangesRefused:
        return
    sources = [each["source"] for each in back]
    assert sorted(each for each in sources if each.startswith("typed")) == sorted(typed)
    # Of a cell that only a tool wrote nothing is left.
    assert not any(
        each["metadata"].get("acp", {}).get("written") == fingerprint(each["source"])
        for each in back
    )


def test_a_cell_that_the_user_changed_after_a_tool_is_the_users() -> None:
    old = [cell("a", 1, "a"), cell("b", 2, "b")]
    new = [{**written(old[0], "tool"), "source": "tool and user"}, written(old[1], "tool")]
    back = taken_back(old, new)
    assert [each["source"] for each in back] == ["tool and user", "b"]


def test_two_cells_with_one_id_are_told_apart_by_their_source() -> None:
    old = [cell("a", 1, "same"), cell("b", 2, "same")]
    assert taken_back(old, [written(old[0], "A"), old[1]]) == old
