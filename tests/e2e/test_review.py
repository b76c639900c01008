"""What a turn or a run of cells changed, reviewed in the main area."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.accessibility import expect_accessible
from tests.support.browser.lab import LabPage
from tests.support.server.workspace import CLEAN_PY, Workspace

LOAD = "%load_ext acp_jupyter"


def test_changes_are_decided_on_by_keys(lab: LabPage, workspace: Workspace) -> None:
    lab.page.set_viewport_size({"width": 1500, "height": 900})
    nb = lab.open(workspace.notebook(LOAD, "%%acp demo\nedit clean.py rate=0"))
    nb.load_extension()
    clean = {"path": f"{workspace.name}/clean.py", "options": {"mode": "split-bottom"}}
    lab.command("docmanager:open", clean)
    editor = lab.page.locator(".jp-FileEditor .cm-content")
    expect(editor).to_contain_text("kept.append")
    turn = nb.run(1)
    turn.answer("Allow once")
    nb.wait_for_end(1)
    edited = workspace.clean_py
    assert edited != CLEAN_PY
    # What is open shows what is on disk.
    expect(editor).not_to_contain_text("kept.append")
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
    expect(editor).to_contain_text("kept.append")
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
    _expect_side_by_side(review)


@pytest.mark.long
@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_the_review_fits_between_the_sidebars(
    lab: LabPage, workspace: Workspace, theme: str
) -> None:
    lab.page.set_viewport_size({"width": 1400, "height": 900})
    nb = lab.open(workspace.notebook(LOAD, "%%acp demo\nedit clean.py rate=0"))
    lab.use_theme(theme)
    nb.load_extension()
    lab.command("filebrowser:activate")
    turn = nb.run(1)
    turn.answer("Allow once")
    nb.wait_for_end(1)
    turn.root.get_by_role("button", name="Review").click()
    expect(lab.panel.root).to_be_visible()
    review = lab.page.locator(".acp-Review")
    # Three lines became one.
    expect(review.get_by_role("group", name="Lines 2–4, clean.py")).to_be_visible()
    split = review.locator("[data-do=split]")
    expect(split).to_be_enabled()
    split.click()
    _expect_side_by_side(review)

    lab.page.set_viewport_size({"width": 1024, "height": 768})
    expect(split).to_be_disabled()
    reason = "There is no room for side by side. Widen this tab or close a sidebar."
    expect(split).to_have_attribute("title", reason)
    expect(review.locator("p", has_text=reason)).to_be_visible()
    before, after = (review.locator(name).first.bounding_box() for name in ("del", "ins"))
    assert before is not None
    assert after is not None
    assert before["x"] == after["x"]
    files = review.get_by_role("navigation", name="Changed files")
    box = review.locator("[data-file]").bounding_box()
    listed = files.bounding_box()
    assert box is not None
    assert listed is not None
    assert listed["y"] + listed["height"] <= box["y"]
    expect_accessible(lab.page, ".acp-Review")
    files.get_by_role("button", name="1 file").press("Enter")
    expect(files.get_by_role("button", name="clean.py")).to_have_count(0)

    lab.page.set_viewport_size({"width": 1400, "height": 900})
    expect(split).to_be_enabled()
    _expect_side_by_side(review)


def _expect_side_by_side(review: Locator) -> None:
    expect(review.locator(".acp-diff.split")).to_be_visible()
    before, after = (review.locator(name).first.bounding_box() for name in ("del", "ins"))
    assert before is not None
    assert after is not None
    assert before["y"] == after["y"]
    assert before["x"] < after["x"]


def _report(*sources: str) -> str:
    cells = [
        {"id": f"cell-{place}", "cell_type": "code", "source": source, "outputs": [], "n": 1.50}
        for place, source in enumerate(sources)
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.long
def test_a_run_of_cells_is_reviewed_as_one(lab: LabPage, workspace: Workspace) -> None:
    lab.page.set_viewport_size({"width": 1500, "height": 900})
    report = workspace.folder / "report.ipynb"
    report.write_text(_report("x = 1", "y = 1"))
    changed = _report("x = 2", "y = 2", "print(x)")
    once, twice = "def clean(rows): ...\n", "def clean(rows):\n    return rows\n"
    first, second = (text.replace("\n", "\\n") for text in (once, twice))
    nb = lab.open(
        workspace.notebook(
            LOAD,
            f"%%acp own_tools --trust\nwrite clean.py {first}",
            "1 + 1",
            f"%%acp own_tools --session other\n"
            f"write clean.py {second}\nwrite report.ipynb {changed}",
        )
    )
    nb.wait_for_kernel()
    lab.command("notebook:run-all-cells", wait=False)
    bar = lab.page.locator(".acp-RunBar")
    expect(bar).to_contain_text("2 files changed in this run.")
    # Nobody has looked at it yet: another page offers it too.
    lab.command("docmanager:save")
    lab.reload()
    lab.notebook(nb.path)
    # JupyterLab brings the notebook to the front after it has restored the page.
    lab.page.wait_for_function("jupyterapp.shell.currentWidget?.context?.isReady")
    lab.page.wait_for_load_state("networkidle")
    expect(bar).to_contain_text("2 files changed in this run.")
    bar.get_by_role("button", name="Review all changes of this run").click()
    review = lab.page.locator(".acp-Review")
    expect(review).to_contain_text("Changes of Run All")
    expect(bar).to_have_count(0)

    _expect_one_change(review, workspace)
    assert workspace.clean_py == twice

    # A notebook goes cell by cell.
    notebook = review.get_by_role("article", name="report.ipynb")
    notebook.get_by_role("button", name="Revert Cell 1 · source").click()
    expect(notebook.get_by_role("group", name="Cell 1 · source")).to_contain_text("Reverted")
    assert report.read_text() == changed.replace("x = 2", "x = 1")
    report.write_text(_report("mine"))
    notebook.get_by_role("button", name="Revert Cell 3 · new").click()
    expect(notebook).to_contain_text("report.ipynb was changed since the turn.")
    assert report.read_text() == _report("mine")

    # Each change says where it is from, and leads there.
    notebook.get_by_role("button", name="Go to Cell 4").click()
    expect(nb.cell(3)).to_be_focused()
    _expect_way_back_to_the_panel(lab)


def _expect_way_back_to_the_panel(lab: LabPage) -> None:
    """A change of a turn that no cell sent leads to that turn in the panel."""
    panel = lab.panel
    panel.show_list()
    panel.listed("^other").click()
    panel.say("write made.py x")
    turn = panel.root.locator("[data-turn]").last
    expect(turn).to_contain_text("made.py")
    turn.get_by_role("button", name="Review").click()
    panel.show_list()
    review = lab.page.locator(".acp-Review").filter(has_text="Changes of this turn")
    review.get_by_role("button", name="Go to write made.py x").click()
    expect(turn).to_be_focused()
    expect(turn).to_contain_text("write made.py x")


def _expect_one_change(review: Locator, workspace: Workspace) -> None:
    """What two turns did to one file is one change, from before the first of them."""
    article = review.get_by_role("article", name="clean.py")
    expect(article).to_have_count(1)
    expect(article.locator("del")).to_have_text(CLEAN_PY.splitlines()[1:])
    expect(article.get_by_role("button", name="Go to Cell 2")).to_be_visible()
    expect(article.get_by_role("button", name="Go to Cell 4")).to_be_visible()
    change = article.locator("[data-decide]").first
    for part in (change.locator("header"), article.locator("[data-whole]")):
        part.get_by_role("button", name="Revert").click()
        expect(article).to_have_attribute("data-state", "reverted")
        assert workspace.clean_py == CLEAN_PY
        part.get_by_role("button", name="Undo").click()
        expect(article).to_have_attribute("data-state", "open")
        assert workspace.clean_py != CLEAN_PY
