"""What a notebook's file says of cells that never leave."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_jupyter.cells.context import (
    FRAME_LEFT_OUT,
    NotNotebook,
    context_of,
    hidden_code,
    hide_left_out,
    with_left_out,
    without_left_out_frames,
)

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


def failed(name: str, count: int, *frames: str) -> dict[str, Any]:
    """Return a cell whose output is an error with these frames."""
    error = {"output_type": "error", "ename": "E", "evalue": "v", "traceback": list(frames)}
    return {**cell(name), "execution_count": count, "outputs": [error]}


CALLS = (
    "\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32mIn[4]\x1b[39m\x1b[32m, line 1\x1b[39m\nhidden()"
)
HUSH = "Cell \x1b[32mIn[3]\x1b[39m, line 2, in hidden()\n----> 2 hush"
LIBRARY = "File /lib/pandas/frame.py:1, in get(self)"


@pytest.mark.parametrize(
    "frame",
    [
        HUSH,
        "Input \x1b[0;32mIn [3]\x1b[0m, in hidden()\nhush",
        "\x1b[0;32m<ipython-input-3-5b1f>\x1b[0m in hidden()\nhush",
        "\x1b[0;32m/tmp/ipykernel_12/345.py\x1b[0m in hidden()\nhush",
        "Cell In[2], line 2, in hidden()\nhush",  # it may be of any cell
    ],
)
def test_its_code_is_not_in_the_traceback_of_another_cell(frame: str) -> None:
    before = notebook(HIDDEN, failed("c", 4, "E Traceback", CALLS, frame, LIBRARY, "E: v"))
    shown = hide_left_out(before)
    assert "hush" not in shown
    _, error = cells_in(shown)
    told = "[a frame of a cell that is left out by the user]"
    assert error["outputs"][0]["traceback"] == ["E Traceback", CALLS, told, LIBRARY, "E: v"]
    # An agent that writes the notebook back leaves the traceback as it is.
    assert cells_in(with_left_out(shown, before)) == cells_in(before)
    changed = shown.replace('"E: v"', '"changed"')
    assert told in with_left_out(changed, before)


def test_a_traceback_that_names_no_cell_is_not_shown() -> None:
    frames = ("1. hidden(0)", "2. stop('hush') # at line 2 of file <text>")
    (_, error) = cells_in(hide_left_out(notebook(HIDDEN, failed("c", 4, *frames))))
    assert error["outputs"][0] == {**failed("c", 4)["outputs"][0], "traceback": []}


def test_what_a_tool_has_run_is_shown_with_its_own_frame() -> None:
    is_hidden = hidden_code([("left-out", 3), (None, 4), (None, None)])
    assert is_hidden is not None
    frames = ["E Traceback", "Cell In[9], line 1", HUSH, "Cell In[9], line 2", "E: v"]
    (shown,) = without_left_out_frames(failed("", 9, *frames)["outputs"], is_hidden, of_tool=True)
    assert shown["traceback"] == [*frames[:2], FRAME_LEFT_OUT, *frames[3:]]
    assert hidden_code([(None, 3), ("pinned", 4)]) is None
