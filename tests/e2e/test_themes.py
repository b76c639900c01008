"""Both themes without a finding of axe."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace

LOAD = "%load_ext acp_jupyter"
DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    "theme", ["JupyterLab Light", pytest.param("JupyterLab Dark", marks=pytest.mark.long)]
)
def test_axe_finds_nothing(lab: LabPage, workspace: Workspace, theme: str) -> None:
    """A finished turn and one that asks, in the cell and in the panel."""
    nb = lab.open(
        workspace.notebook(LOAD, "%%acp demo\nlist rate=0", "%%acp demo\nedit clean.py rate=0")
    )
    lab.use_theme(theme)
    nb.load_extension()
    nb.run(1)
    nb.wait_for_end(1)
    turn = nb.run(2)
    expect(turn.permission).to_be_visible()
    expect(lab.panel.permission).to_be_visible()
    _expect_no_finding(lab.page)
    _keep(lab.page, f"{theme} asking")
    turn.answer("Reject")
    nb.wait_for_end(2)
    _expect_no_finding(lab.page)
    _keep(lab.page, f"{theme} done")


def _expect_no_finding(page: Page) -> None:
    # The cell and the panel show the same turn: its landmarks come twice, by intent.
    options = {"rules": {"landmark-unique": {"enabled": False}}}
    results = Axe().run(page, context={"include": [[".acp"]]}, options=options)
    findings: list[dict[str, Any]] = results.response["violations"]
    assert findings == [], results.generate_report()


def _keep(page: Page, name: str) -> None:
    """For the eye; only where pictures are asked for."""
    if os.environ.get("ACP_SCREENSHOTS") == "1":
        folder = DOCS.parent / "test-results"
        folder.mkdir(exist_ok=True)
        page.screenshot(path=folder / f"{name}.png", animations="disabled")
