"""Each part of the view by keys alone: reached, used, and the focus is never lost."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.support.hands import Hands
from tests.support.lab import LabPage
from tests.support.roles import PanelView, TurnView
from tests.support.scenes import cleaning
from tests.support.scenes.stage import Stage
from tests.support.scenes.steps import put_scene
from tests.support.terminal_steps import ask, call, create, steps, update


@pytest.mark.long
def test_the_panel_by_keys(lab: LabPage) -> None:
    """Composer, queue, transcript, attachments, code, pickers, usage, sessions, traffic."""
    stage = Stage(lab, "panel-keys")
    stage.open()
    hands = Hands(lab.page)
    put_scene(stage.folder, cleaning.STREAMING)
    hands.press("Alt+Shift+A")
    panel = PanelView(lab.page.locator("#acp-jupyter-panel"))
    expect(panel.message).to_be_focused()
    hands.use(panel.agent, "ArrowDown")
    hands.write("player")
    hands.press("Enter")
    expect(panel.agent).to_contain_text("Player")
    hands.tab_to(panel.message, back=True)
    hands.write(cleaning.PROMPT)
    hands.press("Enter")
    expect(panel.log).to_contain_text("The time goes into one place")
    expect(panel.message).to_be_focused()
    queue(hands, panel)
    transcript(hands, panel)

    hands.tab_to(panel.message)
    hands.press("Escape", "Escape")
    expect(panel.log).to_contain_text("Stopped")
    expect(panel.message).to_be_focused()

    put_scene(stage.folder, cleaning.FINISHED)
    hands.write("Once more")
    hands.press("Enter")
    expect(panel.log).to_contain_text("To check it yourself")
    attachments(hands, panel)
    answer_and_pickers(hands, panel)
    sessions(hands, panel)
    traffic(hands, panel)


@pytest.mark.long
def test_a_cell_by_keys(lab: LabPage) -> None:
    """Questions, a diff, changes, Review, and a command that is stopped."""
    stage = Stage(lab, "cell-keys")
    script = steps(create("sleep 600"), call(), ask("wait_for_exit"), update(status="failed"))
    nb = stage.open(
        f"%%acp plays\n{cleaning.PROMPT}", f"%%acp terminal_script --policy allow-all\n{script}"
    )
    hands = Hands(lab.page)
    turn = stage.play(nb, 1, cleaning.PERMISSIONS)
    expect(turn.permission).to_have_count(2)
    for left in (1, 0):
        hands.press("Alt+Shift+Y")
        hands.expect_inside(turn.permission.last)
        expect(turn.permission.last.get_by_role("button", name="Reject")).to_be_enabled()
        hands.press("1") if left else hands.use(turn.option("Reject"))
        expect(turn.permission).to_have_count(left)
    # Back to the cell that was active.
    hands.expect_inside(nb.cell(1))
    nb.wait_for_end(1)
    changes_and_review(hands, turn)

    turn = nb.run(2)
    stop = turn.root.get_by_role("button", name="Stop this command")
    expect(stop).to_be_visible()
    turn.root.get_by_role("button", name="Build").focus()
    hands.use(stop)
    nb.wait_for_end(2)
    expect(turn.root).to_contain_text("Stopped by you")
    hands.expect_inside(turn.root)


def queue(hands: Hands, panel: PanelView) -> None:
    root = panel.root
    hands.write("Then the changelog")
    hands.press("Enter")
    waiting = root.get_by_role("list", name="Queue")
    edit = waiting.get_by_role("button", name="Edit queued message")
    hands.use(edit, back=True)
    expect(waiting.get_by_role("textbox")).to_be_focused()
    hands.write(" and the README")
    hands.press("Enter")
    expect(waiting).to_contain_text("changelog and the README")
    expect(edit).to_be_focused()
    hands.use(waiting.get_by_role("button", name="Remove queued message"))
    expect(waiting).to_have_count(0)
    hands.expect_inside(root)


def transcript(hands: Hands, panel: PanelView) -> None:
    """Up and down; right opens, left closes and goes to the parent."""
    root = panel.root
    hands.tab_to(panel.log, back=True)
    hands.press("Home", "ArrowDown")
    plan = root.get_by_role("button", name=re.compile("^Plan 2.5"))
    expect(plan).to_be_focused()
    hands.press("Enter")
    expect(panel.plan.get_by_role("listitem")).to_have_count(5)
    # What was saved before the prompt is told in a line of its own.
    hands.press("ArrowDown", "ArrowDown")
    thought = root.get_by_role("button", name=re.compile("^Thought"))
    expect(thought).to_be_focused()
    hands.press("ArrowRight")
    expect(panel.log).to_contain_text("Only the two text columns")
    hands.press("ArrowLeft", "ArrowDown", "ArrowRight")
    group = root.get_by_role("button", name=re.compile("^Read 2 files, 1 search"))
    expect(group).to_have_attribute("aria-expanded", "true")
    hands.press("ArrowDown", "ArrowRight")
    expect(panel.log).to_contain_text("Clean the raw table")
    hands.press("ArrowLeft", "ArrowLeft")
    expect(group).to_be_focused()
    hands.press("End")
    hands.expect_inside(panel.log)


def attachments(hands: Hands, panel: PanelView) -> None:
    """One stop of Tab; what is removed gives the focus to the next, the last to the text."""
    root = panel.root
    for name in ("src/clean.py", "tests/test_clean.py"):
        hands.write(f"@{name}")
        expect(root.get_by_role("listbox", name="Context")).to_contain_text(name)
        hands.press("Enter")
    chips = root.get_by_role("list", name="Attachments").get_by_role("button", name="Remove")
    expect(chips).to_have_count(2)
    hands.tab_to(chips.first, back=True)
    hands.press("ArrowRight")
    expect(chips.last).to_be_focused()
    hands.press("ArrowLeft", "Delete")
    expect(chips).to_have_count(1)
    expect(chips).to_be_focused()
    expect(chips).to_have_accessible_name(re.compile("test_clean.py$"))
    hands.press("Backspace")
    expect(chips).to_have_count(0)
    expect(panel.message).to_be_focused()
    hands.press("Control+a", "Backspace")


def answer_and_pickers(hands: Hands, panel: PanelView) -> None:
    root = panel.root
    copy = panel.log.get_by_role("button", name="Copy", exact=True)
    hands.use(copy, back=True)
    expect(copy).to_be_focused()
    mode = root.get_by_role("combobox", name="Mode", exact=True)
    hands.use(mode, "ArrowDown", "ArrowDown", "Enter")
    expect(mode).to_contain_text("Accept edits")
    expect(mode).to_be_focused()
    model = root.get_by_role("combobox", name="Model", exact=True)
    hands.use(model, "ArrowDown", "End", "Enter")
    expect(model).to_contain_text("Haiku")
    expect(model).to_be_focused()
    ring = root.get_by_role("button", name=re.compile("^Context used"))
    hands.use(ring)
    expect(root).to_contain_text("148,000 tokens")
    hands.press("Escape")
    expect(ring).to_be_focused()


def changes_and_review(hands: Hands, turn: TurnView) -> None:
    changes = turn.root.get_by_role("group", name="Changes")
    row = changes.get_by_role("button", name=re.compile("^src. ?clean"))
    hands.use(row)
    fold = changes.get_by_role("button", name=re.compile("unchanged line")).first
    hands.use(fold)
    hands.expect_inside(changes)
    undo = changes.get_by_role("button", name="Undo for src/clean.py")
    keep = changes.get_by_role("button", name="Keep src/clean.py")
    hands.use(keep, back=True)
    expect(undo).to_be_focused()
    hands.press("Enter")
    expect(keep).to_be_focused()
    hands.use(changes.get_by_role("button", name="Revert src/clean.py"))
    expect(undo).to_be_focused()
    hands.press("Enter")
    expect(keep).to_be_focused()
    hands.use(changes.get_by_role("button", name="Review"), back=True)
    review = turn.root.page.locator(".acp-Review")
    expect(review.locator("[data-decide]").first).to_be_visible()
    hands.press("j")
    expect(review.locator("[data-decide]").first).to_be_focused()


def sessions(hands: Hands, panel: PanelView) -> None:
    root = panel.root
    hands.use(panel.button("Sessions"), back=True)
    expect(root.get_by_role("searchbox")).to_be_focused()
    more = root.get_by_role("button", name=re.compile("^More for Make clean"))
    hands.use(more)
    expect(root.get_by_role("menuitem", name="Rename")).to_be_focused()
    hands.press("Enter")
    title = root.get_by_role("textbox", name="Title")
    expect(title).to_be_focused()
    hands.press("Control+a")
    hands.write("Faster")
    hands.press("Enter")
    expect(panel.listed("^Faster")).to_be_visible()
    hands.expect_inside(root)
    hands.use(root.get_by_role("button", name="More for Faster"))
    expect(root.get_by_role("menuitem", name="Rename")).to_be_focused()
    hands.press("ArrowUp", "Enter")
    expect(root.get_by_role("button", name="Undo deleting Faster")).to_be_focused()
    hands.press("Enter")
    expect(panel.listed("^Faster")).to_be_visible()
    hands.expect_inside(root)
    hands.press("Escape")
    expect(panel.message).to_be_focused()


def traffic(hands: Hands, panel: PanelView) -> None:
    root = panel.root
    hands.use(panel.button("More"), back=True)
    expect(root.get_by_role("menuitem", name="Permission rules")).to_be_focused()
    hands.press("ArrowDown", "Enter")
    page = root.page
    lines = page.get_by_role("tree", name="Lines")
    expect(lines).to_be_focused()
    expect(lines.get_by_role("treeitem").first).to_be_visible()
    hands.press("ArrowUp")
    line = page.get_by_role("region", name=re.compile(r"^Lines? [\d–]+$"))
    expect(line).to_be_visible()
    hands.press("Escape")
    expect(line).to_have_count(0)
