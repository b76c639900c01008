"""A turn that changed cells and files, taken back in one click beside a user who types."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import expect

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"

pytestmark = pytest.mark.long


def _edit(cell: Any, source: str) -> dict[str, Any]:
    args = {"cell_id": cell.id, "fingerprint": fingerprint(cell.source), "source": source}
    return {"tool": "edit_cell", "args": args}


def _asking(*calls: dict[str, Any]) -> str:
    return f"%%acp notebook_user --trust --policy allow-all\n{json.dumps(calls)}"


def _sources(notebook: OpenNotebook) -> list[str]:
    found: list[str] = notebook.lab.page.evaluate(
        """path => [...jupyterapp.shell.widgets('main')].find(w => w.context?.path === path)
          .content.model.sharedModel.cells.map(cell => cell.getSource())""",
        notebook.path,
    )
    return found


def test_a_whole_turn_is_taken_back_while_its_user_types(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = lab.open(workspace.notebook(LOAD, "pass", "one = 1", "two = 2", "print('mine')"))
    nb.load_extension()
    nb.run_to_end(2)
    nb.run_to_end(4)
    nb.save()
    cells = nb.read().cells
    made = workspace.folder / "made.txt"
    code = f"open({str(made)!r}, 'w').write('x')"
    calls = (
        _edit(cells[2], "one = 10"),
        _edit(cells[3], "two = 20"),
        {"tool": "run_code", "args": {"code": code}},
    )
    nb.run_to_end(1, _asking(*calls))
    after = ["one = 10", "two = 20", "print('mine')  # typed"]
    nb.set_source(4, after[2])
    card = nb.turn(1).root.get_by_role("group", name="Changes")
    expect(card).to_contain_text("2 files changed")
    bars = lab.page.locator(".acp-cellchange")
    expect(bars).to_have_count(2)
    card.get_by_role("button", name="Revert all").click()
    expect(bars).to_have_count(0)
    assert _sources(nb)[2:] == ["one = 1", "two = 2", after[2]]
    eventually(lambda: not made.exists(), what="the file is gone")
    expect(nb.output(4)).to_contain_text("mine")
    expect(card.get_by_role("button", name="Undo", exact=True)).to_be_visible()
    nb.run_to_end(4, "print(one)")  # the kernel is as it was
    expect(nb.output(4)).to_contain_text("1")

    # It can be put back, also beside what was typed since.
    card.get_by_role("button", name="Undo", exact=True).click()
    expect(bars).to_have_count(2)
    assert _sources(nb)[2:] == [*after[:2], "print(one)"]
    eventually(made.exists, what="the file is back")

    # What the user made of a cell since is not lost: nothing goes, and it is said why.
    nb.set_source(3, "two = 20  # and mine")
    card.get_by_role("button", name="Revert all").click()
    expect(card).to_contain_text("nb.ipynb was changed since the turn.")
    assert _sources(nb)[2:] == ["one = 10", "two = 20  # and mine", "print(one)"]
    assert made.exists()
    expect(lab.notices).to_have_count(0)


def test_what_is_decided_at_cells_and_in_review_is_one(lab: LabPage, workspace: Workspace) -> None:
    lab.page.set_viewport_size({"width": 1500, "height": 900})
    nb = lab.open(workspace.notebook(LOAD, "pass", "pass", "one = 1", "two = 2", "three = 3"))
    nb.load_extension()
    cells = nb.read().cells
    nb.set_source(1, _asking(_edit(cells[3], "one = 10"), _edit(cells[4], "two = 20")))
    nb.set_source(2, _asking(_edit(cells[5], "three = 30")))
    lab.command("notebook:run-all-cells")
    nb.wait_for_end(5)
    bars = lab.page.locator(".acp-cellchange")
    expect(bars).to_have_count(3)
    banner = lab.page.locator(".acp-runnote")
    expect(banner).to_contain_text("1 file changed in this run.")
    bars.nth(0).get_by_role("button", name="Revert").click()
    expect(bars).to_have_count(2)
    expect(lab.page.locator(".jp-NotebookPanel [aria-live=polite]").last).to_have_text(
        "Cell 4: reverted"
    )
    expect(banner).to_be_visible()
    banner.get_by_role("button", name="Review all changes of this run").click()
    review = lab.page.locator(".acp-Review")
    changes = review.locator("[data-decide]")
    first = changes.filter(has_text="Cell 4")
    expect(first).to_have_attribute("data-state", "reverted")
    second = changes.filter(has_text="Cell 5")
    second.get_by_role("button", name="Keep Cell 5").click()
    expect(bars).to_have_count(1)
    # What is undone in the notebook counts again.
    lab.page.evaluate(
        """path => [...jupyterapp.shell.widgets('main')].find(w => w.context?.path === path)
          .content.model.sharedModel.getCell(3).undo()""",
        nb.path,
    )
    expect(first).to_have_attribute("data-state", "open")
    expect(bars).to_have_count(2)
    changes.filter(has_text="Cell 6").get_by_role("button", name="Revert Cell 6").click()
    expect(bars).to_have_count(1)
    assert _sources(nb)[3:] == ["one = 10", "two = 20", "three = 3"]
