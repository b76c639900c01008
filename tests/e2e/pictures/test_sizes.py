"""Pictures of the view where there is little room, or where the system draws it its own way.

They are written to ``test-results/pictures``; nothing sticks out of its view in any of them.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.roles import PanelView
from tests.support.scenes import cleaning
from tests.support.scenes.camera import Camera

pytestmark = pytest.mark.long

SOURCE = f"%%acp claude --session cleaning\n{cleaning.PROMPT}"


def test_a_panel_of_240_pixels(camera: Camera) -> None:
    camera.open()
    lab = camera.lab
    lab.page.add_style_tag(content="#acp-jupyter-panel .acp { width: 240px }")
    lab.panel.choose_agent("Claude", exact=True)
    show_panel(camera, "n", lab.panel)


def test_a_page_at_twice_its_size(camera: Camera) -> None:
    """What a zoom of 200 % does: half as many pixels of the page."""
    lab = camera.lab
    nb = camera.open(SOURCE)
    lab.page.set_viewport_size({"width": 640, "height": 430})
    camera.stage.play(nb, 1, cleaning.FINISHED)
    nb.wait_for_end(1)
    nb.cell(1).scroll_into_view_if_needed()
    camera.take("z-cell")
    show_panel(camera, "z", lab.panel)


@pytest.mark.parametrize("theme", ["Light"])
def test_colours_of_the_system(camera: Camera) -> None:
    """Forced colours: states, choices and differences are seen without ours."""
    lab = camera.lab
    nb = camera.open(SOURCE)
    lab.page.emulate_media(forced_colors="active")
    turn = camera.stage.play(nb, 1, cleaning.FINISHED)
    nb.wait_for_end(1)
    changes = turn.root.get_by_role("group", name="Changes")
    changes.get_by_role("button", name=re.compile("^src. ?clean")).click()
    expect(turn.diff("src/clean.py").locator("ins").first).to_be_visible()
    changes.scroll_into_view_if_needed()
    camera.take("s-changes")
    show_panel(camera, "s", lab.panel)


@pytest.mark.parametrize("theme", ["Light"])
def test_nothing_moves_for_whom_it_shall_not(camera: Camera) -> None:
    camera.open()
    page, panel = camera.lab.page, camera.lab.panel
    panel.choose_agent("Claude", exact=True)
    camera.stage.say(panel, cleaning.PROMPT, cleaning.STREAMING)
    expect(panel.log).to_contain_text("The time goes into one place")
    expect(panel.root.locator(".spin").first).to_be_visible()
    assert moving(page) == 0
    page.emulate_media(reduced_motion="no-preference")
    assert moving(page) > 0
    panel.stop.click()


def moving(page: Page) -> int:
    count = page.evaluate(
        "document.getAnimations().filter(each => each.effect.target.closest('.acp')).length"
    )
    return int(count)


def show_panel(camera: Camera, size: str, panel: PanelView) -> None:
    """A turn that runs, asks and ends; the pickers, their list, the sessions, an attachment."""
    stage, root = camera.stage, panel.root
    stage.say(panel, cleaning.PROMPT, cleaning.STREAMING)
    expect(panel.log).to_contain_text("Running command")
    panel.say("Then update the changelog, and say in the README what has become faster")
    expect(root.get_by_role("list", name="Queue")).to_be_visible()
    camera.take(f"{size}-runs", root)
    root.get_by_role("button", name="Remove queued message").click()
    panel.stop.click()
    expect(panel.stop).to_have_count(0)

    stage.say(panel, "Run the tests", cleaning.PERMISSIONS)
    expect(panel.permission).to_have_count(2)
    panel.permission.first.scroll_into_view_if_needed()
    camera.take(f"{size}-asks", root)
    panel.permission.first.get_by_role("button", name="Allow once").click()
    expect(panel.permission).to_have_count(1)
    panel.permission.scroll_into_view_if_needed()
    camera.take(f"{size}-edit", root)
    panel.answer("Reject")
    expect(panel.stop).to_have_count(0)
    camera.take(f"{size}-answered", root)

    stage.reset()
    finished(camera, size, panel)
    composer_and_sessions(camera, size, panel)


def finished(camera: Camera, size: str, panel: PanelView) -> None:
    root = panel.root
    camera.stage.say(panel, "Once more", cleaning.FINISHED)
    changes = root.get_by_role("group", name="Changes").last
    expect(changes.get_by_role("listitem").nth(1)).to_be_visible()
    changes.scroll_into_view_if_needed()
    camera.take(f"{size}-finished", root)


def composer_and_sessions(camera: Camera, size: str, panel: PanelView) -> None:
    page, root = camera.lab.page, panel.root
    root.get_by_role("combobox", name="Mode", exact=True).click()
    camera.take(f"{size}-picker", root)
    page.keyboard.press("Escape")
    panel.message.press_sequentially("See @clean")
    expect(root.get_by_role("listbox", name="Context")).to_contain_text("clean.py")
    camera.take(f"{size}-context", root)
    panel.message.press("Enter")
    expect(root.get_by_role("list", name="Attachments")).to_be_visible()
    camera.take(f"{size}-chip", root)
    panel.message.fill("")
    panel.show_list()
    root.get_by_role("button", name=re.compile("^More for")).first.click()
    camera.take(f"{size}-sessions", root)
    page.keyboard.press("Escape")
    panel.button("Back to the session").click()
