"""Notebook 7: what an agent does to the open notebook is taken in, and decided on at its cells."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace


@pytest.mark.long
def test_an_agents_cell_is_decided_on_in_notebook_7(
    lab: LabPage, visitor: Visitor, workspace: Workspace
) -> None:
    nb = LabPage(visitor, lab.server, "notebook").open(
        workspace.notebook(
            "%load_ext acp_jupyter\nprices = [3, 1, 2]",
            "%%acp demo --policy allow-all\nplot prices",
            "count = len(prices)",
        )
    )
    nb.wait_for_kernel()
    nb.run_to_end(0)
    nb.run(1)
    nb.set_source(2, "count = 3  # typed")
    expect(nb.output(2).locator("img")).to_be_visible()
    nb.wait_for_end(1)
    expect(nb.cell(3)).to_contain_text("# typed")
    bar = nb.lab.page.locator(".acp-CellBar")
    expect(bar).to_contain_text("Added by Demo")
    bar.get_by_role("button", name="Revert").click()
    expect(nb.output(2).locator("img")).to_have_count(0)
    expect(nb.cell(2)).to_contain_text("# typed")
    assert not [said for said in nb.lab.log.console if "failed to activate" in said]
