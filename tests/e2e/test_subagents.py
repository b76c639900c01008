"""A subagent's steps within its call, and code in the colours of JupyterLab's editor."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace

LOAD = "%load_ext acp_jupyter"
COLOURED = ":is(.k, .str, .c, .n, .f)"


@pytest.mark.long
def test_a_subagent_asks_in_sight_and_folds_its_steps(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(
        workspace.notebook(LOAD, "%%acp demo\ndelegate rate=0", "%%acp demo\nedit clean.py rate=0")
    )
    nb.load_extension()
    turn = nb.run(1)
    task = turn.tool(re.compile("^Running task"))
    # What the subagent asks is in sight though its call is closed; what it read is not.
    expect(task.get_by_role("group", name="Permission request")).to_be_visible()
    expect(task.locator(".acp-line").first).to_have_attribute("aria-expanded", "false")
    expect(turn.tool(re.compile("^Read clean"))).to_have_count(0)
    turn.answer("Allow once")
    nb.wait_for_end(1)

    expect(turn.tool(re.compile("^Run python"))).to_have_count(0)
    task.get_by_role("button", name=re.compile("^Running task")).click()
    steps = task.get_by_role("button", name="3 steps")
    expect(steps).to_have_attribute("aria-expanded", "false")
    steps.click()
    read = task.get_by_role("group", name=re.compile("^Read clean.py"))
    expect(read).to_be_visible()
    expect(task).to_contain_text("In this folder")
    expect(turn.text("The subagent has looked around.")).to_be_visible()
    read.get_by_role("button", name=re.compile("^Read clean")).click()
    expect(read.locator(f"pre {COLOURED}").first).to_be_visible()

    # Colours leave the text as it is.
    asking = nb.run(2)
    diff = asking.diff("clean.py")
    expect(diff.locator(f":is(ins, del) {COLOURED}").first).to_be_visible()
    expect(diff.locator("del").first).to_have_text("    kept = []")
    asking.answer("Reject")
    nb.wait_for_end(2)
