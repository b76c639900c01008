"""A blocking ``%%acp`` cell: it streams, it asks while it runs, and only Allow changes the file."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.roles import TurnView
from tests.support.server.workspace import CLEAN_PY, Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"
COMPREHENSION = "kept = [row.strip() for row in rows]"

_COUNT_GROWTH = """element => {
  const lengths = new Set();
  new MutationObserver(() => {
    lengths.add(element.textContent.length);
    element.dataset.grown = lengths.size;
  }).observe(element, {childList: true, characterData: true, subtree: true});
}"""


def test_allow_and_reject_in_a_blocking_cell(lab: LabPage, workspace: Workspace) -> None:
    """Everything streams, and the click acts while the cell runs."""
    nb = lab.open(
        workspace.notebook(
            LOAD, "%%acp demo\nedit clean.py rate=5", "%%acp demo\nedit clean.py rate=0"
        )
    )
    nb.load_extension()
    turn = nb.run(1)
    turn.log.wait_for()
    turn.root.evaluate(_COUNT_GROWTH)
    _expect_everything_before_the_question(nb, turn)
    assert workspace.clean_py == CLEAN_PY

    turn.answer("Allow once")
    # The cell still runs: the click did not wait for the kernel.
    nb.wait_until_running(1)
    eventually(lambda: COMPREHENSION in workspace.clean_py, what="the edit is on disk")
    nb.wait_for_end(1)
    expect(turn.root).to_contain_text("Built kept by a list comprehension instead of a loop.")
    expect(turn.root).to_contain_text("Allowed once")
    expect(turn.permission).to_have_count(0)

    allowed = workspace.clean_py
    turn = nb.run(2)
    expect(turn.diff("clean.py").locator("ins").first).to_be_visible()
    turn.answer("Reject")
    nb.wait_for_end(2)
    expect(turn.root).to_contain_text("The edit to clean.py was rejected. Nothing was changed.")
    assert workspace.clean_py == allowed
    assert nb.output(2).get_by_text("Error").count() == 0


def _expect_everything_before_the_question(nb: OpenNotebook, turn: TurnView) -> None:
    steps = turn.plan.get_by_role("listitem")
    expect(steps).to_have_count(4)
    expect(steps.first).to_have_attribute("data-status", re.compile("in_progress|completed"))
    expect(turn.root.get_by_role("button", name=re.compile("Think|Thought"))).to_be_visible()
    expect(turn.tool(re.compile("Read.*clean.py")).first).to_be_visible()
    expect(turn.root).to_contain_text("Here is an edit to clean.py.")
    expect(turn.permission).to_be_visible()
    diff = turn.diff("clean.py")
    expect(diff.locator("ins", has_text="kept = [row.strip()")).to_be_visible()
    expect(diff.locator("del", has_text="kept = []")).to_be_visible()
    expect(diff).to_contain_text("+1")
    expect(diff).to_contain_text("−3")
    nb.wait_until_running(1)
    assert int(turn.root.get_attribute("data-grown") or 0) > 3, "the view did not grow as it came"
