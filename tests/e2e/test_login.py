"""Logging in to an agent, as a person does it in JupyterLab."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace


def test_an_agent_is_logged_in_to_in_a_terminal(lab: LabPage, workspace: Workspace) -> None:
    """From the message that fails to the one that works, by the panel's own buttons."""
    lab.open_empty(workspace.name)
    panel = lab.panel
    panel.choose_agent("wants_login")
    panel.say("Good morning")
    card = panel.root.get_by_role("group", name="Log in")
    expect(card).to_contain_text("Wants Login needs a login: Authentication required.")
    card.get_by_role("button", name="Log in: Terminal").click()
    expect(card.get_by_role("status").first).to_have_text("Logging in: Terminal")
    # What a terminal shows is drawn, not text; what is typed before it is connected waits.
    terminal = lab.page.get_by_role("textbox", name="Terminal input")
    terminal.focus()
    terminal.press_sequentially("Ada Typed\n")
    expect(card).to_have_count(0)
    panel = lab.panel
    panel.say("Good evening")
    expect(panel.log).to_contain_text("Welcome. You said: Good evening")
    assert "Ada Typed" not in panel.root.inner_html()


@pytest.mark.long
def test_a_download_is_offered_with_what_it_is(lab: LabPage, workspace: Workspace) -> None:
    lab.open_empty(workspace.name)
    root = lab.panel.root
    root.get_by_role("button", name="Add an agent…").click()
    more = root.get_by_role("list", name="All agents")
    download = more.get_by_role("button", name="Download Qwen Code")
    download.click()
    offer = more.get_by_role("group", name="Download Qwen Code")
    expect(offer).to_contain_text("@qwen-code/qwen-code@")
    expect(offer).to_contain_text("npx --prefix")
    offer.get_by_role("button", name="Cancel").click()
    expect(offer).to_have_count(0)
    expect(download).to_be_visible()


def test_a_menu_leads_to_all_agents_and_what_each_needs(lab: LabPage, workspace: Workspace) -> None:
    lab.open_empty(workspace.name)
    page = lab.page
    page.get_by_role("menuitem", name="Agents", exact=True).click()
    page.get_by_role("menuitem", name="Add an Agent…").click()
    root = lab.panel.root
    agents = root.get_by_role("list", name="All agents")
    root.get_by_role("searchbox", name="Search agents").fill("goose")
    expect(agents.get_by_role("listitem")).to_have_count(1)
    expect(agents).to_contain_text("To install it, see https://github.com/block/goose")
    root.get_by_role("button", name="Back to the session").click()
    expect(agents).to_have_count(0)
