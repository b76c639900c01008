"""What the picture of the README shows: a finished turn, one that asks, and the panel beside them.

With ``ACP_SCREENSHOTS=1`` it takes the picture, in light and dark.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.support.lab import LabPage
from tests.support.pictures import take
from tests.support.workspace import Workspace

LOAD_PY = """def load(lines):
    rows = []
    for line in lines:
        rows.append(line.split(","))
    return rows
"""
THEMES = {"": "JupyterLab Light", "-dark": "JupyterLab Dark"}


@pytest.mark.long
def test_a_finished_turn_and_one_that_asks_beside_the_panel(lab: LabPage) -> None:
    page = lab.page
    page.set_viewport_size({"width": 1300, "height": 1290})
    ground = Workspace(lab.server.root, "analysis")
    (ground.folder / "load.py").write_text(LOAD_PY)
    nb = lab.open(
        ground.notebook(
            "%load_ext acp_jupyter",
            "%%acp\nMake clean.py twice as fast",
            "%%acp\nNow the same for load.py: make it faster",
            name="survey.ipynb",
        )
    )
    nb.load_extension()
    lab.command("application:toggle-left-area")
    panel = lab.panel
    lab.widen_panel(130)
    done = nb.run(1)
    done.answer("Allow once")
    nb.wait_for_end(1)
    expect(done.root.get_by_role("group", name="Changes")).to_contain_text("1 file changed")

    asks = nb.run(2)
    expect(asks.plan.get_by_role("listitem")).to_have_count(4)
    expect(asks.permission).to_contain_text("rows = [line.split(',') for line in lines]")
    expect(panel.permission).to_be_visible()
    nb.cell(1).evaluate("cell => cell.scrollIntoView({block: 'start'})")
    for suffix, theme in THEMES.items():
        lab.use_theme(theme)
        take(f"turn-in-a-cell{suffix}", page)
    asks.answer("Reject")
    nb.wait_for_end(2)
