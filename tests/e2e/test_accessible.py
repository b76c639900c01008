"""What opens in the view, and what is seldom seen: nothing for axe to find."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser.accessibility import expect_accessible, expect_all_inside
from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView
from tests.support.scenes import cards, cleaning
from tests.support.scenes.stage import Stage

THEMES = ["JupyterLab Dark", "JupyterLab Light"]


@pytest.mark.long
@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_in_what_opens(lab: LabPage, theme: str) -> None:
    """Cards of each kind, diffs, the composer's lists, the list of sessions, the traffic."""
    stage = Stage(lab, f"accessible {theme}")
    nb = stage.open("%%acp plays\nShow each kind of tool")
    lab.use_theme(theme)
    turn = stage.play(nb, 1, cards.CARDS)
    expect(turn.log).to_contain_text("Train for three epochs")
    closed = turn.log.locator("[aria-expanded=false]")
    while closed.count() > 0:
        closed.first.click()
    check(lab)
    stage.go_on("cards")
    nb.wait_for_end(1)

    panel = lab.panel
    stage.say(panel, cleaning.PROMPT, cleaning.STREAMING)
    expect(panel.stop).to_be_visible()
    panel.say("Then the changelog")
    expect(panel.root.get_by_role("list", name="Queue")).to_be_visible()
    check(lab)
    panel.stop.click()
    composer(lab, panel)
    pages(lab, panel)


def composer(lab: LabPage, panel: PanelView) -> None:
    """Its lists, its chips and the usage."""
    root, message = panel.root, panel.message
    message.fill("/")
    expect(root.get_by_role("listbox", name="Commands")).to_be_visible()
    check(lab)
    message.fill("")
    message.press_sequentially("See @clean")
    context = root.get_by_role("listbox", name="Context")
    expect(context).to_contain_text("clean.py")
    check(lab)
    context.get_by_role("option").first.click()
    expect(root.get_by_role("list", name="Attachments")).to_be_visible()
    root.get_by_role("button", name="No limit").click()
    expect(root.get_by_role("dialog", name="Limits")).to_be_visible()
    check(lab)
    root.get_by_role("textbox", name="Each turn").press("Escape")
    root.get_by_role("combobox", name="Model").click()
    check(lab)
    lab.page.keyboard.press("Escape")
    root.get_by_role("button", name=re.compile("^Context used")).click()
    check(lab)
    lab.page.keyboard.press("Escape")


def pages(lab: LabPage, panel: PanelView) -> None:
    """The menu of the panel, its list of sessions and its traffic."""
    root = panel.root
    panel.button("More").click()
    check(lab)
    root.get_by_role("menuitem", name="Traffic").click()
    lines = lab.page.get_by_role("tree", name="Lines").get_by_role("treeitem")
    lines.first.click()
    check(lab)
    panel.show_list()
    root.get_by_role("button", name=re.compile("^More for")).first.click()
    check(lab)
    root.get_by_role("menuitem", name="Delete").click()
    check(lab)
    root.get_by_role("button", name=re.compile("^Undo deleting")).click()


def check(lab: LabPage) -> None:
    expect_all_inside(lab.page)
    expect_accessible(lab.page)
