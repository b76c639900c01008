"""The cells of a turn's own notebook that its tools wrote, taken back by their marks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_jupyter.errors import ChangesRefused
from acp_jupyter.host.workspace.checkpoints.notebook_cells import (
    edited_cells,
    fingerprint,
    has_marked,
    without_marked,
)


def cell(name: str, source: str, turn: str = "") -> dict[str, Any]:
    mark = {"acp": {"turn": turn, "agent": "demo"}} if turn else {}
    return {"id": name, "cell_type": "code", "source": source, "metadata": mark, "outputs": []}


def notebook(*cells: dict[str, Any]) -> str:
    return json.dumps({"cells": cells, "metadata": {"by": "user"}, "nbformat": 4})


def sources(text: str) -> list[tuple[str, str]]:
    return [(each["id"], each["source"]) for each in json.loads(text)["cells"]]


OLD = notebook(cell("a", "1"), cell("b", "2"), cell("c", "3"), cell("d", "4"))


def test_what_tools_wrote_goes_and_what_the_user_wrote_stays() -> None:
    new = notebook(
        cell("a", "typed"), cell("b", "20", "t"), cell("n", "new", "t"), cell("c", "3", "other")
    )
    assert has_marked(new, {"t"})
    back = without_marked(OLD, new, {"t"})
    assert sources(back) == [("a", "typed"), ("b", "2"), ("c", "3")]
    assert json.loads(back)["metadata"] == {"by": "user"}
    assert "acp" not in json.loads(back)["cells"][1]["metadata"]


def test_a_cell_that_a_tool_deleted_is_there_again_where_it_was() -> None:
    new = notebook(cell("c", "30", "t"))
    assert sources(without_marked(OLD, new, {"t"}, {"a", "d"})) == [
        ("a", "1"),
        ("c", "3"),
        ("d", "4"),
    ]


@pytest.mark.parametrize("old", ["", '{"cells": [{"id": "a", '])
def test_nothing_is_taken_back_where_the_notebook_was_being_saved(old: str) -> None:
    with pytest.raises(ChangesRefused, match="incomplete when the turn began"):
        without_marked(old, notebook(cell("a", "2", "t")), {"t"})


@pytest.mark.parametrize("text", ["", "[]", '{"cells": 3}', '{"cells": [null, {"id": 4}]}', "[["])
def test_what_is_no_notebook_has_no_marks(text: str) -> None:
    assert not has_marked(text, {"t"})
    old = text if "cells" in text else OLD
    json.loads(without_marked(old, text, {"t"}, {"a"}))


def test_what_others_changed_after_a_tool_wrote_it_is_told() -> None:
    def cell(name: str, source: str, written: str, turn: str = "t") -> dict[str, Any]:
        mark = {"turn": turn, "agent": "demo", "written": fingerprint(written)}
        return {"id": name, "cell_type": "code", "source": source, "metadata": {"acp": mark}}

    cells = [
        cell("same", "x = 1", "x = 1"),
        cell("other", "x = 2", "x = 1"),
        cell("of another turn", "x = 2", "x = 1", "before"),
        {"id": "of nobody", "cell_type": "code", "source": "", "metadata": {}},
    ]
    assert edited_cells(json.dumps({"cells": cells}), "t") == ("other",)
    assert edited_cells("{", "t") == ()
