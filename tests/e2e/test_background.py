"""A tool call that outlives its turn: told and stopped in its card, in the cell and the panel."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.support.browser.accessibility import expect_accessible, expect_all_inside, picture
from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"
GOES_ON = "Running in the background"
SAVED = "goes on in the background"


@pytest.mark.long
@pytest.mark.parametrize(
    "theme", ["JupyterLab Light", pytest.param("JupyterLab Dark", marks=pytest.mark.long)]
)
def test_it_is_stopped_by_a_key_in_the_card(lab: LabPage, workspace: Workspace, theme: str) -> None:
    nb = lab.open(workspace.notebook(LOAD, "%%acp version_2\nbackground"))
    lab.use_theme(theme)
    nb.load_extension()
    turn = nb.run(1)
    nb.wait_for_end(1)
    card, in_panel = (
        turn.tool("Serve server"),
        lab.panel.root.get_by_role("group", name="Serve server"),
    )
    expect(card).to_contain_text(GOES_ON)
    expect(in_panel).to_contain_text(GOES_ON)
    eventually(lambda: SAVED in nb.file.read_text())
    expect_accessible(lab.page)
    expect_all_inside(lab.page)
    picture(lab.page, f"background {theme}")
    stop = card.get_by_role("button", name="Stop this call")
    stop.focus()
    lab.page.keyboard.press("Enter")
    expect(card).to_contain_text("stopped")
    expect(in_panel).to_contain_text("stopped")
    expect(card).not_to_contain_text(GOES_ON)
    # The focus is where the button was.
    expect(card.locator("button:focus")).to_have_count(1)
    eventually(lambda: "cancelled" in (text := nb.file.read_text()) and SAVED not in text)


@pytest.mark.long
def test_a_refusal_is_told_in_the_card(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(workspace.notebook(LOAD, "%%acp version_2\nstubborn"))
    nb.load_extension()
    turn = nb.run(1)
    nb.wait_for_end(1)
    card = lab.panel.root.get_by_role("group", name="Serve stubborn")
    card.get_by_role("button", name="Stop this call").click()
    expect(card).to_contain_text("Second does not cancel this: It must go on.")
    expect_all_inside(lab.page)
    picture(lab.page, "background refused")
    expect(turn.tool("Serve stubborn")).to_contain_text(GOES_ON)
    lab.reload()
    card = lab.panel.root.get_by_role("group", name="Serve stubborn")
    expect(card).to_contain_text(GOES_ON)
