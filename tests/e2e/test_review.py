"""What a turn changed, reviewed in the main area by keys."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.support.lab import LabPage
from tests.support.workspace import CLEAN_PY, Workspace

LOAD = "%load_ext acp_jupyter"


def test_changes_are_decided_on_by_keys(lab: LabPage, workspace: Workspace) -> None:
    lab.page.set_viewport_size({"width": 1500, "height": 900})
    nb = lab.open(workspace.notebook(LOAD, "%%acp demo\nedit clean.py rate=0"))
    nb.load_extension()
    turn = nb.run(1)
    turn.answer("Allow once")
    nb.wait_for_end(1)
    edited = workspace.clean_py
    assert edited != CLEAN_PY
    card = turn.root.get_by_role("group", name="Changes")
    card.get_by_role("button", name="Review").click()

    review = lab.page.locator(".acp-Review")
    expect(review).to_contain_text("Changes of this turn")
    change = review.locator("[data-decide]").first
    expect(change).to_be_visible()
    keys = lab.page.keyboard
    keys.press("j")
    expect(change).to_be_focused()
    keys.press("n")
    expect(change).to_have_attribute("data-state", "reverted")
    expect(review).to_contain_text("1 of 1 decided")
    assert workspace.clean_py == CLEAN_PY
    keys.press("u")
    expect(change).to_have_attribute("data-state", "open")
    assert workspace.clean_py == edited
    keys.press("y")
    expect(change).to_have_attribute("data-state", "kept")
    keys.press("u")
    expect(change).to_have_attribute("data-state", "open")

    # What was changed since stays, and the file says so.
    (workspace.folder / "clean.py").write_text("mine\n")
    keys.press("n")
    expect(review.get_by_role("article")).to_contain_text("clean.py was changed since the turn.")
    assert workspace.clean_py == "mine\n"

    keys.press("s")
    expect(review.locator(".acp-diff.split")).to_be_visible()
    before, after = (review.locator(name).first.bounding_box() for name in ("del", "ins"))
    assert before is not None
    assert after is not None
    assert before["y"] == after["y"]
    assert before["x"] < after["x"]
