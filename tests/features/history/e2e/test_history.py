"""The history of a notebook: a slider over its turns, going back to one, and undoing that."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Locator, expect

from tests.support.browser import pictures
from tests.support.browser.accessibility import expect_accessible
from tests.support.browser.lab import LabPage
from tests.support.kernel.notebook_file import display_data, new_notebook, write_notebook
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"
NAME = "analysis.ipynb"
CLEAN = r"def clean(rows):\n    return [row.strip() for row in rows]\n"
NO_TURNS = "This notebook has had no turns yet."


def plot() -> str:
    """Return a picture of a curve, in base64."""
    image = Image.new("RGB", (420, 110), "white")
    points = [(x, 95 - (x * x) // 2000) for x in range(10, 410, 10)]
    ImageDraw.Draw(image).line(points, fill="#1f77b4", width=3)
    ImageDraw.Draw(image).rectangle((5, 5, 414, 104), outline="#888")
    out = io.BytesIO()
    image.save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


def write(workspace: Workspace) -> str:
    notebook = new_notebook(
        LOAD,
        "plot(rows)",
        f"%%acp own_tools\nwrite clean.py {CLEAN}",
        "%%acp own_tools\nwrite notes.md # Rows\\n",
        "%%acp own_tools\nwrite clean.py nothing\\n\ndelete notes.md",
    )
    notebook.cells[1].outputs = [display_data(**{"image/png": plot(), "text/plain": "A curve"})]
    write_notebook(workspace.folder / NAME, notebook)
    return f"{workspace.name}/{NAME}"


@pytest.mark.long
def test_a_slider_over_the_turns_restores_one_and_that_is_undone(
    lab: LabPage, workspace: Workspace
) -> None:
    lab.page.set_viewport_size({"width": 1280, "height": 860})
    states = [state(workspace.folder)]
    nb = lab.open(write(workspace))
    nb.load_extension()
    lab.command("acp-jupyter:history")
    history = lab.page.locator(".acp-historyview")
    expect(history).to_contain_text(NO_TURNS)
    for index in (2, 3, 4):
        nb.run_to_end(index)
        states.append(state(workspace.folder))
    slider = history.get_by_role("slider", name="Turn")
    expect(slider).to_have_attribute("max", "3")
    expect(slider).to_have_value("3")
    slider.focus()
    slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "turn 2 of 3: write notes.md # Rows\\n")
    expect_files_and_cells(history)
    take(lab, history)

    # What the user has changed since stops all of it.
    (workspace.folder / "clean.py").write_text("mine")
    restore = history.get_by_role("button", name="Restore to here")
    restore.press("Enter")
    expect(history.get_by_role("alert")).to_contain_text("clean.py was changed since the turn.")
    assert state(workspace.folder) == ("mine", False)
    (workspace.folder / "clean.py").write_text(states[3][0])

    # One step takes the turn back, and one step undoes that.
    restore.press("Enter")
    expect(history.get_by_role("status")).to_contain_text("Went back to before “write clean.py")
    assert state(workspace.folder) == states[2]
    expect(slider).to_have_attribute("max", "2")
    expect(restore).to_have_count(0)
    undo = history.get_by_role("button", name="Undo")
    undo.press("Enter")
    eventually(lambda: state(workspace.folder) == states[3], what="all is as it was")
    expect(slider).to_have_attribute("max", "3")

    # The leftmost place is before the first turn.
    slider.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "before turn 1 of 3")
    expect(history).to_contain_text("No file was different from before the first turn.")
    restore.press("Enter")
    expect(history).to_contain_text(NO_TURNS)
    assert state(workspace.folder) == states[0]
    undo.press("Enter")
    eventually(lambda: state(workspace.folder) == states[3], what="all is as it was")


def expect_files_and_cells(history: Locator) -> None:
    """See them as they were after the second turn."""
    files, cells = (history.get_by_role("region", name=name) for name in ("Files", "Cells"))
    expect(files.get_by_role("heading")).to_have_text("2 files")
    files.get_by_role("button", name="clean.py").click()
    diff = files.get_by_role("region", name="Diff of clean.py")
    expect(diff.locator("ins").filter(has_text="row.strip() for row in rows")).to_be_visible()
    expect(cells.get_by_label("Source").nth(1)).to_have_text("plot(rows)")
    plot = cells.get_by_role("img", name="A curve")
    expect(plot).to_be_visible()
    assert plot.evaluate("image => image.naturalWidth") == 420


def state(folder: Path) -> tuple[str, bool]:
    return (folder / "clean.py").read_text(), (folder / "notes.md").exists()


def take(lab: LabPage, history: Locator) -> None:
    expect_accessible(lab.page, ".acp-historyview")
    pictures.take("how-to/history", history)
    lab.use_theme("JupyterLab Dark")
    expect_accessible(lab.page, ".acp-historyview")
    pictures.take("how-to/history-dark", history)
    lab.use_theme("JupyterLab Light")
