"""The composer: what `@` names, what is attached, and what the agent gets of it."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from playwright.sync_api import FilePayload, Locator, expect

from tests.support.as_user import AsUser
from tests.support.lab import LabPage
from tests.support.roles import PanelView
from tests.support.wait import eventually
from tests.support.workspace import Workspace

# One pixel.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


def test_at_names_what_the_agent_then_gets(lab: LabPage, workspace: Workspace) -> None:
    """A variable, a cell, an error and a file go along; their content is read when it is sent."""
    nb = lab.open(workspace.notebook("cleaned = list(range(3))", "boom = 1 / 0"))
    nb.wait_for_kernel()
    nb.run_to_end(0)
    nb.run_to_end(1)
    expect(nb.output(1)).to_contain_text("division by zero")
    panel = lab.panel
    panel.choose_agent("takes")

    _take(panel, "Look at @clean", "Variables", "cleaned")
    expect(panel.message).to_have_value("Look at @cleaned ")
    _take(panel, " and @cell1", "Cells", "Cell 1: cleaned = list(range(3))")
    _take(panel, " @Zero", "Errors", "Cell 2: ZeroDivisionError")
    _take(panel, " @clean.p", "Files", "clean.py")
    chips = panel.root.get_by_role("list", name="Attachments").get_by_role("listitem")
    expect(chips).to_have_count(4)
    panel.button("Remove Cell 1: cleaned = list(range(3))").click()
    expect(chips).to_have_count(3)
    expect(panel.message).to_be_focused()

    panel.message.press("Enter")
    expect(chips).to_have_count(0)
    text, variable, error, file = _blocks_told(lab, panel)
    assert text["text"].startswith("Look at @cleaned")
    assert variable["resource"]["text"] == "cleaned: list\n[0, 1, 2]"
    assert "boom = 1 / 0" in error["resource"]["text"]
    assert "ZeroDivisionError: division by zero" in error["resource"]["text"]
    assert "\x1b" not in error["resource"]["text"]
    assert file["type"] == "resource_link"
    assert file["uri"] == (workspace.folder / "clean.py").as_uri()


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
    _take(panel, "@clean", "Open documents", re.compile("clean.py"))
    panel.message.press("Enter")
    _, document = _blocks_told(lab, panel)
    assert document["resource"]["text"].startswith("# not saved\ndef clean(rows):")
    eventually(lambda: workspace.clean_py.startswith("# not saved"), what="saved for the agent")


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
    _give(panel.message, "drop", "notes.txt", "text/plain", b"first\nsecond")
    _give(panel.message, "paste", "pasted.png", "image/png", PNG + b"2")
    chips = panel.root.get_by_role("list", name="Attachments").get_by_role("listitem")
    expect(chips).to_have_count(3)
    expect(chips.locator("img")).to_have_count(2)
    panel.send.click()
    _, image, notes, pasted = _blocks_told(lab, panel)
    assert (image["type"], image["mimeType"]) == ("image", "image/png")
    assert base64.b64decode(image["data"]) == PNG
    assert notes["resource"]["text"] == "first\nsecond"
    assert base64.b64decode(pasted["data"]) == PNG + b"2"


def test_what_an_agent_refuses_is_not_lost(lab: LabPage, workspace: Workspace) -> None:
    """An agent without images: nothing is sent, and the message stands as it was."""
    lab.open_empty(workspace.name)
    panel = lab.panel
    panel.choose_agent("hello")
    panel.say("Good morning")
    expect(panel.log).to_contain_text("You said: Good morning")
    panel.message.fill("And this?")
    _give(panel.message, "drop", "dot.png", "image/png", PNG)
    expect(panel.text(re.compile("does not take images"))).to_be_visible()
    expect(panel.message).to_have_value("And this?")


def _take(panel: PanelView, typed: str, group: str, name: str | re.Pattern[str]) -> None:
    """Type, and take what the list offers by that name."""
    panel.message.press("End")
    panel.message.press_sequentially(typed)
    option = (
        panel.root.get_by_role("listbox", name="Context")
        .get_by_role("group", name=group)
        .get_by_role("option", name=name)
    )
    expect(option).to_be_visible()
    for _ in range(8):
        if option.get_attribute("aria-selected") == "true":
            break
        active = panel.message.get_attribute("aria-activedescendant") or ""
        panel.message.press("ArrowDown")
        # Else the next key goes out before this one is drawn, and one too many.
        expect(panel.message).not_to_have_attribute("aria-activedescendant", active)
    expect(option).to_have_attribute("aria-selected", "true")
    panel.message.press("Tab")
    expect(panel.root.get_by_role("listbox", name="Context")).to_have_count(0)


def _give(box: Locator, event: str, name: str, mime: str, content: bytes) -> None:
    """Drop or paste a file."""
    box.evaluate(
        """(box, [event, name, type, data]) => {
          const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
          const given = new DataTransfer();
          given.items.add(new File([bytes], name, {type}));
          const options = {bubbles: true, cancelable: true};
          box.dispatchEvent(
            event === 'paste'
              ? new ClipboardEvent('paste', {...options, clipboardData: given})
              : new DragEvent('drop', {...options, dataTransfer: given}));
        }""",
        [event, name, mime, base64.b64encode(content).decode()],
    )


def _blocks_told(lab: LabPage, panel: PanelView) -> list[dict[str, Any]]:
    """Return the blocks of the prompt, which the agent writes as its answer."""
    expect(panel.message).to_have_value("")
    session_id = panel.root.locator("[data-session]").get_attribute("data-session")
    assert session_id is not None
    with AsUser(lab.server) as user:
        detail = user.ended(user.newest_turn(session_id))
    (answer,) = [item["text"] for item in detail["items"] if item["kind"] == "agent_message"]
    blocks: list[dict[str, Any]] = json.loads(answer)
    return blocks
