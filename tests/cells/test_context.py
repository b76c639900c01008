"""What a notebook's file says of cells that never leave."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_jupyter.cells.context import NotNotebook, context_of, hide_left_out, with_left_out

_SOURCE = "key = 'hush'"


def notebook(*cells: dict[str, Any]) -> str:
    return json.dumps({"cells": cells, "metadata": {"a": 1}, "nbformat": 4, "nbformat_minor": 5})


def cell(name: str = "", context: Any = None, source: str = "x = 1") -> dict[str, Any]:
    made: dict[str, Any] = {
        "cell_type": "code",
        "source": [source],
        "outputs": [{"output_type": "stream", "text": source}],
        "execution_count": 3,
        "metadata": {"acp": {"context": context}, "tags": [source]},
    }
    return {**made, "id": name} if name else made


HIDDEN = cell("b", "left-out", _SOURCE)


def cells_in(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["cells"]
    return found


@pytest.mark.parametrize("context", [None, "", "Left-out", 3, ["left-out"], {}, "remove_cell"])
def test_only_known_words_count(context: Any) -> None:
    assert context_of(cell(context=context)) is None
    assert context_of({"metadata": {"tags": ["remove_cell", "left-out"]}}) is None
    assert context_of({"metadata": [context]}) is None


def test_a_cell_that_is_left_out_keeps_its_place_and_nothing_else() -> None:
    shown = hide_left_out(notebook(cell("a"), HIDDEN, cell("c", "pinned")))
    assert "hush" not in shown
    first, hidden, last = cells_in(shown)
    assert (first, last) == (cell("a"), cell("c", "pinned"))
    assert hidden["id"] == "b"
    assert hidden["source"] == "This cell is left out by the user."
    assert hidden["outputs"] == []
    untouched = notebook(cell("a", "pinned"), cell("a"))
    assert hide_left_out(untouched) is untouched


def test_what_an_agent_writes_back_gets_the_cells_that_it_did_not_see() -> None:
    twice = [HIDDEN, cell("", "left-out", "first"), cell("", "left-out", "second")]
    before = notebook(cell("a"), *twice)
    seen = cells_in(hide_left_out(before))
    written = notebook(*seen[1:], cell("a", source="x = 2"))
    assert cells_in(with_left_out(written, before)) == [*twice, cell("a", source="x = 2")]
    plain = notebook(cell("a"))
    assert with_left_out("no notebook", plain) == "no notebook"


@pytest.mark.parametrize(
    "written",
    ["{", "[]", notebook(cell("a")), notebook(cell("b")), notebook(cell("x", "left-out"))],
)
def test_a_text_without_them_is_refused(written: str) -> None:
    with pytest.raises(NotNotebook):
        with_left_out(written, notebook(cell("a"), HIDDEN))


def test_what_may_have_them_and_cannot_be_read_is_not_shown() -> None:
    with pytest.raises(NotNotebook):
        hide_left_out('{"cells": [{"metadata": {"acp": {"context": "left-out"}}, "source": "hush"')
