"""An agent that runs elsewhere: its key, what it does, and what its user answers in the panel."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.features.outside.support.keys_in_the_panel import make_key, revoke_keys
from tests.features.outside.support.mcp_client import Outside
from tests.support.browser import pictures
from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView
from tests.support.server.workspace import Workspace


def test_an_agent_in_a_terminal_reads_asks_and_writes(lab: LabPage, workspace: Workspace) -> None:
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    nb = lab.open(workspace.notebook("rain = [61, 48, 52]", "print(max(rain))"))
    nb.wait_for_kernel()
    cell = nb.read().cells[1]
    edit: dict[str, Any] = {
        "cell_id": cell.id,
        "fingerprint": fingerprint(cell.source),
        "edits": [{"old": "max(rain)", "new": "max(rain), min(rain)"}],
    }
    panel = lab.panel
    url, key = make_key(lab)
    with Outside(url, key) as agent:
        assert "2 cells" in agent.call("list_cells")
        assert agent.call("edit_cell", **edit).startswith("failed: The policy read-only")

        # The key page shows that it was used; behind it is the session.
        panel.root.get_by_role("button", name="Back to the session").click()
        expect(panel.root.get_by_role("heading", level=2).first).to_have_text(
            "claude-code (outside)"
        )
        expect(panel.root).to_contain_text("List the cells of the notebook")
        expect(panel.root).to_contain_text("runs elsewhere: write to it there.")
        expect(panel.message).to_be_disabled()
        panel.root.get_by_role("combobox", name="Policy").click()
        panel.root.get_by_role("option", name=re.compile("^Ask")).click()
        expect(panel.root.get_by_role("combobox", name="Policy")).to_contain_text("Ask")

        begun = agent.begin_call("edit_cell", **edit)
        expect(panel.root.get_by_role("group", name="Edit cell 2 of nb.ipynb")).to_be_visible()
        allow = panel.root.get_by_role("button", name="Allow", exact=True)
        expect(allow).to_be_visible()
        pictures.take_both("how-to/outside-asks", panel.root, lab)
        allow.click()
        assert agent.text(begun).startswith("Edited.")
        expect(nb.cell(1)).to_contain_text("max(rain), min(rain)")

    # The client has gone, and its turn with it: what it changed can be taken back.
    bar = lab.page.locator(".acp-cellchange")
    expect(bar).to_contain_text("Changed by claude-code (outside)")
    bar.get_by_role("button", name="Revert").click()
    expect(nb.cell(1)).not_to_contain_text("min(rain)")


@pytest.mark.long
def test_keys_are_listed_with_their_last_use_and_revoked(
    lab: LabPage, workspace: Workspace
) -> None:
    with lab.server.user() as user:  # other tests have made some on this server
        for each in user.get("outside-keys").json():
            user.delete(f"outside-keys/{each['key_id']}").raise_for_status()
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    lab.open(workspace.notebook("rain = [61, 48, 52]"))
    panel = lab.panel
    url, key = make_key(lab)
    with Outside(url, key) as agent:
        assert "1 cells" in agent.call("list_cells")
    panel.root.get_by_role("button", name="Back to the session").click()
    panel.root.get_by_role("button", name="New session", exact=True).click()
    panel.root.get_by_role("menuitem", name="Give an outside agent access…").press("Enter")
    keys = panel.root.get_by_role("list", name="Keys")
    expect(keys).to_contain_text("last used: ")
    expect(panel.root).not_to_contain_text(key)
    panel.root.get_by_role("radio", name=re.compile("^Ask")).check()
    panel.root.get_by_role("button", name="Make a key").click()
    expect(keys.get_by_role("listitem")).to_have_count(2)
    _picture_of_keys(lab, panel)
    revoke_keys(lab)
    with Outside(url, key, "") as again:
        assert "not good any more" in again.ask("initialize", {})["error"]["message"]


def _picture_of_keys(lab: LabPage, panel: PanelView) -> None:
    """Without a key that was good, and the same on every day."""
    panel.root.evaluate(
        """root => {
          for (const pre of root.querySelectorAll('.acp-note pre')) {
            pre.textContent = pre.textContent
              .replace(/acp-key-.*/, 'acp-key-…').replace(/localhost:\\d+/, 'localhost:8888');
          }
        }"""
    )
    pictures.take_both("how-to/outside-keys", panel.root, lab)
