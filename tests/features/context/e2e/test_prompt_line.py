"""The line under a prompt cell: what goes along with it, and what is taken out."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.support.browser.accessibility import expect_accessible
from tests.support.browser.composer import blocks_of
from tests.support.browser.lab import LabPage
from tests.support.server.user import AsUser
from tests.support.server.workspace import Workspace

PROMPT = "%%acp takes --trust --var sales\nWhy @notes.txt?"


def test_a_line_says_what_goes_along_and_takes_it_out(lab: LabPage, workspace: Workspace) -> None:
    (workspace.folder / "notes.txt").write_text("May was bad.", encoding="utf-8")
    nb = lab.open(
        workspace.notebook("%load_ext acp_jupyter\nsales = [4, 2]", "plan = 'all'", PROMPT)
    )
    nb.wait_for_kernel()
    nb.run_to_end(0)
    nb.cell(1).locator(".jp-InputArea-prompt").click()
    lab.command("acp-jupyter:pin-cell")
    cell = nb.cell(2)
    cell.locator(".jp-InputArea-prompt").click()
    line = cell.locator(".acp-PromptLine").get_by_role("button", name="1 cell, 1 variable, 1 file")
    expect(line).to_contain_text("tokens")
    line.click()
    going = cell.get_by_role("list", name="What goes along")
    expect(going).to_contain_text("sales: list")
    expect(going).to_contain_text("plan = 'all'")
    expect_accessible(lab.page, ".acp-PromptLine")
    with AsUser(lab.server) as user:
        assert not [each for each in user.get("sessions") if each["agent"] == "takes"]

    going.get_by_role("button", name="Take Cell 2 out").click()
    expect(cell.locator(".cm-line").first).to_have_text(
        "%%acp takes --trust --var sales --without 'cell 2'"
    )
    going.get_by_role("button", name="Take sales out").click()
    expect(going.get_by_role("button", name="Put sales back")).to_be_visible()
    going.get_by_role("button", name="Put Cell 2 back").click()
    expect(going.get_by_role("button", name="Take Cell 2 out")).to_be_visible()
    nb.run_to_end(2)
    with AsUser(lab.server) as user:
        told = json.dumps(blocks_of(user, user.session_of(nb.path, "takes")))
    assert "plan = 'all'" in told
    assert "notes.txt" in told
    assert "[4, 2]" not in told
    expect(nb.output(2).get_by_role("button", name="With 1 cell, 1 file")).to_be_visible()

    nb.set_source(2, "%%acp takes --without nobody\nWhy?")
    nb.run_to_end(2)
    expect(nb.output(2)).to_contain_text("nothing of that name goes along")
    nb.set_source(2, "%%acp takes --polcy ask\nWhy?")
    expect(cell.locator(".acp-PromptLine")).to_contain_text("There is no option --polcy")
