"""Each part of the view by keys alone: reached, used, and the focus is never lost."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.support.agents.terminal_steps import ask, call, create, steps, update
from tests.support.browser.keyboard import Keyboard
from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView, TurnView
from tests.support.scenes import cleaning
from tests.support.scenes.stage import Stage
from tests.support.scenes.steps import put_scene


@pytest.mark.long
def test_the_panel_by_keys(lab: LabPage) -> None:
    """Composer, queue, transcript, attachments, code, pickers, usage, sessions, traffic."""
    stage = Stage(lab, "panel-keys")
    stage.open()
    keyboard = Keyboard(lab.page)
    put_scene(stage.folder, cleaning.STREAMING)
    keyboard.press("Alt+Shift+A")
    panel = PanelView(lab.page.locator("#acp-jupyter-panel"))
    expect(panel.message).to_be_focused()
    keyboard.use(panel.agent, "ArrowDown")
    keyboard.write("player")
    keyboard.press("Enter")
    expect(panel.agent).to_contain_text("Player")
    keyboard.tab_to(panel.message, back=True)
    keyboard.write(cleaning.PROMPT)
    keyboard.press("Enter")
    expect(panel.log).to_contain_text("The time goes into one place")
    expect(panel.message).to_be_focused()
    queue(keyboard, panel)
    transcript(keyboard, panel)

    keyboard.tab_to(panel.message)
    keyboard.press("Escape", "Escape")
    expect(panel.log).to_contain_text("Stopped")
    expect(panel.message).to_be_focused()

    put_scene(stage.folder, cleaning.FINISHED)
    keyboard.write("Once more")
    keyboard.press("Enter")
    expect(panel.log).to_contain_text("To check it yourself")
    attachments(keyboard, panel)
    answer_and_pickers(keyboard, panel)
    sessions(keyboard, panel)
    traffic(keyboard, panel)


@pytest.mark.long
def test_a_cell_by_keys(lab: LabPage) -> None:
    """Questions, a diff, changes, Review, and a command that is stopped."""
    stage = Stage(lab, "cell-keys")
    script = steps(create("sleep 600"), call(), ask("wait_for_exit"), update(status="failed"))
    nb = stage.open(
        f"%%acp plays\n{cleaning.PROMPT}", f"%%acp terminal_script --policy allow-all\n{script}"
    )
    keyboard = Keyboard(lab.page)
    turn = stage.play(nb, 1, cleaning.PERMISSIONS)
    expect(turn.permission).to_have_count(2)
    for left in (1, 0):
        keyboard.press("Alt+Shift+Y")
        keyboard.expect_inside(turn.permission.last)
        expect(turn.permission.last.get_by_role("button", name="Reject")).to_be_enabled()
        if left:
            # The file holds another text than the agent says, so all is to be seen first.
            keyboard.use(turn.permission.last.get_by_role("button", name="Show all of it"))
            # Its buttons are below the window now: the first key only brings them into view.
            keyboard.press("1")
            expect(turn.permission.last.get_by_role("button", name="Reject")).to_be_enabled()
            expect(turn.permission).to_have_count(2)
            keyboard.press("1")
        else:
            keyboard.use(turn.option("Reject"))
        expect(turn.permission).to_have_count(left)
    # Back to the cell that was active.
    keyboard.expect_inside(nb.cell(1))
    nb.wait_for_end(1)
    changes_and_review(keyboard, turn)

    turn = nb.run(2)
    stop = turn.root.get_by_role("button", name="Stop this command")
    expect(stop).to_be_visible()
    turn.root.get_by_role("button", name="Build").focus()
    keyboard.use(stop)
    nb.wait_for_end(2)
    expect(turn.root).to_contain_text("Stopped by you")
    keyboard.expect_inside(turn.root)


def queue(keyboard: Keyboard, panel: PanelView) -> None:
    root = panel.root
    keyboard.write("Then the changelog")
    keyboard.press("Enter")
    waiting = root.get_by_role("list", name="Queue")
    edit = waiting.get_by_role("button", name="Edit queued message")
    keyboard.use(edit, back=True)
    expect(waiting.get_by_role("textbox")).to_be_focused()
    keyboard.write(" and the README")
    keyboard.press("Enter")
    expect(waiting).to_contain_text("changelog and the README")
    expect(edit).to_be_focused()
    keyboard.use(waiting.get_by_role("button", name="Remove queued message"))
    expect(waiting).to_have_count(0)
    keyboard.expect_inside(root)


def transcript(keyboard: Keyboard, panel: PanelView) -> None:
    """Up and down; right opens, left closes and goes to the parent."""
    root = panel.root
    keyboard.tab_to(panel.log, back=True)
    keyboard.press("Home", "ArrowDown")
    plan = root.get_by_role("button", name=re.compile("^Plan 2.5"))
    expect(plan).to_be_focused()
    keyboard.press("Enter")
    expect(panel.plan.get_by_role("listitem")).to_have_count(5)
    # What was saved before the prompt is told in a line of its own.
    keyboard.press("ArrowDown", "ArrowDown")
    thought = root.get_by_role("button", name=re.compile("^Thought"))
    expect(thought).to_be_focused()
    keyboard.press("ArrowRight")
    expect(panel.log).to_contain_text("Only the two text columns")
    keyboard.press("ArrowLeft", "ArrowDown", "ArrowRight")
    group = root.get_by_role("button", name=re.compile("^Read 2 files, 1 search"))
    expect(group).to_have_attribute("aria-expanded", "true")
    keyboard.press("ArrowDown", "ArrowRight")
    expect(panel.log).to_contain_text("Clean the raw table")
    keyboard.press("ArrowLeft", "ArrowLeft")
    expect(group).to_be_focused()
    keyboard.press("End")
    keyboard.expect_inside(panel.log)


def attachments(keyboard: Keyboard, panel: PanelView) -> None:
    """One stop of Tab; what is removed gives the focus to the next, the last to the text."""
    root = panel.root
    for name in ("src/clean.py", "tests/test_clean.py"):
        keyboard.write(f"@{name}")
        expect(root.get_by_role("listbox", name="Context")).to_contain_text(name)
        keyboard.press("Enter")
    chips = root.get_by_role("list", name="Attachments").get_by_role("button", name="Remove")
    expect(chips).to_have_count(2)
    keyboard.tab_to(chips.first, back=True)
    keyboard.press("ArrowRight")
    expect(chips.last).to_be_focused()
    keyboard.press("ArrowLeft", "Delete")
    expect(chips).to_have_count(1)
    expect(chips).to_be_focused()
    expect(chips).to_have_accessible_name(re.compile("test_clean.py$"))
    keyboard.press("Backspace")
    expect(chips).to_have_count(0)
    expect(panel.message).to_be_focused()
    keyboard.press("Control+a", "Backspace")


def answer_and_pickers(keyboard: Keyboard, panel: PanelView) -> None:
    root = panel.root
    copy = panel.log.get_by_role("button", name="Copy", exact=True)
    keyboard.use(copy, back=True)
    expect(copy).to_be_focused()
    mode = root.get_by_role("combobox", name="Mode", exact=True)
    keyboard.use(mode, "ArrowDown", "ArrowDown", "Enter")
    expect(mode).to_contain_text("Accept edits")
    expect(mode).to_be_focused()
    model = root.get_by_role("combobox", name="Model", exact=True)
    keyboard.use(model, "ArrowDown", "End", "Enter")
    expect(model).to_contain_text("Haiku")
    expect(model).to_be_focused()
    ring = root.get_by_role("button", name=re.compile("^Context used"))
    keyboard.use(ring)
    expect(root).to_contain_text("148,000 tokens")
    keyboard.press("Escape")
    expect(ring).to_be_focused()


def changes_and_review(keyboard: Keyboard, turn: TurnView) -> None:
    changes = turn.root.get_by_role("group", name="Changes")
    row = changes.get_by_role("button", name=re.compile("^src. ?clean"))
    keyboard.use(row)
    fold = changes.get_by_role("button", name=re.compile("unchanged line")).first
    keyboard.use(fold)
    keyboard.expect_inside(changes)
    undo = changes.get_by_role("button", name="Undo for src/clean.py")
    keep = changes.get_by_role("button", name="Keep src/clean.py")
    keyboard.use(keep, back=True)
    expect(undo).to_be_focused()
    keyboard.press("Enter")
    expect(keep).to_be_focused()
    keyboard.use(changes.get_by_role("button", name="Revert src/clean.py"))
    expect(undo).to_be_focused()
    keyboard.press("Enter")
    expect(keep).to_be_focused()
    keyboard.use(changes.get_by_role("button", name="Review"), back=True)
    review = turn.root.page.locator(".acp-Review")
    expect(review.locator("[data-decide]").first).to_be_visible()
    keyboard.press("j")
    expect(review.locator("[data-decide]").first).to_be_focused()


def sessions(keyboard: Keyboard, panel: PanelView) -> None:
    root = panel.root
    keyboard.use(panel.button("Sessions"), back=True)
    expect(root.get_by_role("searchbox")).to_be_focused()
    more = root.get_by_role("button", name=re.compile("^More for Make clean"))
    keyboard.use(more)
    expect(root.get_by_role("menuitem", name="Rename")).to_be_focused()
    keyboard.press("Enter")
    title = root.get_by_role("textbox", name="Title")
    expect(title).to_be_focused()
    keyboard.press("Control+a")
    keyboard.write("Faster")
    keyboard.press("Enter")
    expect(panel.listed("^Faster")).to_be_visible()
    keyboard.expect_inside(root)
    keyboard.use(root.get_by_role("button", name="More for Faster"))
    expect(root.get_by_role("menuitem", name="Rename")).to_be_focused()
    keyboard.press("ArrowUp", "Enter")
    expect(root.get_by_role("button", name="Undo deleting Faster")).to_be_focused()
    keyboard.press("Enter")
    expect(panel.listed("^Faster")).to_be_visible()
    keyboard.expect_inside(root)
    keyboard.press("Escape")
    expect(panel.message).to_be_focused()


def traffic(keyboard: Keyboard, panel: PanelView) -> None:
    root = panel.root
    keyboard.use(panel.button("More"), back=True)
    expect(root.get_by_role("menuitem", name="Permission rules")).to_be_focused()
    keyboard.press("ArrowDown", "Enter")
    page = root.page
    lines = page.get_by_role("tree", name="Lines")
    expect(lines).to_be_focused()
    expect(lines.get_by_role("treeitem").first).to_be_visible()
    keyboard.press("ArrowUp")
    line = page.get_by_role("region", name=re.compile(r"^Lines? [\d–]+$"))
    expect(line).to_be_visible()
    keyboard.press("Escape")
    expect(line).to_have_count(0)
