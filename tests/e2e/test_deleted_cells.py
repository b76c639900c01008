"""A cell that an agent's tool deletes leaves a line in its place, from which it comes back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.support.browser.accessibility import expect_accessible, picture
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.workspace import Workspace

_LOAD = "%load_ext acp_jupyter"


def _sources(notebook: OpenNotebook) -> list[str]:
    found: list[str] = notebook.lab.page.evaluate(
        """path => [...jupyterapp.shell.widgets('main')].find(w => w.context?.path === path)
          .content.model.sharedModel.cells.map(cell => cell.getSource())""",
        notebook.path,
    )
    return found


def _delete(cell: Any) -> dict[str, Any]:
    args = {"cell_id": cell.id, "fingerprint": fingerprint(cell.source)}
    return {"tool": "delete_cell", "args": args}


def _ask(notebook: OpenNotebook, calls: list[dict[str, Any]]) -> None:
    notebook.run(1, f"%%acp notebook_user --trust --policy allow-all\n{json.dumps(calls)}")


def _line(lab: LabPage, words: str) -> Locator:
    return lab.page.locator(".acp-cellchange").filter(has_text=words)


@pytest.fixture
def nb(lab: LabPage, workspace: Workspace) -> OpenNotebook:
    """Six cells, of which one has an output."""
    sources = ("first = 1", "print('of this run')", "third = 3", "last = 4")
    notebook = lab.open(workspace.notebook(_LOAD, "pass", *sources))
    notebook.load_extension()
    notebook.run_to_end(3)
    notebook.save()
    return notebook


def _ask_to_delete_three(nb: OpenNotebook) -> None:
    """Delete cells 3, 2 and 4 in this order, ask the user, then edit the last one."""
    cells = nb.read().cells
    edit = {
        "cell_id": cells[5].id,
        "fingerprint": fingerprint(cells[5].source),
        "source": "last = 5",
    }
    waits = {"tool": "list_cells", "args": {}, "ask": True}
    deletions = [_delete(cells[index]) for index in (3, 2, 4)]
    _ask(nb, [*deletions, waits, {"tool": "edit_cell", "args": edit}])
    expect(nb.turn(1).permission).to_be_visible()


@pytest.mark.long
def test_a_deleted_cell_comes_back_while_its_turn_goes_on(lab: LabPage, nb: OpenNotebook) -> None:
    ids = nb.cell_ids()
    _ask_to_delete_three(nb)
    lines = lab.page.locator(".acp-cellchange")
    expect(lines).to_have_count(3)
    assert _sources(nb)[2:] == ["last = 4"]
    middle = _line(lab, "Cell deleted by notebook_user: print('of this run')")
    expect(middle).to_be_visible()
    middle.scroll_into_view_if_needed()
    picture(lab.page, "deleted cells")
    expect_accessible(lab.page, ".acp-cellnote")
    lab.use_theme("JupyterLab Dark")
    picture(lab.page, "deleted cells-dark")

    # As it was, with its output; each in its own place, in whatever order.
    middle.get_by_role("button", name="Undo").click()
    expect(lines).to_have_count(2)
    assert nb.cell_ids() == [*ids[:2], ids[3], ids[5]]
    expect(nb.output(2)).to_contain_text("of this run")
    _line(lab, "first = 1").get_by_role("button", name="Undo").focus()
    lab.page.keyboard.press("Enter")
    expect(lines).to_have_count(1)
    assert nb.cell_ids() == [*ids[:4], ids[5]]
    _line(lab, "third = 3").get_by_role("button", name="Dismiss").click()
    expect(lines).to_have_count(0)

    # What was decided stays so when the turn has ended and its changes are told.
    nb.turn(1).answer("Yes")
    nb.wait_for_end(1)
    expect(_line(lab, "Changed by notebook_user")).to_be_visible()
    expect(lines).to_have_count(1)


@pytest.mark.long
def test_a_deleted_cell_stays_one_line_when_its_turn_has_ended_and_after_a_reload(
    lab: LabPage, nb: OpenNotebook
) -> None:
    ids = nb.cell_ids()
    _ask_to_delete_three(nb)
    lines = lab.page.locator(".acp-cellchange")
    nb.turn(1).answer("Yes")
    nb.wait_for_end(1)
    expect(_line(lab, "Changed by notebook_user")).to_be_visible()
    expect(lines).to_have_count(4)
    # Undone in the notebook itself, there is nothing left to tell.
    third = _line(lab, "third = 3")
    expect(third).to_be_visible()
    lab.command("notebook:undo-cell-action")
    expect(third).to_have_count(0)
    nb.save()
    nb = lab.open(nb.path)
    expect(lines).to_have_count(3)
    _line(lab, "of this run").get_by_role("button", name="Undo").click()
    expect(lines).to_have_count(2)
    assert nb.cell_ids() == [*ids[:2], ids[3], *ids[4:]]
    expect(nb.output(2)).to_contain_text("of this run")
