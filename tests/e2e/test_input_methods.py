"""An input method's Enter chooses characters: it sends nothing, wherever one types."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.support.agents.fake_agent import script
from tests.support.browser.keyboard import Keyboard
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.roles import PanelView
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS, agents
from tests.support.server.workspace import Workspace

LOAD = "%load_ext acp_jupyter"
TEXT = "\u306b\u307b\u3093"

LATE_ENTER = """box => box.dispatchEvent(new KeyboardEvent('keydown', {
  key: 'Enter', code: 'Enter', bubbles: true, cancelable: true, isComposing: false,
  keyCode: 229, which: 229,
}))"""
"""Safari tells the Enter that ends a composition after its end, by this number alone."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("composed")
    asking = {**agents(), "elicit": script("elicit")}
    with JupyterServer(folder, app="jupyterlab", agents=asking, args=LAB_ARGS) as running:
        yield running


def compose(lab: LabPage, box: Locator) -> None:
    """Write with an input method, and end it with Enter: as Chromium tells it, then as Safari."""
    box.focus()
    protocol = lab.page.context.new_cdp_session(lab.page)
    given = {"selectionStart": len(TEXT), "selectionEnd": len(TEXT), "text": TEXT}
    protocol.send("Input.imeSetComposition", given)
    enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
    protocol.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
    protocol.send("Input.insertText", {"text": TEXT})
    protocol.send("Input.dispatchKeyEvent", {"type": "keyUp", **enter})
    box.evaluate(LATE_ENTER)
    expect(box).to_have_value(TEXT)
    expect(box).to_be_focused()


@pytest.mark.long("vitest has the keys of both browsers")
def test_wherever_one_types(lab: LabPage, workspace: Workspace) -> None:
    """One page, which takes long to open."""
    nb = lab.open(workspace.notebook(LOAD, "%%acp elicit\nsimple", "%%acp permission\nwords"))
    nb.load_extension()
    in_a_form(lab, nb)
    in_the_reason_for_a_no(lab, nb)
    in_the_queue(lab)


def in_a_form(lab: LabPage, nb: OpenNotebook) -> None:
    turn = nb.run(1)
    box = turn.root.get_by_role("textbox", name="Your name")
    expect(box).to_be_enabled()
    box.fill("")
    compose(lab, box)
    expect(turn.root.get_by_role("button", name="Submit")).to_be_enabled()
    box.press("Enter")
    nb.wait_for_end(1)
    expect(turn.root).to_contain_text(TEXT)


def in_the_reason_for_a_no(lab: LabPage, nb: OpenNotebook) -> None:
    turn = nb.run(2)
    expect(turn.option("Allow").first).to_be_enabled()
    Keyboard(lab.page).press("Alt+Shift+Y")
    turn.permission.get_by_text("More answers").click()
    turn.permission.get_by_text("Say why not").click()
    box = turn.permission.get_by_role("textbox", name="Why not")
    compose(lab, box)
    expect(turn.permission).to_have_count(1)
    box.press("Enter")
    expect(turn.permission).to_have_count(0)
    nb.wait_for_end(2)


def in_the_queue(lab: LabPage) -> None:
    """And in the message box, before and after."""
    panel: PanelView = lab.panel
    panel.choose_agent("demo")
    compose(lab, panel.message)
    expect(panel.stop).to_have_count(0)
    panel.message.fill("slow rate=20")
    panel.message.press("Enter")
    expect(panel.message).to_have_value("")
    expect(panel.stop).to_be_visible()
    panel.say("plan")
    queue = panel.root.get_by_role("list", name="Queue")
    queue.get_by_role("button", name="Edit queued message").click()
    box = queue.get_by_role("textbox", name="Queued message")
    box.fill("")
    compose(lab, box)
    box.press("Enter")
    expect(queue).to_contain_text(TEXT)
    expect(box).to_have_count(0)
