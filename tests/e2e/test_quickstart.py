"""The quickstart notebook as a newcomer runs it: every cell, again, and in another order.

With ``ACP_WRITE_GOLDEN=1`` the notebook in the repository is saved anew from this journey.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.roles import TurnView
from tests.support.server.workspace import Workspace

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
FILES = ("quickstart.ipynb", "rainfall.csv", "rainfall.py")


def _open(lab: LabPage, workspace: Workspace) -> OpenNotebook:
    for name in FILES:
        shutil.copy(NOTEBOOKS / name, workspace.folder)
    notebook = lab.open(f"{workspace.name}/quickstart.ipynb")
    notebook.wait_for_kernel()
    return notebook


def _run(notebook: OpenNotebook, cell_id: str, *, asks: int = 0) -> TurnView:
    """Run a prompt, and allow what the agent asks for."""
    index = notebook.cell_ids().index(cell_id)
    turn = notebook.run(index)
    for _ in range(asks):
        turn.choose("Allow")
    notebook.wait_for_end(index)
    return turn


@pytest.mark.parametrize("again", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_newcomer_runs_the_quickstart(lab: LabPage, workspace: Workspace, again: bool) -> None:
    notebook = _open(lab, workspace)
    script = workspace.folder / "rainfall.py"
    before = script.read_bytes()

    def run_code(cell_id: str) -> None:
        notebook.run_to_end(notebook.cell_ids().index(cell_id))

    run_code("load")
    turn = _run(notebook, "question")
    expect(turn.root).to_contain_text("is a table with 12 rows and 2 columns")
    run_code("load-data")

    is_there = "plt.show" in notebook.file.read_text()
    turn = _run(notebook, "plot-rain", asks=1 if is_there else 2)
    expect(turn.text(re.compile("I see the plot: a PNG"))).to_be_visible()
    plot = notebook.cell_ids().index("plot-rain") + 1
    expect(notebook.output(plot).locator("img")).to_be_visible()
    cells = notebook.cell_ids()

    turn = _run(notebook, "edit-file", asks=1)
    expect(turn.root).to_contain_text("rainfall.py")
    assert b"iterrows" not in script.read_bytes()
    run_code("revert")
    said = notebook.outputs(notebook.cell_ids().index("revert"))
    assert script.read_bytes() == before, said
    if os.environ.get("ACP_WRITE_GOLDEN"):
        notebook.save()
        shutil.copy(notebook.file, NOTEBOOKS)

    if again:
        # In another order: no more cells, and nothing is left in the file.
        run_code("revert")
        _run(notebook, "edit-file", asks=1)
        turn = _run(notebook, "plot-rain", asks=1)
        expect(turn.text(re.compile("I ran the cell below again. It plots"))).to_be_visible()
        turn = _run(notebook, "edit-file", asks=1)
        expect(turn.root).to_contain_text("by a list comprehension")
        run_code("revert")
        assert notebook.cell_ids() == cells
    # Not in the whole page: the panel may list sessions of other tests, by their prompts.
    document = lab.page.locator(".jp-NotebookPanel")
    assert document.get_by_text(re.compile("Error|Traceback")).all_inner_texts() == []
