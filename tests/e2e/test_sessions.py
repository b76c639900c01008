"""Sessions that outlive their server, and what was said in them, in the side panel."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.agents.fake_agent import script
from tests.support.browser.accessibility import expect_accessible
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """A JupyterLab with an agent that keeps its sessions, some of them not ours."""
    folder = tmp_path_factory.mktemp("keeping")
    store = folder / "agent.json"
    store.write_text(json.dumps({"s1": ["earlier", "elsewhere"]}))
    abilities = ("load", "resume", "list", "fork", "close", "delete")
    agents = {"keeper": script("keeps_sessions", str(store), *abilities)}
    with JupyterServer(folder, app="jupyterlab", agents=agents, args=LAB_ARGS) as running:
        yield running


def menu(panel: PanelView, session: str, item: str) -> None:
    panel.root.get_by_role("button", name=f"More for {session}", exact=True).click()
    panel.root.get_by_role("menuitem", name=item).click()


def start(panel: PanelView, agent: str, words: str) -> None:
    """A new session begins with the choice of its agent."""
    panel.root.get_by_role("button", name="New session").click()
    panel.root.get_by_role("menuitem", name=agent).click()
    panel.say(words)
    expect(panel.log).to_contain_text(f"After 0: {words}")


def test_sessions_are_named_forked_ended_and_taken_up_again(
    lab: LabPage, workspace: Workspace
) -> None:
    lab.open_empty(workspace.name)
    panel = lab.panel
    start(panel, "keeper", "one")

    panel.show_list()
    menu(panel, "one", "Rename")
    panel.root.get_by_role("textbox", name="Title").fill("First talk")
    panel.root.get_by_role("button", name="Rename").click()
    expect(panel.listed("First talk.*Keeper")).to_have_count(1)

    menu(panel, "First talk", "Fork")
    panel.say("two")
    expect(panel.log).to_contain_text("After 1: two")

    panel.show_list()
    menu(panel, "First talk", "Close")
    expect(panel.listed("First talk.*Ended")).to_have_count(1)
    menu(panel, "First talk", "Resume")
    panel.say("three")
    expect(panel.log).to_contain_text("After 1: three")

    panel.show_list()
    more = panel.root.get_by_role("button", name="More for First talk", exact=True)
    menu(panel, "First talk", "Delete")
    expect(more).to_have_count(0)
    panel.root.get_by_role("button", name="Undo deleting First talk").click()
    expect(more).to_have_count(1)
    menu(panel, "First talk", "Delete")
    undo = panel.root.get_by_role("button", name="Undo deleting First talk")
    expect(undo).to_be_visible()
    expect(undo).to_have_count(0)
    with lab.server.user() as user:
        eventually(
            lambda: all(each["title"] != "First talk" for each in user.get("sessions").json())
        )
    # The server knows by now: it does not come back with the page.
    lab.page.reload()
    lab.panel.show_list()
    expect(lab.panel.listed("two|one")).to_have_count(1)
    expect(more).to_have_count(0)


@pytest.mark.long
def test_a_session_that_only_the_agent_keeps_is_opened(lab: LabPage, workspace: Workspace) -> None:
    lab.open_empty(workspace.name)
    panel = lab.panel
    start(panel, "keeper", "new")
    panel.show_list()
    others = panel.root.get_by_role("region", name="Other sessions of Keeper")
    others.get_by_role("button", name="Show them").click()
    others.get_by_role("button", name="Open Talk s1").click()
    expect(panel.log).to_contain_text("You said: elsewhere")
    panel.say("again")
    expect(panel.log).to_contain_text("After 2: again")


@pytest.mark.long
@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_the_traffic_is_watched_filtered_and_exported(
    lab: LabPage, workspace: Workspace, theme: str
) -> None:
    lab.open_empty(workspace.name)
    lab.use_theme(theme)
    panel = lab.panel
    start(panel, "keeper", "look at this")

    panel.button("More").click()
    panel.root.get_by_role("menuitem", name="Traffic").click()
    traffic = lab.page.get_by_role("region", name="Traffic", exact=True)
    lines = traffic.get_by_role("tree", name="Lines").get_by_role("treeitem")
    expect(lines.filter(has_text="session/prompt").first).to_be_visible()
    traffic.get_by_role("searchbox", name="Method").fill("session/prompt")
    traffic.get_by_role("combobox", name="Direction").select_option(label="To the agent")
    expect(lines).to_have_count(1)
    lines.click()
    line = traffic.get_by_role("region", name="Line")
    expect(line.get_by_role("group", name="Message")).to_contain_text('"text": "look at this"')

    expect_accessible(lab.page, ".acp-Traffic")

    with lab.page.expect_download() as download:
        traffic.get_by_role("button", name="Export").click()
    assert '"session/prompt"' in Path(download.value.path()).read_text()

    # What comes is seen as it comes; a reload brings the tab back.
    traffic.get_by_role("combobox", name="Direction").select_option(label="All")
    traffic.get_by_role("searchbox", name="Method").fill("")
    panel.say("once more")
    expect(lines.filter(has_text="once more").first).to_be_visible()
    lab.page.wait_for_load_state("networkidle")  # until the layout is saved
    lab.reload()
    expect(lines.filter(has_text="session/prompt").first).to_be_visible()
    beside = lab.page.locator("#acp-jupyter-panel")
    expect(beside.get_by_role("tree", name="Lines")).to_have_count(0)


@pytest.mark.long
def test_chunks_of_an_answer_are_one_line_of_the_traffic(
    lab: LabPage, workspace: Workspace
) -> None:
    lab.open_empty(workspace.name)
    panel = lab.panel
    panel.root.get_by_role("button", name="New session").click()
    panel.root.get_by_role("menuitem", name="demo").click()
    panel.say("bench n=400 size=8")
    expect(panel.log).to_contain_text(re.compile(r"Demo \d"))
    panel.button("More").click()
    panel.root.get_by_role("menuitem", name="Traffic").click()
    traffic = lab.page.get_by_role("region", name="Traffic", exact=True)
    lines = traffic.get_by_role("tree", name="Lines").get_by_role("treeitem")
    answer = lines.filter(has_text=re.compile(r"agent_message_chunk ×\d"))
    expect(answer.last).to_have_attribute("aria-expanded", "false")
    answer.last.click()
    text = traffic.get_by_role("group", name="Message")
    expect(text).not_to_be_empty()
    lab.page.keyboard.press("ArrowRight")
    expect(lines.and_(lab.page.locator("[aria-level='2']")).first).to_be_visible()
    lab.page.keyboard.press("ArrowRight")
    expect(text).to_contain_text('"agent_message_chunk"')


@pytest.mark.long("tests/server/test_search.py finds them, vitest draws what was found")
@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_a_session_is_found_by_what_was_said(
    lab: LabPage, workspace: Workspace, theme: str
) -> None:
    lab.open_empty(workspace.name)
    lab.use_theme(theme)
    panel = lab.panel
    word = f"zebra{theme[-4:]}"
    start(panel, "keeper", f"a {word} crossing")
    for number in range(8):
        panel.say(f"later {number}")
        expect(panel.log).to_contain_text(f"{number + 1}: later {number}")
    start(panel, "keeper", "another")
    panel.show_list()
    panel.root.get_by_role("searchbox").fill(f"{word.upper()}  Crossing")
    found = panel.root.get_by_role("region", name="In messages")
    expect(found.get_by_role("status")).to_have_text("2 places")
    answer = found.get_by_role("button", name="Answer")
    expect(answer.locator("mark")).to_have_text(f"{word} crossing")
    expect_accessible(lab.page, "#acp-jupyter-panel")
    answer.press("Enter")
    turn = panel.root.locator("[data-turn]").first
    expect(turn).to_be_focused()
    expect(turn).to_contain_text(word)
    expect(turn).to_be_in_viewport()


def test_a_session_outlives_its_server(
    visitor: Visitor, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("outlived")
    agents = {"keeper": script("keeps_sessions", str(folder / "agent.json"), "resume")}
    for run, words in enumerate(("one", "two")):
        with JupyterServer(folder, app="jupyterlab", agents=agents, args=LAB_ARGS) as server:
            lab = LabPage(visitor, server)
            (server.root / "here").mkdir(exist_ok=True)
            lab.open_empty("here")
            panel = lab.panel
            if run == 0:
                start(panel, "keeper", words)
                # A server that stops before the turn's end tells another story.
                expect(panel.button("Copy the answer")).to_be_visible()
            else:
                panel.show_list()
                expect(panel.listed("one.*Ended.*Keeper")).to_have_count(1)
                panel.listed("^one").click()
                expect(panel.log).to_contain_text("After 0: one")
                expect(panel.log).to_contain_text("Keeper is not running")
                panel.say(words)
                expect(panel.log).to_contain_text("After 1: two")
            lab.close()


@pytest.mark.long
def test_a_session_of_a_suspended_server_can_be_read_in_another(
    visitor: Visitor, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("suspended")
    agents = {"keeper": script("keeps_sessions", str(folder / "agent.json"), "resume")}
    with JupyterServer(folder, app="jupyterlab", agents=agents, args=LAB_ARGS) as server:
        (server.root / "here").mkdir()
        owner = LabPage(visitor, server)
        owner.open_empty("here")
        start(owner.panel, "keeper", "one")
        expect(owner.panel.log).to_contain_text("After 0: one")
        os.kill(server.pid, signal.SIGSTOP)
        try:
            another = JupyterServer(folder, app="jupyterlab", agents=agents, args=LAB_ARGS)
            with another:
                lab = LabPage(visitor, another)
                lab.open_empty("here")
                panel = lab.panel
                panel.show_list()
                panel.listed("^one").click()
                expect(panel.log).to_contain_text("After 0: one")
                words = "This session is open in another server. You can read it here."
                expect(panel.root.get_by_text(words)).to_be_visible()
                expect(panel.message).to_be_disabled()
                lab.close()
        finally:
            os.kill(server.pid, signal.SIGCONT)
        # It is still the owner's.
        owner.panel.say("two")
        expect(owner.panel.log).to_contain_text("After 1: two")
        owner.close()


@pytest.mark.long
def test_a_session_outlives_a_killed_server_that_was_asking(
    visitor: Visitor, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The transcript is whole, the question expired, and the next prompt goes on."""
    folder = tmp_path_factory.mktemp("killed")
    agents = {"keeper": script("keeps_sessions", str(folder / "agent.json"), "resume")}
    with JupyterServer(folder, app="jupyterlab", agents=agents, args=LAB_ARGS) as server:
        lab = LabPage(visitor, server)
        (server.root / "here").mkdir()
        lab.open_empty("here")
        start(lab.panel, "keeper", "one")
        lab.panel.say("ask")
        expect(lab.panel.permission).to_be_visible()
        os.kill(server.pid, signal.SIGKILL)
        lab.close()
    with JupyterServer(folder, app="jupyterlab", agents=agents, args=LAB_ARGS) as server:
        lab = LabPage(visitor, server)
        lab.open_empty("here")
        panel = lab.panel
        panel.show_list()
        panel.listed("^one").click()
        for words in ("After 0: one", "After 1: ask", "Expired: the agent stopped"):
            expect(panel.log).to_contain_text(words)
        expect(panel.permission).to_have_count(0)
        panel.say("three")
        expect(panel.log).to_contain_text("After 2: three")
        lab.close()
