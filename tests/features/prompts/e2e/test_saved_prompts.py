"""Saved prompts in the panel and in a cell: the list, the form, and what the agent gets."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.support.browser import pictures
from tests.support.browser.accessibility import expect_accessible
from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace

_REVIEW = """---
description: Review a file
arguments:
  file:
    description: Which file
  focus: errors
---
Review {{file}}. Look for {{focus}}.
"""


def test_a_saved_prompt_is_chosen_filled_in_and_sent(lab: LabPage, workspace: Workspace) -> None:
    prompts = workspace.folder / ".acp" / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "review.md").write_text(_REVIEW)
    (prompts / "broken.md").write_text("---\npolicy: yolo\n---\nText")
    nb = lab.open(workspace.notebook("%%acp takes --trust\nHi", "%%acp takes\n"))
    nb.load_extension()
    nb.run_to_end(0)
    panel = lab.panel
    panel.message.press_sequentially("/")
    commands = panel.root.get_by_role("listbox", name="Commands")
    expect(commands.get_by_role("option", name="/review")).to_contain_text("Review a file")
    expect(commands.get_by_role("option", name="/broken")).to_contain_text("policy must be one of")
    panel.message.press_sequentially("rev")
    panel.message.press("Enter")
    form = panel.root.get_by_role("form", name="Arguments of /review")
    expect(form.get_by_label("file")).to_be_focused()
    pictures.take_both("how-to/saved-prompts", panel.root, lab)
    expect_accessible(lab.page, ".acp-compose")
    lab.page.keyboard.type("clean.py")
    lab.page.keyboard.press("Tab")
    lab.page.keyboard.type("two words")
    lab.page.keyboard.press("Enter")
    expect(panel.message).to_be_focused()
    expect(panel.message).to_have_value('/review file=clean.py focus="two words" ')
    panel.message.press("Enter")
    expect(panel.root).to_contain_text("Review clean.py. Look for two words.")

    # In a cell the list shows it, too; the file is read again.
    (prompts / "review.md").write_text("Review everything.")
    editor = nb.cell(1).locator(".cm-content")
    editor.click()
    lab.page.keyboard.press("Control+End")
    lab.page.keyboard.type("/rev")
    lab.page.keyboard.press("Tab")
    offered = lab.page.locator(".jp-Completer")
    expect(offered).to_contain_text("saved prompt")
    lab.page.keyboard.press("Enter")
    expect(nb.cell(1).locator(".cm-line").nth(1)).to_have_text("/review ")
    nb.run_to_end(1)
    expect(nb.turn(1).root).to_contain_text("Review everything.")
