"""The side panel: the notebook's session, live, with its composer."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.user import AsUser
from tests.support.server.workspace import CLEAN_PY, Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"


def test_the_panel_lists_shows_prompts_stops_and_answers(
    lab: LabPage, workspace: Workspace, server: JupyterServer
) -> None:
    nb = lab.open(workspace.notebook(LOAD, "%%acp demo\nedit clean.py rate=0"))
    nb.load_extension()
    cell = nb.run(1)
    expect(cell.permission).to_be_visible()

    panel = lab.panel
    panel.show_list()
    expect(panel.listed(r"Waiting for your answer.*Demo.*nb\.ipynb")).to_have_count(1)
    panel.listed(r"nb\.ipynb").click()
    expect(panel.log).to_contain_text("Here is an edit to clean.py.")
    panel.root.get_by_role("button", name=re.compile("^Plan 2")).click()
    expect(panel.plan.get_by_role("listitem")).to_have_count(4)
    expect(panel.permission).to_be_visible()
    panel.answer("Allow once")
    # Answered here, seen there; the cell's kernel was busy all the time.
    expect(cell.permission).to_have_count(0)
    nb.wait_for_end(1)
    eventually(lambda: workspace.clean_py != CLEAN_PY, what="the edit is on disk")
    expect(panel.log).to_contain_text("by a list comprehension")

    panel.say("slow rate=20")
    expect(panel.log).to_contain_text("slow rate=20")
    expect(panel.stop).to_be_visible()
    with AsUser(server) as user:
        turn_id = user.newest_turn(user.session_of(nb.path))
        eventually(lambda: user.turn(turn_id)["turn"]["status"] == "running")
        panel.stop.click()
        detail = user.ended(turn_id)
    assert detail["turn"]["stop_reason"] == "cancelled"
    expect(panel.stop).to_have_count(0)
    expect(panel.log).to_contain_text("Stopped")

    before = workspace.clean_py
    panel.say("edit clean.py rate=0")
    expect(panel.permission).to_be_visible()
    panel.answer("Reject")
    expect(panel.log).to_contain_text("was rejected. Nothing was changed.")
    assert workspace.clean_py == before
    # The panel's turns belong to no cell.
    assert len(nb.outputs(1)) == 1


@pytest.mark.long
def test_what_an_action_led_to_is_told_over_the_message_box(
    lab: LabPage, workspace: Workspace
) -> None:
    """No notification covers the box; there is one only while the panel is hidden."""
    lab.open(workspace.notebook("rows = 1"))
    panel = lab.panel
    panel.choose_agent("demo")
    panel.say("help")
    expect(panel.log).to_contain_text("This is the demo agent.")
    expect(panel.stop).to_have_count(0)
    told = panel.root.get_by_role("status").filter(has_text="The agent was ended.")
    lab.command("acp-jupyter:restart-agent")
    expect(told).to_be_visible()
    expect(lab.notices).to_have_count(0)
    panel.say("help")
    expect(told).to_have_count(0)
    expect(panel.log.get_by_text("This is the demo agent.")).to_have_count(2)
    expect(panel.stop).to_have_count(0)

    lab.command("acp-jupyter:toggle-panel")
    expect(panel.root).to_be_hidden()
    lab.command("acp-jupyter:restart-agent")
    expect(lab.notices).to_contain_text("The agent was ended.")


def test_the_policy_is_seen_and_chosen_beside_the_agent(lab: LabPage, workspace: Workspace) -> None:
    """Before the first message, and of a session that goes on."""
    lab.open(workspace.notebook("rows = 1"))
    panel = lab.panel
    policy = panel.root.get_by_role("combobox", name="Policy", exact=True)
    panel.choose_agent("demo")
    policy.click()
    panel.root.get_by_role("option", name=re.compile("^Accept edits")).click()
    panel.say("edit clean.py rate=0")
    expect(panel.log).to_contain_text("by a list comprehension")
    eventually(lambda: workspace.clean_py != CLEAN_PY, what="the edit is on disk")
    expect(policy).to_have_text("Accept edits")
    # Nobody was asked about the edit, so it is seen now.
    diff = panel.log.get_by_role("region", name="Diff of clean.py")
    expect(diff.locator("ins").first).to_be_visible()

    policy.click()
    expect(panel.root.get_by_role("option", name=re.compile("^Deny"))).to_contain_text(
        "Every request is rejected, unless a rule of the prompt allows it."
    )
    panel.root.get_by_role("option", name=re.compile("^Ask")).click()
    expect(policy).to_have_text("Ask")
    panel.say("edit clean.py rate=0")
    expect(panel.permission).to_be_visible()
    panel.answer("Reject")


def test_cell_and_panel_never_part_without_a_word(lab: LabPage, workspace: Workspace) -> None:
    """The panel says which session prompts in cells go to; a turn which one of several it is in."""
    nb = lab.open(workspace.notebook("%%acp demo\nhelp me", "%%acp demo\nhelp again"))
    nb.wait_for_kernel()
    nb.run_to_end(0)
    panel = lab.panel
    expect(panel.log).to_contain_text("help me")
    elsewhere = panel.root.get_by_text(re.compile("go to another Demo session"))
    expect(elsewhere).to_have_count(0)
    panel.button("New session").click()
    panel.root.get_by_role("menuitem", name="Demo").click()
    panel.say("what is here?")
    expect(panel.log).to_contain_text("what is here?")
    expect(panel.stop).to_have_count(0)
    expect(elsewhere).to_have_count(0)

    panel.show_list()
    panel.listed("^help me").click()
    expect(elsewhere).to_have_text(
        "New prompts in cells of nb.ipynb go to another Demo session: “what is here?”."
    )
    nb.run_to_end(1)
    expect(nb.turn(1).root.locator(".acp-head")).to_contain_text("in “what is here?”")
    panel.button("Open it").click()
    expect(panel.log).to_contain_text("help again")
    expect(elsewhere).to_have_count(0)


@pytest.mark.long
def test_a_session_of_the_panel_alone(lab: LabPage, workspace: Workspace) -> None:
    """A person without any notebook chooses an agent and talks to it."""
    lab.open_empty(workspace.name)
    panel = lab.panel
    panel.choose_agent("hello")
    panel.say("Good morning")
    expect(panel.log).to_contain_text("Hello from the fake agent.")
    expect(panel.log).to_contain_text("You said: Good morning")
