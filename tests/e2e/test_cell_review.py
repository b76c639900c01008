"""What agents did to the cells of an open notebook, kept or taken back at each of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.workspace import Workspace

LOAD = "%load_ext acp_jupyter"


def _report(*cells: tuple[str, str]) -> dict[str, Any]:
    made: list[dict[str, Any]] = [
        {
            "id": name,
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "source": source,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": f"out of {name}\n"}],
        }
        for name, source in cells
    ]
    kernel = {"name": "python3", "display_name": "python3", "language": "python"}
    metadata = {"kernelspec": kernel}
    return {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _sources(notebook: OpenNotebook) -> list[str]:
    found: list[str] = notebook.lab.page.evaluate(
        """path => [...jupyterapp.shell.widgets('main')].find(w => w.context?.path === path)
          .content.model.sharedModel.cells.map(cell => cell.getSource())""",
        notebook.path,
    )
    return found


def _undo(notebook: OpenNotebook, index: int) -> None:
    """As Ctrl+Z does in the editor of a cell."""
    notebook.lab.page.evaluate(
        """([path, index]) => [...jupyterapp.shell.widgets('main')]
          .find(w => w.context?.path === path)
          .content.model.sharedModel.getCell(index).undo()""",
        [notebook.path, index],
    )


def _bars(lab: LabPage) -> Locator:
    return lab.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .acp-cellchange")


def _cell(lab: LabPage, index: int) -> Locator:
    return lab.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell").nth(index)


def _as_written(report: dict[str, Any]) -> str:
    """A notebook in the prompt of the agent that writes files by its own tools."""
    return f"own write report.ipynb {json.dumps(json.dumps(report))}"


def _expect_told(changed: Locator, deleted: Locator) -> None:
    """Whose change it is, how much, and the diff in its place."""
    expect(changed).to_contain_text("Changed by edits_files")
    expect(changed.locator(".counts")).to_have_text("+1 −1")
    expect(deleted).to_contain_text("Cell deleted by edits_files: y = 1")
    changed.get_by_role("button", name="Show diff").click()
    diff = changed.get_by_role("region", name="Diff of Cell 1")
    expect(diff.locator("del")).to_have_text("x = 1")
    expect(diff.locator("ins")).to_have_text("x = 2")


@pytest.mark.long
def test_what_an_agent_wrote_to_the_file_is_decided_on_cell_by_cell(
    lab: LabPage, workspace: Workspace
) -> None:
    last = ("d", "w = 1")
    before = _report(("a", "x = 1\nkept = 2"), ("b", "y = 1"), ("c", "z = 1"), last)
    after = _report(("a", "x = 2\nkept = 2"), ("new", "print(x)"), ("c", "z = 2"), last)
    for report in (before, after):
        # What a notebook says of itself is no change of an agent.
        report["cells"][-1]["metadata"] = {"acp": {"turn": "made up", "agent": "demo"}}
    (workspace.folder / "report.ipynb").write_text(json.dumps(before))
    asking = f"%%acp edits_files --trust --policy allow-all\n{_as_written(after)}"
    nb = lab.open(workspace.notebook(LOAD, asking))
    nb.load_extension()
    path = f"{workspace.name}/report.ipynb"
    nb.run_to_end(1)
    lab.command("docmanager:open", {"path": path})
    notebook = lab.notebook(path)

    bars = _bars(lab)
    expect(bars).to_have_count(4)
    changed, deleted = (bars.nth(place) for place in range(2))
    _expect_told(changed, deleted)

    # By keys, through the document: outputs stay, and it can be undone.
    changed.get_by_role("button", name="Revert").focus()
    lab.page.keyboard.press("Enter")
    expect(bars).to_have_count(3)
    assert _sources(notebook)[0] == "x = 1\nkept = 2"
    expect(_cell(lab, 0)).to_contain_text("out of a")
    _undo(notebook, 0)
    expect(bars).to_have_count(4)
    deleted.get_by_role("button", name="Undo").click()
    expect(bars).to_have_count(3)
    assert _sources(notebook) == ["x = 2\nkept = 2", "y = 1", "print(x)", "z = 2", "w = 1"]
    expect(_cell(lab, 1)).to_contain_text("out of b")

    # What is kept stays so for the next page; a new cell that is reverted goes.
    bars.nth(2).get_by_role("button", name="Keep").click()
    expect(bars).to_have_count(2)
    notebook.save()
    # Here the notebook is alone: no session of it is known.
    notebook = lab.open(path)
    expect(bars).to_have_count(2)
    bars.nth(1).get_by_role("button", name="Revert").click()
    expect(bars).to_have_count(1)
    assert _sources(notebook) == ["x = 2\nkept = 2", "y = 1", "z = 2", "w = 1"]


def test_what_tools_changed_beside_a_typing_user_is_taken_back_only_as_it_was_left(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = lab.open(workspace.notebook(LOAD, "pass", "theirs = 1", "mine = 1"))
    nb.load_extension()
    cell = nb.read().cells[2]
    edit = {"cell_id": cell.id, "fingerprint": fingerprint(cell.source), "source": "theirs = 2"}
    call = json.dumps([{"tool": "edit_cell", "args": edit}])
    nb.set_source(3, "mine = 2")
    nb.run_to_end(1, f"%%acp notebook_user --trust --policy allow-all\n{call}")
    bars = _bars(lab)
    expect(bars).to_have_count(1)
    expect(bars).to_contain_text("Changed by notebook_user")
    nb.set_source(2, "theirs = 2  # and mine")
    expect(bars).to_contain_text("changed since")
    bars.get_by_role("button", name="Revert").click()
    expect(bars).to_contain_text("This cell was changed since.")
    assert _sources(nb)[2] == "theirs = 2  # and mine"
    nb.set_source(2, "theirs = 2")
    expect(bars).not_to_contain_text("changed since")
    bars.get_by_role("button", name="Revert").click()
    expect(bars).to_have_count(0)
    assert _sources(nb)[2:] == ["theirs = 1", "mine = 2"]
