"""A sandbox in the side panel: offered, chosen by mouse and by keys, shown, and kept."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.accessibility import expect_accessible, expect_all_inside, picture
from tests.support.browser.keyboard import Keyboard
from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

OFFER = "Use the sandbox folder"
VERSES = [f"verse {number}\n" for number in range(1, 31)]


def picker(panel: PanelView, name: str = "Sandbox") -> Locator:
    return panel.root.get_by_role("combobox", name=name, exact=True)


def choose(panel: PanelView, name: str, option: str) -> None:
    picker(panel, name).click()
    panel.root.get_by_role("option", name=re.compile(f"^{option}")).click()


def badge(panel: PanelView) -> Locator:
    return panel.root.get_by_role("button", name=re.compile("^Sandbox: "))


def writes(*places: Path) -> str:
    """Return a prompt that has the agent write in these places, by commands."""
    steps = []
    for number, place in enumerate(places):
        run = {"command": "sh", "args": ["-c", f"echo written > '{place}'"]}
        steps.append({"ask": "terminal/create", "params": run, "as": f"t{number}"})
        wait = {"terminalId": f"$t{number}"}
        steps.append({"ask": "terminal/wait_for_exit", "params": wait})
    return json.dumps(steps)


@pytest.mark.parametrize("theme", ["Light", pytest.param("Dark", marks=pytest.mark.long)])
def test_the_folder_is_offered_once_and_holds(
    lab: LabPage, workspace: Workspace, theme: str
) -> None:
    outside, inside = workspace.root / f"outside-{theme}.txt", workspace.folder / "inside.txt"
    lab.open(workspace.notebook("1"))
    lab.use_theme(f"JupyterLab {theme}")
    panel = lab.panel
    panel.choose_agent("terminal_script")
    expect(picker(panel)).to_have_text("Sandbox: Default")
    choose(panel, "Policy", "Allow all")
    offer = panel.root.get_by_role("button", name=OFFER)
    expect(offer).to_be_visible()
    expect_accessible(lab.page)
    expect_all_inside(lab.page)
    picture(panel.root, f"sandbox-offer-{theme}")
    offer.click()
    expect(offer).to_have_count(0)
    expect(panel.message).to_be_focused()
    expect(picker(panel)).to_have_text("Sandbox: Folder")

    panel.say(writes(inside, outside))
    eventually(inside.exists, what="the file in the folder is written")
    expect(panel.stop).to_have_count(0)
    assert not outside.exists()
    expect(badge(panel)).to_contain_text("Sandbox: folder")
    badge(panel).click()
    words = panel.root.get_by_role("group", name="Sandbox", exact=True)
    expect(words).to_contain_text("can write in the folder")
    expect(panel.root.get_by_text("sandbox folder", exact=True)).to_be_attached()
    expect_accessible(lab.page)
    expect_all_inside(lab.page)
    picture(panel.root, f"sandbox-badge-{theme}")

    # What was said once is not said again.
    choose(panel, "Sandbox", "Off")
    choose(panel, "Policy", "Ask")
    choose(panel, "Policy", "Allow all")
    expect(panel.button("Allow-all: ask again")).to_be_visible()
    expect(offer).to_have_count(0)


@pytest.mark.long("the picker is that of the policy; tests/sandbox has what it confines")
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_keys_choose_it_and_a_policy_brings_it(
    lab: LabPage, workspace: Workspace, theme: str
) -> None:
    lab.open(workspace.notebook("1"))
    lab.use_theme(f"JupyterLab {theme}")
    panel, keys = lab.panel, Keyboard(lab.page)
    panel.choose_agent("Demo")
    panel.say("list rate=0")
    expect(panel.root.locator(".acp-foot")).to_be_attached()
    expect(badge(panel)).to_have_count(0)

    keys.use(picker(panel), "ArrowDown", "f")
    listed = panel.root.get_by_role("listbox", name="Sandbox")
    expect(listed).to_be_visible()
    expect(panel.root.get_by_text("Demo keeps its sandbox")).to_be_visible()
    expect_all_inside(lab.page)
    picture(panel.root, f"sandbox-picker-{theme}")
    keys.press("Enter")
    expect(picker(panel)).to_have_text("Sandbox: Folder")
    keys.expect_inside(picker(panel))

    panel.button("New session").click()
    panel.root.get_by_role("menuitem", name="Demo", exact=True).click()
    expect(picker(panel)).to_have_text("Sandbox: Off")
    choose(panel, "Policy", "Read only")
    expect(picker(panel)).to_have_text("Sandbox: Read only")
    picker(panel).click()
    expect(panel.root.get_by_text("The policy “Read only” brings the sandbox")).to_be_visible()
    expect(listed.get_by_role("option", name=re.compile("^Folder"))).to_be_disabled()
    expect_all_inside(lab.page)
    picture(panel.root, f"sandbox-of-policy-{theme}")
    keys.press("Escape")
    panel.say("list rate=0")
    expect(badge(panel)).to_contain_text("Sandbox: read-only")


def keep_a_part(lab: LabPage, card: Locator, poem: Path, theme: str) -> None:
    """Keep one change of a file in the card, and leave the other one in the review."""
    card.get_by_role("button", name=re.compile("^poem.txt")).click()
    card.get_by_role("button", name="Keep Line 2", exact=True).click()
    expect(card).to_contain_text("Partly kept")
    kept = "".join(VERSES).replace("verse 2\n", "verse 2 of two\n")
    assert poem.read_text() == kept
    expect_accessible(lab.page)
    expect_all_inside(lab.page)
    picture(card, f"sandbox-copy-part-{theme}")
    card.get_by_role("button", name="Review").click()
    review = lab.page.locator(".acp-reviewview")
    line = review.get_by_role("group", name=re.compile("^Line 25, poem.txt"))
    expect(line).to_be_visible()
    line.focus()
    lab.page.keyboard.press("n")
    expect(line).to_have_attribute("data-state", "left")
    lab.page.keyboard.press("u")
    expect(line).to_have_attribute("data-state", "open")
    lab.page.keyboard.press("n")
    expect(line).to_have_attribute("data-state", "left")
    expect_accessible(lab.page)
    picture(review, f"sandbox-copy-review-{theme}")
    assert poem.read_text() == kept


@pytest.mark.parametrize("theme", ["Light", pytest.param("Dark", marks=pytest.mark.long)])
def test_a_copy_is_chosen_and_its_changes_are_kept(
    lab: LabPage, workspace: Workspace, theme: str
) -> None:
    first, second = workspace.folder / "first.txt", workspace.folder / "second.txt"
    poem = workspace.folder / "poem.txt"
    poem.write_text("".join(VERSES))
    lab.open(workspace.notebook("1"))
    lab.use_theme(f"JupyterLab {theme}")
    panel = lab.panel
    panel.choose_agent("terminal_script")
    panel.say("[]")
    expect(panel.root.locator(".acp-foot")).to_be_attached()
    picker(panel).click()
    copy = panel.root.get_by_role("option", name=re.compile("^Copy"))
    expect(copy).to_contain_text("This starts a new session.")
    expect_all_inside(lab.page)
    picture(panel.root, f"sandbox-copy-picker-{theme}")
    copy.click()
    expect(picker(panel)).to_have_text("Sandbox: Copy")
    choose(panel, "Policy", "Allow all")
    edit = "'; sed -i '2s/$/ of two/; 25s/$/ of 25/' poem.txt; echo '"
    panel.say(writes(Path("first.txt"), Path(f"second.txt{edit}")))
    card = panel.root.get_by_role("group", name="Changes")
    expect(card).to_contain_text("3 files changed")
    expect(card).to_contain_text("in a copy of the folder")
    expect(badge(panel)).to_contain_text("Sandbox: copy")
    assert not first.exists()
    expect_accessible(lab.page)
    expect_all_inside(lab.page)
    picture(panel.root, f"sandbox-copy-changes-{theme}")

    card.get_by_role("button", name="Keep first.txt").click()
    eventually(first.exists, what="the first file is in the folder")
    assert not second.exists()

    keep_a_part(lab, card, poem, theme)
    card.get_by_role("button", name="Keep all").click()
    eventually(second.exists, what="the second file is there, too")
    expect(card.get_by_role("button", name="Undo for all")).to_be_visible()
    picture(panel.root, f"sandbox-copy-kept-{theme}")
    card.get_by_role("button", name="Undo for all").click()
    eventually(lambda: not first.exists() and not second.exists(), what="both are taken out")
    expect(card.get_by_role("button", name="Keep first.txt")).to_be_visible()
