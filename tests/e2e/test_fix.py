"""*Fix* under an error: a diff at the cell, one key applies and runs it, one key takes it back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser import pictures
from tests.support.browser.accessibility import expect_accessible, picture
from tests.support.browser.fix import (
    BROKEN,
    FIXED,
    expect_answerable,
    expect_side_by_side,
    fail,
    note,
    source,
)
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.workspace import Workspace


def _expect_proposed(fix: Locator) -> None:
    """The difference, in view for long enough to be answered."""
    expect(fix).to_contain_text("Demo proposes a fix")
    expect(fix.locator("del")).to_contain_text("len(price)")
    expect(fix.locator("ins")).to_contain_text("len(prices)")
    apply = fix.get_by_role("button", name="Apply and run")
    expect(apply).to_have_attribute("aria-disabled", "false")


def _expect_an_edit_to_stay(nb: OpenNotebook, fix: Locator) -> None:
    """What was edited meanwhile is not written over."""
    nb.set_source(1, "mean = 3")
    expect(fix).to_contain_text("You have changed this cell since")
    fix.focus()
    nb.lab.page.keyboard.press("y")
    assert source(nb, 1) == b"mean = 3"
    nb.set_source(1, BROKEN)
    expect(fix).not_to_contain_text("You have changed this cell since")


@pytest.mark.long
def test_a_fix_is_applied_run_and_taken_back_at_the_cell(
    lab: LabPage, workspace: Workspace
) -> None:
    nb = fail(lab, workspace, "demo")
    keys = lab.page.keyboard
    before, error = source(nb, 1), nb.outputs(1)
    assert before == BROKEN.encode()
    button = nb.cell(1).get_by_role("button", name="Fix", exact=True)
    expect(button).to_be_visible()
    expect(lab.page.locator(".acp-FixBar")).to_have_count(1)
    picture(lab.page, "fix, button")
    button.click()
    fix = note(nb, 1)
    _expect_proposed(fix)
    # Nothing is changed before the user's key.
    assert (source(nb, 1), nb.outputs(1)) == (before, error)
    pictures.take_both("how-to/fix", nb.cell(1), lab)
    expect_accessible(lab.page, ".acp-fix")

    _expect_an_edit_to_stay(nb, fix)
    fix.focus()
    keys.press("y")
    expect(fix).to_contain_text("The fix by Demo works: the cell ran without an error.")
    assert source(nb, 1) == FIXED.encode()
    expect_side_by_side(nb)
    picture(lab.page, "fix, applied")
    lab.use_theme("JupyterLab Dark")
    picture(lab.page, "fix, applied-dark")
    expect_accessible(lab.page, ".acp-fix")

    # The note's keys count, wherever a run puts the focus.
    expect(fix).to_be_focused()
    expect_answerable(fix, "Take back")
    keys.press("n")
    expect(fix).to_have_count(0)
    assert (source(nb, 1), nb.outputs(1)) == (before, error)
    expect(nb.output(1).locator(".acp-Before")).to_have_count(0)
    expect(button).to_be_focused()

    # By the command, and declined: nothing is changed.
    lab.command("acp-jupyter:fix-error")
    _expect_proposed(fix)
    expect(fix).to_be_focused()
    picture(lab.page, "fix, proposed-dark")
    keys.press("Escape")
    expect(fix).to_have_count(0)
    assert (source(nb, 1), nb.outputs(1)) == (before, error)
