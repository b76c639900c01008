"""A question of the agent in a cell, the queue and the commands in the panel."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace

LOAD = "%load_ext acp_jupyter"


def test_a_question_is_answered_in_the_cell_and_kept(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(workspace.notebook(LOAD, "%%acp demo\nask me rate=0"))
    nb.load_extension()
    cell = nb.run(1)
    question = cell.root.get_by_role("group", name="Question from Demo")
    expect(question).to_be_visible()
    expect(question.get_by_role("radio", name="Teal")).to_be_checked()
    question.get_by_role("button", name="Submit").click()
    expect(question).to_contain_text("Needs an answer.")
    # Keys that mean something to a notebook mean an answer here.
    question.get_by_role("radio", name="Red", exact=True).focus()
    for key in ("d", "d", "x"):
        question.get_by_role("radio", name="Red", exact=True).press(key)
    question.get_by_role("radio", name="Red", exact=True).check()
    question.get_by_role("textbox", name="Points").fill("900")
    question.get_by_role("button", name="Submit").click()
    expect(question).to_contain_text("Must be at most 500.")
    question.get_by_role("textbox", name="Points").fill("12")
    question.get_by_role("button", name="Submit").click()
    nb.wait_for_end(1)
    expect(cell.root).to_contain_text("You answered colour")
    answered = cell.root.get_by_role("group", name="Question from Demo")
    expect(answered).to_contain_text("Red")
    expect(answered.get_by_role("button")).to_have_count(0)


@pytest.mark.long
def test_the_queue_and_the_commands_in_the_panel(lab: LabPage, workspace: Workspace) -> None:
    lab.open_empty(workspace.name)
    panel = lab.panel
    panel.choose_agent("demo")
    panel.say("slow rate=20")
    expect(panel.stop).to_be_visible()
    panel.say("plan rate=0")
    panel.say("help me")
    queue = panel.root.get_by_role("list", name="Queue")
    expect(queue.get_by_role("listitem")).to_have_count(2)
    queue.get_by_role("button", name="Edit queued message").nth(1).click()
    queue.get_by_role("textbox", name="Queued message").fill("help them")
    queue.get_by_role("textbox", name="Queued message").press("Enter")
    expect(queue).to_contain_text("help them")
    queue.get_by_role("button", name="Stop and send now").nth(1).click()
    expect(panel.log).to_contain_text("This is the demo agent.")
    expect(panel.log).to_contain_text("The plan is ticked off.")
    expect(queue).to_have_count(0)

    box = panel.root.get_by_role("textbox", name="Message")
    box.fill("/pla")
    commands = panel.root.get_by_role("listbox", name="Commands")
    expect(commands.get_by_role("option")).to_have_count(1)
    box.press("Tab")
    expect(box).to_have_value("/plan ")
    expect(commands).to_have_count(0)


@pytest.mark.long
def test_a_sentence_goes_into_the_turn_that_runs(lab: LabPage, workspace: Workspace) -> None:
    lab.open_empty(workspace.name)
    panel = lab.panel
    panel.choose_agent("steers")
    panel.say("slow")
    expect(panel.log).to_contain_text("begins slow")
    panel.say("Not that one")
    queue = panel.root.get_by_role("list", name="Queue")
    expect(queue.get_by_role("button", name="Stop and send now")).to_have_count(0)
    queue.get_by_role("button", name="Steer: say it in the running turn").click()
    expect(queue).to_have_count(0)
    expect(panel.log).to_contain_text("heard Not that one")
    said = panel.log.get_by_role("note", name="Said while the turn ran")
    expect(said).to_have_text("Not that one")
    # It is one turn, and the sentence stands in it.
    expect(panel.log.locator(".acp-turn")).to_have_count(1)
    words = panel.log.inner_text()
    assert words.index("begins slow") < words.index("Not that one") < words.index("heard Not")
