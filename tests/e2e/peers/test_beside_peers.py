"""jupyter-ai and notebook-intelligence beside us; ``make test-versions`` runs it where they are."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView
from tests.support.server.workspace import Workspace

LOAD = "%load_ext acp_jupyter"
TAB = '.lm-TabBar-tab[data-id="{}"]'
CHAT = "JupyterlabChat:sidepanel"
INTELLIGENCE = "notebook-intelligence-tab"


def test_all_panels_open_and_a_turn_is_drawn(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(workspace.notebook(LOAD, "%%acp demo\nedit clean.py rate=0"))
    nb.load_extension()
    turn = nb.run(1)
    turn.answer("Allow once")
    nb.wait_for_end(1)
    expect(turn.root).to_contain_text("by a list comprehension")
    for tab in (CHAT, INTELLIGENCE):
        lab.page.locator(TAB.format(tab)).click()
        expect(lab.page.locator(f'[id="{tab}"]')).to_be_visible()
    # The key is ours still: it opens the panel, and leads back to the notebook.
    nb.cell(0).click()
    lab.page.keyboard.press("Alt+Shift+A")
    panel = PanelView(lab.page.locator("#acp-jupyter-panel"))
    expect(panel.message).to_be_focused()
    expect(panel.log).to_contain_text("by a list comprehension")
    lab.page.keyboard.press("Alt+Shift+A")
    expect(panel.root).to_be_hidden()
    bad = re.compile(r"^error|acp", re.IGNORECASE)
    assert [line for line in lab.log.console if bad.search(line)] == []
