"""A new user's way through every part of the view, with three agents: the script of docs/tour.md.

With ``ACP_SCREENSHOTS=1`` it takes that page's pictures.
"""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from playwright.sync_api import Error, Locator, expect

from tests.support.browser.roles import PanelView, TurnView
from tests.support.browser.tour import EDIT, REPORT_PY, Tour
from tests.support.wait import eventually


@pytest.mark.long
def test_a_new_user_sees_every_part(tour: Tour) -> None:
    an_edit_in_a_cell(tour)
    text_in_a_cell(tour)
    context_permission_and_queue_in_the_panel(tour)
    a_turn_is_stopped(tour)
    what_the_agent_lets_choose_and_how_much_it_used(tour)
    one_change_of_two_is_taken_back(tour)
    sessions_are_named_and_opened_again(tour)
    assert len(tour.album.taken) == len(set(tour.album.taken)) == 6


def an_edit_in_a_cell(tour: Tour) -> None:
    """Trust, thought, plan, read, diff; allowed by key; what has changed."""
    agent = tour.agent
    turn = tour.notebook.run(1)
    trust = turn.root.get_by_role("group", name="Folder trust")
    if agent.published:
        expect(trust).to_contain_text("hooks, MCP servers")
        trust.get_by_role("button", name="Trust this folder").click()
    expect(turn.permission).to_be_visible()
    expect(trust.get_by_role("button")).to_have_count(0)
    steps = turn.root.get_by_role("list", name=agent.plan, exact=True)
    expect(steps).to_contain_text("Read report.py")
    other = {"Plan": "Todos", "Todos": "Plan"}[agent.plan]
    expect(turn.root.get_by_role("list", name=other, exact=True)).to_have_count(0)
    expect(turn.root).to_contain_text(re.compile("Thought|Thinking"))
    expect(turn.tool(re.compile("Read.*report.py"))).to_have_count(1)
    expect(turn.permission).to_contain_text(f"{agent.name} wants to edit a file")
    expect(turn.permission).to_contain_text("kept = [row.strip() for row in rows]")
    assert tour.report == REPORT_PY
    tour.album.take("asks", turn.root.locator(".acp"))
    for _ in range(agent.questions):
        allow_by_key(turn)
    tour.notebook.wait_for_end(1)
    assert tour.report.count(".append(") == 0
    card = turn.root.get_by_role("group", name="Changes")
    expect(card).to_contain_text("1 file changed")
    expect(turn.permission).to_have_count(0)
    expect(turn.text("list comprehensions").first).to_be_visible()
    # What is in view is not folded.
    expect(turn.root.locator(".acp-worklog")).to_have_count(0)
    card.get_by_role("button", name=re.compile(r"^report\.py")).click()
    expect(card.locator("ins").first).to_be_visible()
    tour.album.take("done", turn.root.locator(".acp"))


def allow_by_key(turn: TurnView) -> None:
    """Press the key of the option that allows once; too early it does nothing."""
    expect(turn.permission).to_be_visible()
    request = turn.permission.get_attribute("data-request")
    card = turn.root.locator(f'[data-request="{request}"]')
    key = card.locator("[data-option-kind=allow_once]").get_attribute("data-option")
    assert key is not None

    def answered() -> bool:
        with suppress(Error):  # it may be gone
            card.press(key, timeout=500)
        return card.count() == 0

    eventually(answered, what="the question is answered by key")


def text_in_a_cell(tour: Tour) -> None:
    """A formula, a table, code in colours, a diagram."""
    turn = tour.notebook.run(2)
    tour.notebook.wait_for_end(2)
    text = turn.root.locator(".acp-prose")
    expect(text.locator("table td").first).to_be_visible()
    expect(text.locator(".acp-formula mjx-container")).to_have_count(3)
    expect(text.locator(".acp-code code .k").first).to_have_text("def")
    expect(text.get_by_role("img", name="Diagram")).to_be_visible()
    expect(turn.root.get_by_role("group", name="Changes")).to_have_count(0)
    tour.album.take("text", turn.root.locator(".acp"))


def context_permission_and_queue_in_the_panel(tour: Tour) -> None:
    """A file goes along, a command is allowed by a click, and what was sent meanwhile follows."""
    panel = tour.panel
    tour.lab.widen_panel(160)
    expect(panel.log).to_contain_text(EDIT)
    panel.message.press_sequentially("Run @report")
    files = panel.root.get_by_role("listbox", name="Context").get_by_role("group", name="Files")
    files.get_by_role("option", name="report.py").click()
    panel.message.press_sequentially("once more")
    chips = panel.root.get_by_role("list", name="Attachments").get_by_role("listitem")
    expect(chips).to_have_text(["report.py"])
    panel.message.press("Enter")
    expect(panel.permission).to_be_visible()
    expect(panel.permission).to_contain_text(f"{tour.agent.name} wants to run a command")
    panel.say("Thank you")
    queue = panel.root.get_by_role("list", name="Queue").get_by_role("listitem")
    expect(queue).to_have_count(1)
    tour.album.take("panel", panel.root)
    panel.permission.locator("[data-option-kind=allow_once]").click()
    expect(panel.permission).to_have_count(0)
    expect(panel.log).to_contain_text(tour.agent.thanked)
    expect(queue).to_have_count(0)
    expect(panel.stop).to_have_count(0)
    command = panel.root.locator(".acp-tool[data-kind=execute]").last
    command.locator(".acp-line").click()
    expect(command.locator(".acp-body")).to_contain_text(tour.agent.printed)
    expect(command.locator(".acp-body")).to_contain_text("Exit code 0")


def a_turn_is_stopped(tour: Tour) -> None:
    panel = tour.panel
    panel.say("Write a long report")
    expect(panel.log).to_contain_text("Part 1")
    panel.stop.click()
    expect(panel.stop).to_have_count(0)
    expect(panel.log.get_by_text("Stopped by you.").last).to_be_in_viewport()
    expect(panel.log).not_to_contain_text("That was all.")


def what_the_agent_lets_choose_and_how_much_it_used(tour: Tour) -> None:
    """All that it offers, beside agent and policy, and no picker beyond that."""
    panel = tour.panel
    pickers = panel.root.locator(".acp-tools").get_by_role("combobox")
    expect(pickers).to_have_count(2 + len(tour.agent.pickers))
    names = [picker.get_attribute("aria-label") for picker in pickers.all()]
    assert names == ["Agent", "Policy", *tour.agent.pickers]
    name, choice = tour.agent.choose
    picker = panel.root.get_by_role("combobox", name=name, exact=True)
    picker.click()
    options = panel.root.get_by_role("listbox", name=name)
    expect(options.get_by_role("option").first).to_be_visible()
    options.get_by_role("option", name=re.compile(f"^{choice}")).click()
    expect(picker).to_have_attribute("title", f"{name}: {choice}")
    panel.root.locator(".acp-ring").click()
    usage = panel.root.get_by_role("group", name="Usage")
    expect(usage).to_contain_text("Context used")
    panel.root.locator(".acp-ring").press("Escape")
    expect(usage).to_have_count(0)


def one_change_of_two_is_taken_back(tour: Tour) -> None:
    card = tour.notebook.turn(1).root.get_by_role("group", name="Changes")
    card.get_by_role("button", name="Review").click()
    review = tour.lab.page.locator(".acp-Review")
    changes = review.locator("[data-decide]")
    expect(changes).to_have_count(2)
    keys = tour.lab.page.keyboard
    keys.press("j")
    expect(changes.first).to_be_focused()
    keys.press("n")
    expect(changes.first).to_have_attribute("data-state", "reverted")
    assert "kept.append(row.strip())" in tour.report
    assert "found.append" not in tour.report
    tour.album.take("review", review)


def sessions_are_named_and_opened_again(tour: Tour) -> None:
    panel = tour.panel
    panel.show_list()
    # The session's title is whatever the agent has called it.
    more(panel).first.click()
    items = panel.root.get_by_role("menuitem")
    expect(items).to_have_text(list(tour.agent.menu))
    panel.root.get_by_role("menuitem", name="Rename").click()
    panel.root.get_by_role("textbox", name="Title").fill("The survey")
    panel.root.get_by_role("button", name="Rename").click()
    expect(panel.listed("^The survey")).to_have_count(1)

    panel.root.get_by_role("button", name="New session").click()
    panel.root.get_by_role("menuitem", name=tour.agent.agent_id).or_(
        panel.root.get_by_role("menuitem", name=tour.agent.name)
    ).first.click()
    panel.say("Thank you")
    expect(panel.log).to_contain_text(tour.agent.thanked)
    expect(panel.log).not_to_contain_text(EDIT)
    expect(panel.stop).to_have_count(0)
    panel.show_list()
    expect(panel.listed("survey.ipynb")).to_have_count(2)
    tour.album.take("sessions", panel.root)
    panel.listed("^The survey").click()
    expect(panel.root.get_by_role("heading", name="The survey")).to_be_visible()
    expect(panel.log).to_contain_text("Write a long report")


def more(panel: PanelView) -> Locator:
    return panel.root.get_by_role("button", name=re.compile("^More for "))
