"""Pictures of turns in both themes, for the eye.

They are written to ``test-results/pictures``; nothing sticks out of its view in any of them.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.support.scenes import cards, cleaning
from tests.support.scenes.camera import Camera

pytestmark = pytest.mark.long

CELL = "%%acp claude --session cleaning\n"


def test_turns_beside_the_panel(camera: Camera) -> None:
    lab, stage = camera.lab, camera.stage
    prompt = CELL + cleaning.PROMPT
    nb = camera.open(prompt, prompt)
    panel = lab.panel
    lab.widen_panel(120)

    turn = stage.play(nb, 1, cleaning.STREAMING)
    expect(turn.plan.get_by_role("listitem")).to_have_count(5)
    stage.go_on("streaming")
    expect(turn.log).to_contain_text("no change in the tests")
    expect(panel.log).to_contain_text("no change in the tests")
    camera.take("a-streaming")
    stage.go_on("end")
    nb.wait_for_end(1)

    turn = stage.play(nb, 2, cleaning.PERMISSIONS)
    expect(turn.permission).to_have_count(2)
    turn.permission.first.scroll_into_view_if_needed()
    expect(turn.button("1 more waiting").first).to_be_visible()
    panel.permission.first.focus()
    lab.page.keyboard.press("Tab")
    lab.page.keyboard.press("Tab")
    camera.take("b-permission")
    panel.permission.first.get_by_role("button").first.press("1")
    expect(panel.permission).to_have_count(1)
    panel.permission.scroll_into_view_if_needed()
    camera.take("b-edit")
    panel.answer("Reject")
    nb.wait_for_end(2)
    camera.take("b-answered")


def test_a_finished_turn_and_its_review(camera: Camera) -> None:
    lab, stage = camera.lab, camera.stage
    nb = camera.open(CELL + cleaning.PROMPT)
    turn = stage.play(nb, 1, cleaning.FINISHED)
    nb.wait_for_end(1)
    changes = turn.root.get_by_role("group", name="Changes")
    expect(changes.get_by_role("listitem")).to_have_count(3)
    expect(turn.root.get_by_role("button", name=re.compile(r"^\d+ steps")).first).to_be_visible()
    changes.get_by_role("button", name=re.compile("^Keep tests")).click()
    nb.cell(1).scroll_into_view_if_needed()
    camera.take("c-finished")
    turn.root.get_by_role("button", name=re.compile(r"^\d+ steps")).first.click()
    nb.cell(1).scroll_into_view_if_needed()
    camera.take("c-log")

    changes.get_by_role("button", name="Review").click()
    review = lab.page.locator(".acp-Review")
    expect(review.get_by_role("article")).to_have_count(3)
    expect(review.locator("[data-decide]").first).to_be_visible()
    for key in ("j", "y", "j"):
        lab.page.keyboard.press(key)
    camera.take("g-review")
    lab.page.keyboard.press("s")
    camera.take("g-split")


def test_cards_and_what_is_long(camera: Camera) -> None:
    lab, stage = camera.lab, camera.stage
    nb = camera.open(CELL + "Show each kind of tool", CELL + "Convert the old exports")
    turn = stage.play(nb, 1, cards.CARDS)
    expect(turn.log).to_contain_text("Train for three epochs")
    closed = turn.log.locator("[aria-expanded=false]")
    while closed.count() > 0:
        closed.first.click()
    lab.page.set_viewport_size({"width": 1280, "height": 3200})
    camera.take("d-cards", nb.cell(1))
    lab.page.set_viewport_size({"width": 1280, "height": 860})
    stage.go_on("cards")
    nb.wait_for_end(1)

    panel = lab.panel
    turn = stage.play(nb, 2, cards.LONG)
    expect(turn.permission).to_be_visible()
    lab.widen_panel(280)
    turn.permission.scroll_into_view_if_needed()
    camera.take("h-long")
    turn.answer("Allow once")
    nb.wait_for_end(2)
    stage.say(panel, "Explain why the quarterly numbers differ", cards.OUTPUT)
    expect(panel.log).to_contain_text("These are all rows.")
    panel.log.get_by_role("button", name=re.compile("^Running command List")).click()
    expect(panel.log).to_contain_text("row 2000")
    stage.say(panel, "لماذا تفشل الخلية السابعة؟", cards.ARABIC)
    expect(panel.log).to_contain_text("السبب")
    camera.take("h-panel", panel.root)
