"""*Fix* under an error: a diff at the cell, one key applies and runs it, one key takes it back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.support.accessibility import expect_accessible, picture
from tests.support.lab import LabPage
from tests.support.lab_server import write_settings
from tests.support.open_notebook import OpenNotebook
from tests.support.workspace import Workspace

_BROKEN = "# the mean  \nmean = sum(prices) / len(price)\n\nmean\n"
"""With trailing spaces and a trailing line feed, which must all come back."""

_FIXED = _BROKEN.replace("len(price)", "len(prices)")


def _source(notebook: OpenNotebook, index: int) -> bytes:
    text: str = notebook.lab.page.evaluate(
        """([path, index]) => [...jupyterapp.shell.widgets('main')]
          .find(w => w.context?.path === path)
          .content.model.sharedModel.getCell(index).getSource()""",
        [notebook.path, index],
    )
    return text.encode()


def _fix(notebook: OpenNotebook, index: int) -> Locator:
    return notebook.cell(index).get_by_role("group", name="Fix", exact=True)


def _fail(lab: LabPage, workspace: Workspace) -> OpenNotebook:
    write_settings(lab.server.root.parent, "acp-jupyter:plugin", {"agent": "demo"})
    nb = lab.open(workspace.notebook("prices = [3, 1, 2]", _BROKEN, "left = 1"))
    nb.wait_for_kernel()
    nb.run_to_end(0)
    nb.run_to_end(1)
    expect(nb.output(1)).to_contain_text("NameError")
    return nb


def _expect_proposed(fix: Locator) -> None:
    """The difference, in view for long enough to be answered."""
    expect(fix).to_contain_text("Demo proposes a fix", timeout=90_000)
    expect(fix.locator("del")).to_contain_text("len(price)")
    expect(fix.locator("ins")).to_contain_text("len(prices)")
    apply = fix.get_by_role("button", name="Apply and run")
    expect(apply).to_have_attribute("aria-disabled", "false")


def _expect_side_by_side(nb: OpenNotebook) -> None:
    before = nb.output(1).get_by_role("group", name="Output before the fix")
    now = nb.output(1).locator(".jp-OutputArea")
    expect(before).to_contain_text("NameError")
    expect(now).to_contain_text("2.0")
    expect(now).not_to_contain_text("NameError")
    left, right = before.bounding_box(), now.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"] + 1


def _expect_an_edit_to_stay(nb: OpenNotebook, fix: Locator) -> None:
    """What was edited meanwhile is not written over."""
    nb.set_source(1, "mean = 3")
    expect(fix).to_contain_text("You have changed this cell since")
    fix.focus()
    nb.lab.page.keyboard.press("y")
    assert _source(nb, 1) == b"mean = 3"
    nb.set_source(1, _BROKEN)
    expect(fix).not_to_contain_text("You have changed this cell since")


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_fix_is_applied_run_and_taken_back_at_the_cell(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = _fail(lab, workspace)
    keys = lab.page.keyboard
    before, error = _source(nb, 1), nb.outputs(1)
    assert before == _BROKEN.encode()
    button = nb.cell(1).get_by_role("button", name="Fix", exact=True)
    expect(button).to_be_visible()
    expect(lab.page.locator(".acp-FixBar")).to_have_count(1)
    picture(lab.page, "fix, button")
    button.click()
    fix = _fix(nb, 1)
    _expect_proposed(fix)
    # Nothing is changed before the user's key.
    assert (_source(nb, 1), nb.outputs(1)) == (before, error)
    picture(lab.page, "fix, proposed")
    expect_accessible(lab.page, ".acp-fix")

    _expect_an_edit_to_stay(nb, fix)
    fix.focus()
    keys.press("y")
    expect(fix).to_contain_text("With the fix by Demo the cell runs.", timeout=90_000)
    assert _source(nb, 1) == _FIXED.encode()
    _expect_side_by_side(nb)
    picture(lab.page, "fix, applied")
    lab.use_theme("JupyterLab Dark")
    picture(lab.page, "fix, applied-dark")
    expect_accessible(lab.page, ".acp-fix")

    # The note's keys count, wherever a run puts the focus.
    expect(fix).to_be_focused()
    keys.press("n")
    expect(fix).to_have_count(0)
    assert (_source(nb, 1), nb.outputs(1)) == (before, error)
    expect(nb.output(1).locator(".acp-Before")).to_have_count(0)
    expect(button).to_be_focused()

    # By the command, and declined: nothing is changed.
    lab.command("acp-jupyter:fix-error")
    _expect_proposed(fix)
    expect(fix).to_be_focused()
    picture(lab.page, "fix, proposed-dark")
    keys.press("Escape")
    expect(fix).to_have_count(0)
    assert (_source(nb, 1), nb.outputs(1)) == (before, error)
