"""After an edit: the stale cells are marked and run, and a check compares all outputs."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, expect

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.support.browser import pictures
from tests.support.browser.accessibility import expect_accessible
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.workspace import Workspace

RAW, TOTAL, SHOWN, OTHER = "prices = [3, 1, 2]", "total = sum(prices)", "total", "'apart'"


def _mark(notebook: OpenNotebook, index: int) -> Locator:
    return notebook.cell(index).get_by_role("note")


def _edited(lab: LabPage, workspace: Workspace) -> OpenNotebook:
    """A notebook that was run, and then a cell of it changed by an agent's tool."""
    nb = lab.open(workspace.notebook(RAW, TOTAL, SHOWN, OTHER, "pass"))
    nb.wait_for_kernel()
    for index in range(4):
        nb.run_to_end(index)
    nb.save()
    cell = nb.read().cells[0]
    edit = {"cell_id": cell.id, "fingerprint": fingerprint(RAW), "source": "prices = [3, 1, 2, 4]"}
    call = json.dumps([{"tool": "edit_cell", "args": edit}])
    nb.run_to_end(4, f"%%acp notebook_user --trust --policy allow-all\n{call}")
    return nb


def _verdicts(check: Locator) -> list[str]:
    return [row.get_attribute("data-verdict") or "" for row in check.locator(".acp-checked").all()]


def _check(lab: LabPage) -> Locator:
    return lab.page.get_by_role("region", name="Check", exact=True)


def _take(lab: LabPage, name: str, height: int) -> None:
    """Take the pictures of the documentation, which have no room for the prompt."""
    size = lab.page.viewport_size
    assert size is not None
    lab.page.set_viewport_size({"width": size["width"], "height": height})
    shown = lab.page.locator("#jp-main-dock-panel")
    pictures.take(f"how-to/{name}", shown)
    lab.use_theme("JupyterLab Dark")
    pictures.take(f"how-to/{name}-dark", shown)
    expect_accessible(lab.page, f".acp-{name}")
    lab.use_theme("JupyterLab Light")
    lab.page.set_viewport_size(size)


@pytest.mark.long
def test_what_an_agent_made_stale_is_marked_checked_run_and_the_same_again(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = _edited(lab, workspace)
    expect(_mark(nb, 0)).to_contain_text("changed by notebook_user after it ran")
    expect(_mark(nb, 1)).to_contain_text(
        "uses prices, which cell 1 sets; cell 1 was changed by notebook_user"
    )
    expect(_mark(nb, 2)).to_contain_text(
        "uses total of cell 2, which depends on cell 1; cell 1 was changed by notebook_user"
    )
    expect(_mark(nb, 3)).to_have_count(0)
    expect_accessible(lab.page, ".acp-stale")
    _take(lab, "stale", 458)

    # The check says so too, and touches neither the outputs nor the kernel.
    outputs = [nb.outputs(index) for index in range(4)]
    nb.cell(0).get_by_role("button", name="Check", exact=True).click()
    check = _check(lab)
    expect(check.get_by_role("status")).to_contain_text("1 cell has a different output")
    assert _verdicts(check) == ["same", "same", "different", "same", "skipped"]
    different = check.get_by_role("region", name="text/plain of cell 3")
    expect(different.locator("del")).to_contain_text("6")
    expect(different.locator("ins")).to_contain_text("10")
    expect(check).to_contain_text("it asks an agent")
    assert [nb.outputs(index) for index in range(4)] == outputs
    expect_accessible(lab.page, ".acp-check")
    _take(lab, "check", 520)

    # Run, they are true again; the check says the same.
    nb.cell(0).get_by_role("button", name="Run 3 stale cells").click()
    expect(lab.page.locator(".acp-stale")).to_have_count(0)
    assert "10" in json.dumps(nb.outputs(2))
    check.get_by_role("button", name="Check again").click()
    expect(check.get_by_role("status")).to_contain_text("are the same: 4 same")

    # A revert changes an input again.
    nb.cell(0).get_by_role("button", name="Revert").click()
    expect(_mark(nb, 1)).to_contain_text("cell 1 was reverted")
    expect(_mark(nb, 0)).to_contain_text("reverted after it ran")
    lab.command("acp-jupyter:run-stale", wait=False)
    expect(lab.page.locator(".acp-stale")).to_have_count(0)
    assert "6" in json.dumps(nb.outputs(2))


def test_a_check_is_cancelled_and_a_reload_keeps_the_marks(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = _edited(lab, workspace)
    expect(_mark(nb, 1)).to_contain_text("uses prices, which cell 1 sets")
    nb.save()
    lab.reload()
    expect(_mark(nb, 1)).to_contain_text("uses prices, which cell 1 sets")
    nb.set_source(3, "import threading\nthreading.Event().wait()")
    lab.command("acp-jupyter:check", wait=False)
    check = _check(lab)
    expect(check.get_by_role("status")).to_contain_text("Cell 4 runs")
    check.get_by_role("button", name="Cancel").click()
    expect(check.get_by_role("status")).to_contain_text("Cancelled: 2 same, 1 different")
    expect(check.get_by_role("button", name="Check again")).to_be_visible()
