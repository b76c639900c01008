"""How a notebook is told to an agent."""

from __future__ import annotations

import pytest

from acp_jupyter.api.models.documents import Cell, NotebookState
from acp_jupyter.notebook_tools import cell_text
from acp_jupyter.notebook_tools.cell_text import write_cell_list
from acp_jupyter.notebook_tools.outputs import Reply


def listed(start: int = 0) -> str:
    cells = tuple(Cell(id=f"c{n}", cell_type="code", source=f"x = {n}") for n in range(3))
    reply = Reply()
    write_cell_list(reply, "n.ipynb", NotebookState(cells=cells), start, "")
    return reply.text


def test_all_cells_are_listed() -> None:
    told = listed()
    assert told.startswith("n.ipynb: 3 cells, saved.")
    assert "x = 2" in told
    assert "more" not in told


def test_a_long_notebook_is_listed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_text, "_LISTED", 2)
    assert "1 more: list_cells with start=2." in listed()
    assert "x = 2" not in listed()
    assert "x = 2" in listed(2)
    assert "more" not in listed(2)
    assert listed(3) == "n.ipynb: 3 cells, saved."
