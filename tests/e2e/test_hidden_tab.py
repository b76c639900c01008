"""A tab in the background while an answer streams: it has all of it when it is shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.tabs import background, tabs
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import stop_kernels
from tests.support.server.user import AsUser
from tests.support.server.workspace import Workspace
from tests.support.wait import PATIENCE_SECONDS, eventually

_SECONDS = 60
_ELEMENTS = "document.getElementsByTagName('*').length"


@pytest.mark.long
@pytest.mark.parametrize("frozen", [False, True], ids=["hidden", "frozen"])
def test_a_tab_in_the_background_has_all_when_it_is_shown(
    server: JupyterServer, browser: Browser, workspace: Workspace, tmp_path: Path, frozen: bool
) -> None:
    def running() -> bool:
        mine = (s for s in user.get("sessions") if s["title"] == prompt)
        return any(session["active_turn_id"] is not None for session in mine)

    prompt = f"bench N={100 * _SECONDS} size=20 rate=100"

    with tabs(browser, tmp_path) as context, AsUser(server) as user:
        lab = LabPage(Visitor(browser, tmp_path, profile=context), server)
        lab.open_empty(workspace.name)
        panel = lab.panel
        panel.choose_agent("demo")
        panel.say(prompt)
        text = panel.root.locator(".acp-prose")
        expect(text).to_contain_text(re.compile(r"\w"))
        assert running()
        with background(lab.page, frozen=frozen):
            eventually(
                lambda: not running(), "the turn has ended", seconds=_SECONDS + PATIENCE_SECONDS
            )
        expect(text).to_contain_text(re.compile(r"END\s*$"))
        expect(panel.stop).to_have_count(0)
        lab.page.wait_for_function(f"{_ELEMENTS} < 3000")
        # Nothing was lost: every part of the text stands once, in its order.
        parts = [int(n) for n in re.findall(r"Part (\d+)", str(text.text_content()))]
        assert parts == sorted(set(parts))
    stop_kernels(server)
