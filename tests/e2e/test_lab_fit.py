"""The ways from JupyterLab to the agents: errors, selections, launcher, menu, status bar."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Route, expect

from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView
from tests.support.server.workspace import Workspace


@pytest.mark.long
def test_an_error_and_a_selection_go_to_the_composer(lab: LabPage, workspace: Workspace) -> None:
    """The cell's button and the commands attach them; nothing is sent."""
    nb = lab.open(workspace.notebook("fine = 1", "boom = 1 / 0"))
    nb.wait_for_kernel()
    nb.run_to_end(0)
    nb.run_to_end(1)
    expect(nb.output(1)).to_contain_text("division by zero")
    page = lab.page
    nb.cell(1).locator(".jp-InputArea-editor").click()
    ask = nb.cell(1).get_by_role("button", name="Ask the Agent About This Error")
    ask.click()
    panel = _shown(lab)
    chips = panel.root.get_by_role("list", name="Attachments").get_by_role("listitem")
    expect(chips).to_have_text(["Cell 2: ZeroDivisionError"])
    expect(panel.message).to_be_focused()

    nb.cell(0).locator(".cm-content").click()
    expect(nb.cell(0).get_by_role("button", name="Ask the Agent About This Error")).to_be_hidden()
    page.keyboard.press("Control+a")
    page.locator(".jp-Notebook .cm-selectionLayer").first.wait_for(state="attached")
    nb.cell(0).locator(".cm-content").click(button="right")
    page.get_by_role("menuitem", name="Ask the Agent About the Selection").click()
    expect(chips).to_have_text(["Cell 2: ZeroDivisionError", "Cell 1, line 1"])
    expect(panel.log.locator(".acp-user")).to_have_count(0)


@pytest.mark.long
def test_a_prompt_is_coloured_as_prose(lab: LabPage, workspace: Workspace) -> None:
    """Python's words have colours in Python only, also after the cell has become the other."""
    words = re.compile("^(help|print|in|list)$")
    sources = (
        "%load_ext acp_jupyter\nprint(len('a'))",
        "%%acp demo\nhelp me to print `rows` in a list",
    )
    nb = lab.open(workspace.notebook(*sources))
    nb.wait_for_kernel()
    expect(nb.cell(0).locator(".cm-line").nth(1).locator("span").first).to_be_visible()
    prompt = nb.cell(1).locator(".cm-line")
    expect(prompt.nth(1).locator("span", has_text=words)).to_have_count(0)
    nb.cell(1).locator(".cm-content").click()
    lab.page.keyboard.press("Control+Home")
    lab.page.keyboard.type("x = 1  # ")
    expect(prompt.nth(1).locator("span", has_text=words).first).to_be_visible()
    lab.page.keyboard.press("Control+z")
    expect(prompt.nth(0)).to_have_text("%%acp demo")
    expect(prompt.nth(1).locator("span", has_text=words)).to_have_count(0)
    # Tab still completes in its first line.
    nb.run_to_end(0)
    nb.cell(1).locator(".cm-content").click()
    lab.page.keyboard.press("Control+Home")
    lab.page.keyboard.press("End")
    lab.page.keyboard.type(" --polic")
    lab.page.keyboard.press("Tab")
    expect(lab.page.locator(".jp-Completer-item").first).to_contain_text("--policy")


@pytest.mark.long
def test_a_prompt_stays_prose_when_the_kernels_language_comes_late(
    lab: LabPage, workspace: Workspace
) -> None:
    """An editor shows the language that was loaded last, not the one that was set last."""
    static = Path(sys.prefix) / "share/jupyter/lab/static"
    parts = (file for file in static.glob("*.js") if not file.name.startswith("jlab_core"))
    scripts = {file.name for file in parts if "pythonLanguage" in file.read_text()}
    held: list[Route] = []
    lab.page.route(
        lambda url: urlsplit(url).path.rpartition("/")[2] in scripts,
        lambda route: held.append(route),
    )
    sources = ("print(len('a'))", "%%acp demo\nhelp me to print `rows` in a list")
    nb = lab.open(workspace.notebook(*sources))
    nb.wait_for_kernel()
    prompt = nb.cell(1).locator(".cm-line").nth(1)
    expect(prompt).to_have_text("help me to print `rows` in a list")
    assert held, "Python's colours wait"
    for route in held:
        route.continue_()
    expect(nb.cell(0).locator(".cm-line span", has_text="print")).to_be_visible()
    expect(prompt.locator("span", has_text="rows")).to_be_visible()
    expect(prompt.locator("span", has_text=re.compile("^(help|print|in|list)$"))).to_have_count(0)


@pytest.mark.long
def test_launcher_menu_status_bar_and_send_key(lab: LabPage, workspace: Workspace) -> None:
    """The launcher opens the panel, the menu a session; the status bar tells who runs."""
    lab.open_empty(workspace.name)
    page = lab.page
    page.evaluate(
        "() => jupyterapp.serviceManager.settings.save('acp-jupyter:plugin',"
        " JSON.stringify({sendKey: 'shift-enter'}))"
    )
    lab.reload()
    page.locator(".jp-LauncherCard", has_text="Agent Sessions").click()
    panel = _shown(lab)
    expect(panel.message).to_be_focused()

    panel.choose_agent("slow_stream")
    panel.say("Good morning")
    status = page.locator(".acp-StatusItem button")
    expect(status).to_have_text("slow_stream is running")
    panel.stop.click()
    expect(status).to_be_hidden()

    page.get_by_role("menuitem", name="Agents", exact=True).click()
    page.get_by_role("menuitem", name="New Agent Session").click()
    expect(panel.root.get_by_role("heading", name="New session", exact=True)).to_be_visible()

    panel.message.fill("one")
    panel.message.press("Enter")
    panel.message.press_sequentially("two")
    expect(panel.message).to_have_value("one\ntwo")
    panel.message.press("Shift+Enter")
    expect(panel.message).to_have_value("")
    expect(panel.log.locator(".acp-user")).to_contain_text("one\ntwo")


def _shown(lab: LabPage) -> PanelView:
    """The panel, which must be there by itself."""
    root = lab.page.locator("#acp-jupyter-panel")
    expect(root).to_be_visible()
    return PanelView(root)
