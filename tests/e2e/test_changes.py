"""What a turn changed on disk: listed, opened, taken back, refused."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.server.workspace import CLEAN_PY, Workspace

LOAD = "%load_ext acp_jupyter"


def test_changes_are_taken_back_in_the_cell(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(workspace.notebook(LOAD, "%%acp demo\nedit clean.py rate=0"))
    nb.load_extension()
    turn = nb.run(1)
    expect(turn.permission).to_be_visible()
    turn.answer("Allow once")
    nb.wait_for_end(1)
    edited = workspace.clean_py
    assert edited != CLEAN_PY

    card = turn.root.get_by_role("group", name="Changes")
    expect(card).to_contain_text("1 file changed")
    row = card.get_by_role("button", name=re.compile(r"^clean\.py"))
    row.focus()
    row.press("Enter")
    expect(card.get_by_role("region", name="Diff of clean.py").locator("ins").first).to_be_visible()

    # What was changed since is not overwritten.
    (workspace.folder / "clean.py").write_text("mine\n")
    card.get_by_role("button", name="Revert clean.py").press("Enter")
    expect(card).to_contain_text("clean.py was changed since the turn.")
    assert workspace.clean_py == "mine\n"

    (workspace.folder / "clean.py").write_text(edited)
    card.get_by_role("button", name="Revert clean.py").click()
    expect(card).to_contain_text("Reverted")
    expect(card).not_to_contain_text("was changed since")
    assert workspace.clean_py == CLEAN_PY

    # One click too many is no loss.
    card.get_by_role("button", name="Undo for clean.py").click()
    expect(card.get_by_role("button", name="Revert clean.py")).to_be_visible()
    assert workspace.clean_py == edited


@pytest.mark.long
def test_a_file_that_was_ignored_before_the_turn_stays(lab: LabPage, workspace: Workspace) -> None:
    """Though the agent took it out of ``.gitignore``, which makes it look new."""
    rules, data = workspace.folder / ".gitignore", workspace.folder / "data.csv"
    rules.write_text("data.csv\n*.log\n")
    data.write_text("measured for weeks\n")
    deeds = "write .gitignore *.log\\n\nwrite clean.py pass\\n\nwrite made.py 1\nsay Done"
    nb = lab.open(workspace.notebook(LOAD, f"%%acp own_tools\n{deeds}"))
    nb.load_extension()
    nb.run_to_end(1)
    card = nb.turn(1).root.get_by_role("group", name="Changes")
    expect(card).to_contain_text("3 files changed")
    assert workspace.clean_py == "pass\n"
    card.get_by_role("button", name="Revert all").click()
    expect(card).to_contain_text("Reverted")
    assert workspace.clean_py == CLEAN_PY
    assert rules.read_text() == "data.csv\n*.log\n"
    assert data.read_text() == "measured for weeks\n"
    assert not (workspace.folder / "made.py").exists()
