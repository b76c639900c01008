"""A session of 5,000 items in the side panel: it opens at its end, and all of it can be reached."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.lab import LabPage
from tests.support.log.long_log import long_log
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.workspace import Workspace
from tests.support.wait import PATIENCE_SECONDS

_PANEL = "#acp-jupyter-panel"


def mounted(page: Page) -> int:
    return int(page.evaluate(f"document.querySelectorAll('{_PANEL} .acp-log *').length"))


@pytest.mark.long
def test_a_long_session_opens_at_its_end_and_is_scrolled_to_its_beginning(
    lab: LabPage, server: JupyterServer, workspace: Workspace
) -> None:
    with server.user() as client:
        query = {"name": "long.jsonl"}
        answer = client.post("import", content=long_log(60), params=query, timeout=PATIENCE_SECONDS)
        answer.raise_for_status()
    lab.open_empty(workspace.name)
    panel = lab.panel
    session = answer.json()["session_id"]
    panel.show_list()
    panel.root.locator(f"[data-session='{session}'] button.s").click()
    expect(panel.log).to_contain_text("Answer 59.7")
    box = panel.log.bounding_box()
    assert box is not None
    lab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    most = mounted(lab.page)
    for _ in range(400):
        lab.page.mouse.wheel(0, -600)
        most = max(most, mounted(lab.page))
        if "Prompt 0:" in (panel.log.text_content() or ""):
            break
    expect(panel.log).to_contain_text("Prompt 0:")
    # 1,260 items are loaded by now: a part of them is in the page.
    assert most < 6_000, most
    assert panel.root.locator("[data-segment]").count() < 60
