"""The composer: what `@` names, what is attached, and what the agent gets of it."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, expect

from tests.support.browser.composer import PNG, attachments, blocks_told, give, take
from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually


def test_at_names_what_the_agent_then_gets(lab: LabPage, workspace: Workspace) -> None:
    """A variable, a cell, an error and a file go along; their content is read when it is sent."""
    panel = _with_a_variable_and_an_error(lab, workspace)

    take(panel, "Look at @clean", "Variables", "cleaned")
    expect(panel.message).to_have_value("Look at @cleaned ")
    take(panel, " and @sal", "Variables", "sales")
    take(panel, " and @shop:orders_", "From packages", "shop:orders_2025")
    take(panel, " and @cell1", "Cells", "Cell 1: cleaned = list(range(3))")
    take(panel, " @Zero", "Errors", "Cell 2: ZeroDivisionError")
    take(panel, " @clean.p", "Files", "clean.py")
    chips = attachments(panel)
    expect(chips).to_have_count(6)
    panel.button("Remove Cell 1: cleaned = list(range(3))").click()
    expect(chips).to_have_count(5)
    expect(panel.message).to_be_focused()

    panel.message.press("Enter")
    expect(chips).to_have_count(0)
    text, variable, table, offered, error, file = blocks_told(lab.server, panel)
    assert text["text"].startswith("Look at @cleaned")
    assert variable["resource"]["text"] == "cleaned: list\nlength 3\n[0, 1, 2]"
    assert "| 0 | [masked] | 7.25 |" in table["resource"]["text"]
    assert offered["resource"]["text"].startswith("shop:orders_2025\nAs orders, closed on")
    assert "boom = 1 / 0" in error["resource"]["text"]
    assert "ZeroDivisionError: division by zero" in error["resource"]["text"]
    assert "\x1b" not in error["resource"]["text"]
    assert file["type"] == "resource_link"
    assert file["uri"] == (workspace.folder / "clean.py").as_uri()


@pytest.mark.long
def test_a_mention_is_found_by_its_name_and_deleted_whole(
    lab: LabPage, workspace: Workspace
) -> None:
    """A mention and its attachment are one thing, also when it is deleted by mistake."""
    panel = _with_a_variable_and_an_error(lab, workspace)
    panel.message.fill("@")
    offered = panel.root.get_by_role("listbox", name="Context")
    for group in ("Errors", "Variables", "Cells", "Files"):
        expect(offered.get_by_role("group", name=group)).to_be_visible()
    # "Cell" is no name of anything.
    panel.message.fill("@cl")
    expect(offered.get_by_role("option").first).to_contain_text("clean")
    expect(offered).not_to_contain_text("Cell 2")
    panel.message.fill("")

    take(panel, "Look at @clean", "Variables", "cleaned")
    take(panel, " @clean.p", "Files", "clean.py")
    chips = attachments(panel)
    expect(chips).to_have_count(2)
    panel.message.press("Backspace")
    expect(chips).to_have_count(2)
    panel.message.press("Backspace")
    expect(chips).to_have_count(1)
    expect(panel.message).to_have_value(re.compile(r"^Look at @cleaned\s+$"))
    panel.message.press("Control+z")
    expect(chips).to_have_count(2)


@pytest.mark.long
def test_an_open_file_goes_as_it_is_on_the_screen(lab: LabPage, workspace: Workspace) -> None:
    """Unsaved text is embedded; it is saved before the agent gets the message."""
    lab.open_empty(workspace.name)
    lab.command("docmanager:open", {"path": f"{workspace.name}/clean.py"})
    editor = lab.page.locator(".jp-FileEditor .cm-content")
    # An editor stands empty until its file has come, which takes what was typed before with it.
    expect(editor).to_contain_text("def clean(rows)")
    editor.click()
    lab.page.keyboard.press("Control+Home")
    lab.page.keyboard.type("# not saved\n")
    expect(editor).to_contain_text("# not saved")
    expect(lab.page.locator(".lm-TabBar-tab.jp-mod-dirty")).to_be_visible()
    panel = lab.panel
    panel.choose_agent("takes")
    take(panel, "@clean", "Open documents", re.compile("clean.py"))
    panel.message.press("Enter")
    _, document = blocks_told(lab.server, panel)
    assert document["resource"]["text"].startswith("# not saved\ndef clean(rows):")
    eventually(lambda: workspace.clean_py.startswith("# not saved"), what="saved for the agent")
    expect(panel.text("Saved before this prompt: clean.py.")).to_be_visible()


@pytest.mark.long
def test_images_and_texts_of_the_users_machine(lab: LabPage, workspace: Workspace) -> None:
    """Chosen, dropped or pasted; what can't go says why."""
    lab.open_empty(workspace.name)
    panel = lab.panel
    panel.choose_agent("takes")
    panel.message.fill("What is this?")
    dot = FilePayload(name="dot.png", mimeType="image/png", buffer=PNG)
    unknown = FilePayload(name="data.bin", mimeType="application/octet-stream", buffer=b"\0\1\2")
    panel.root.locator("input[type=file]").set_input_files([dot, unknown])
    expect(panel.text("data.bin was not attached")).to_be_visible()
    give(panel.message, "drop", "notes.txt", "text/plain", b"first\nsecond")
    give(panel.message, "paste", "pasted.png", "image/png", PNG + b"2")
    chips = attachments(panel)
    expect(chips).to_have_count(3)
    expect(chips.locator("img")).to_have_count(2)
    panel.send.click()
    _, image, notes, pasted = blocks_told(lab.server, panel)
    assert (image["type"], image["mimeType"]) == ("image", "image/png")
    assert base64.b64decode(image["data"]) == PNG
    assert notes["resource"]["text"] == "first\nsecond"
    assert base64.b64decode(pasted["data"]) == PNG + b"2"


@pytest.mark.long
def test_what_an_agent_refuses_is_not_lost(lab: LabPage, workspace: Workspace) -> None:
    """An agent without images: nothing is sent, and the message stands as it was."""
    lab.open_empty(workspace.name)
    panel = lab.panel
    panel.choose_agent("hello")
    panel.say("Good morning")
    expect(panel.log).to_contain_text("You said: Good morning")
    panel.message.fill("And this?")
    give(panel.message, "drop", "dot.png", "image/png", PNG)
    expect(panel.text(re.compile("does not take images"))).to_be_visible()
    expect(panel.message).to_have_value("And this?")


_CATALOGUE = Path(__file__).parents[1] / "kernel" / "execution" / "shop_catalogue"
_SALES = f"""
import sys
import pandas
from acp_jupyter.context import mask
sales = pandas.DataFrame({{"email": ["ann-lee"], "amount": [7.25]}})
mask(sales, ["email"])
sys.path.append({str(_CATALOGUE)!r})
"""


def _with_a_variable_and_an_error(lab: LabPage, workspace: Workspace) -> PanelView:
    nb = lab.open(workspace.notebook("cleaned = list(range(3))", "boom = 1 / 0", _SALES))
    nb.wait_for_kernel()
    nb.run_to_end(0)
    nb.run_to_end(1)
    nb.run_to_end(2)
    expect(nb.output(1)).to_contain_text("division by zero")
    panel = lab.panel
    panel.choose_agent("takes")
    return panel
