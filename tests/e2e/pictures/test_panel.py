"""Pictures of the side panel in both themes, for the eye.

They are written to ``test-results/pictures``; nothing sticks out of its view in any of them.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.support.scenes import cleaning
from tests.support.scenes.camera import Camera
from tests.support.scenes.stage import Stage

pytestmark = pytest.mark.long


def test_the_panel_alone(camera: Camera) -> None:
    lab, stage = camera.lab, camera.stage
    nb = camera.open("cleaned = list(range(6))\nclear = True", "1 / 0")
    nb.run_to_end(1)
    nb.run_to_end(2)
    panel = lab.panel
    root = panel.root
    camera.take("f-agents", root)
    panel.choose_agent("Claude", exact=True)
    stage.say(panel, cleaning.PROMPT, cleaning.STREAMING)
    expect(panel.log).to_contain_text("Running command")
    panel.say("Then update the changelog")
    expect(root.get_by_role("list", name="Queue")).to_be_visible()
    camera.take("e-queued", root)
    stage.go_on("streaming")
    stage.go_on("end")

    expect(panel.stop).to_have_count(0)
    message = panel.message
    message.fill("/")
    expect(root.get_by_role("listbox", name="Commands")).to_be_visible()
    camera.take("e-commands", root)
    message.fill("")
    message.press_sequentially("Do the same for @cl")
    expect(root.get_by_role("listbox", name="Context")).to_contain_text("cleaned")
    message.press("Enter")
    message.press_sequentially(" and @cl")
    expect(root.get_by_role("listbox", name="Context")).to_contain_text("clean.py")
    camera.take("e-context", root)
    message.press("Escape")
    root.get_by_role("combobox", name="Mode", exact=True).click()
    camera.take("e-picker", root)
    lab.page.keyboard.press("Escape")
    root.get_by_role("button", name=re.compile("^Context used")).click()
    camera.take("e-usage", root)
    lab.page.keyboard.press("Escape")
    panel.button("More").click()
    camera.take("e-more", root)
    lab.page.keyboard.press("Escape")
    message.fill("")


def test_states_of_sessions(camera: Camera) -> None:
    camera.open()
    panel = camera.lab.panel
    root = panel.root
    panel.choose_agent("Claude", exact=True)
    camera.stage.say(panel, cleaning.PROMPT, cleaning.FINISHED)
    expect(panel.log).to_contain_text("all 14 tests pass")
    panel.button("New session").click()
    root.get_by_role("menuitem", name="Claude", exact=True).click()
    expect(panel.log).to_contain_text("It works in")
    camera.take("f-empty", root)
    start(camera, "dies_mid_turn", "Port the plots")
    expect(panel.log).to_contain_text(re.compile("stopped|ended|exit", re.IGNORECASE))
    camera.take("f-died", root)
    start(camera, "Gemini", "Good morning")
    expect(root.get_by_role("group", name="Log in")).to_be_visible()
    camera.take("f-login", root)
    start(camera, "never_new_session", "Good morning")
    expect(panel.log).to_contain_text("Starting")
    camera.take("f-starting", root)
    panel.show_list()
    expect(panel.listed("^Make clean.py")).to_be_visible()
    panel.root.get_by_role("button", name=re.compile("^More for Port")).click()
    root.get_by_role("menuitem", name="Delete").click()
    camera.take("e-sessions", root)


def start(camera: Camera, agent: str, words: str) -> None:
    """A session of its own with an agent."""
    panel = camera.lab.panel
    panel.button("New session").click()
    # An agent that was asked before may say that it needs a login.
    panel.root.get_by_role("menuitem", name=re.compile(rf"^{agent}\b")).click()
    panel.say(words)


def test_a_folder_that_is_not_trusted_and_allow_all(camera: Camera) -> None:
    lab = camera.lab
    stage = Stage(lab, f"elsewhere-{camera.theme.lower()}")
    nb = camera.open("%%acp claude --policy allow-all\nUpdate the changelog", stage=stage)
    turn = stage.play(nb, 1, cleaning.PERMISSIONS)
    trust = turn.root.get_by_role("group", name="Folder trust")
    expect(trust).to_be_visible()
    expect(lab.panel.root.get_by_role("group", name="Folder trust")).to_be_visible()
    camera.take("f-trust")
    trust.get_by_role("button", name="Trust this folder").click()
    nb.wait_for_end(1)
    camera.take("f-allow-all")
