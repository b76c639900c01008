"""A prompt that is tried several ways: tabs, which one asks, what is kept, in a cell."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbformat.reader import NotJSONError
from playwright.sync_api import FloatRect, Locator, expect

from tests.support.browser import pictures
from tests.support.browser.accessibility import expect_accessible
from tests.support.browser.keyboard import Keyboard
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.kernel.notebook_file import new_notebook, read_notebook, write_notebook
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

pytestmark = pytest.mark.long

_PROMPT = """%%acp own_tools, permission --try --trust
write summary.py import csv\\n\\nrows = list(csv.reader(open("data.csv")))\\nprint(len(rows))\\n
write README.md # Rows\\n
say Both files are written."""


def _tab(nb: OpenNotebook, number: int) -> Locator:
    """The tab of a variant; only the tabs over the one that is shown are visible."""
    return nb.output(1).get_by_role("tab", name=f"{number} · ")


def test_the_best_of_two_is_kept(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(workspace.notebook("pass", "pass"))
    nb.load_extension()
    nb.run(1, _PROMPT)
    output = nb.output(1)
    _expect_one_asks(nb, workspace)
    nb.wait_for_end(1)
    expect(_tab(nb, 2)).to_contain_text("Not kept")
    expect(output.get_by_role("table")).to_contain_text("2 (+5 −0)")
    lab.page.keyboard.press("Home")
    _tab(nb, 1).click()
    changes = output.get_by_role("group", name="Changes")
    expect(changes).to_contain_text("in a copy of the folder")
    expect(changes.get_by_role("button", name="Review")).to_have_count(0)
    changes.get_by_role("button", name="Keep summary.py").click()
    expect(_tab(nb, 1)).to_contain_text("Kept")
    assert (workspace.folder / "summary.py").read_text().startswith("import csv\n")
    assert not (workspace.folder / "README.md").exists()
    changes.get_by_role("button", name="Keep all").click()
    eventually((workspace.folder / "README.md").exists)
    _expect_to_look_well(lab, output)
    _expect_refused(workspace, changes)
    expect(_tab(nb, 1)).to_contain_text("Kept")

    # In the saved notebook what is not kept is folded; after a reload the tabs are there again.
    nb.save()
    eventually(lambda: _records(nb) == [False, True])
    lab.page.reload()
    nb = lab.open(nb.path)
    expect(_tab(nb, 1)).to_contain_text("Kept")
    expect(_tab(nb, 2)).to_contain_text("Not kept")


def _expect_one_asks(nb: OpenNotebook, workspace: Workspace) -> None:
    """Which one is clear, whatever is shown; the keys lead there."""
    output, keys = nb.output(1), nb.lab.page.keyboard
    expect(output.get_by_role("tab")).to_have_count(2)
    expect(_tab(nb, 2)).to_contain_text("Asks you")
    expect(_tab(nb, 1)).to_contain_text("Not kept")
    expect(_tab(nb, 1)).to_contain_text("2 files")
    assert not (workspace.folder / "summary.py").exists()
    asked = output.get_by_role("group", name="Permission request")
    expect(asked).to_have_count(0)
    _tab(nb, 1).focus()
    keys.press("ArrowRight")
    expect(_tab(nb, 2)).to_be_focused()
    expect(asked).to_be_visible()
    pictures.take("how-to/try-asks", output)
    asked.get_by_role("button", name="Allow", exact=True).click()


def _expect_to_look_well(lab: LabPage, output: Locator) -> None:
    expect_accessible(lab.page, ".acp-variants")
    lab.use_theme("JupyterLab Dark")
    pictures.take("how-to/try-dark", output)
    expect_accessible(lab.page, ".acp-variants")


def _expect_refused(workspace: Workspace, changes: Locator) -> None:
    """It is said where it was asked for, and nothing is changed."""
    readme = workspace.folder / "README.md"
    changes.get_by_role("button", name="Undo for all").click()
    eventually(lambda: not readme.exists())
    readme.write_text("mine\n")
    changes.get_by_role("button", name="Keep all").click()
    expect(changes).to_contain_text("README.md was changed since the copy was made")
    assert readme.read_text() == "mine\n"
    assert not (workspace.folder / "summary.py").exists()
    changes.get_by_role("button", name="Keep summary.py").click()


def _records(nb: OpenNotebook) -> list[bool]:
    """Return of each turn that is saved in the cell whether it is folded."""
    try:
        outputs = read_notebook(nb.file).cells[1].outputs
    except NotJSONError:  # it is being written
        return []
    words = [str(each.data.get("text/markdown", "")) for each in outputs if "data" in each]
    return [each.startswith("<details>") for each in words if "Variant " in each[:40]]


_CELLS = {
    "load": 'import pandas as pd\n\nrows = pd.read_csv("data.csv")',
    "clean": "rows = rows.dropna()",
    "look": "rows.describe()",
    "plot": "rows.plot()",
}
_QUICK = {**_CELLS, "clean": 'rows = rows.dropna(how="all")', "plot": "rows.plot(grid=True)"}
_CAREFUL = {
    "load": _CELLS["load"],
    "clean": "rows = rows.fillna(rows.mean())",
    "check": "assert not rows.isna().any().any()",
    "look": _CELLS["look"],
    "plot": "rows.plot(subplots=True)",
}


def _notebook(sources: dict[str, str]) -> Any:
    notebook = new_notebook(*sources.values())
    for cell, name in zip(notebook.cells, sources, strict=True):
        cell["id"] = name
    return notebook


def _write_deeds(workspace: Workspace) -> None:
    """Two agents change one notebook in ways of their own, and one of them more files."""
    write_notebook(workspace.folder / "report.ipynb", _notebook(_CELLS))
    for name, cells, more in (
        ("quick", _QUICK, ""),
        ("careful", _CAREFUL, "append clean.py \\n\\nclean([])\\n\nwrite test_report.py pass\\n\n"),
    ):
        changed = nbformat.writes(_notebook(cells)).encode()  # type: ignore[no-untyped-call]
        deeds = f"bytes report.ipynb {changed.hex()}\n{more}say The report is done."
        (workspace.folder / f"{name}.deeds").write_text(deeds)


def test_all_variants_are_reviewed_side_by_side(lab: LabPage, workspace: Workspace) -> None:
    lab.page.set_viewport_size({"width": 1360, "height": 560})
    _write_deeds(workspace)
    nb = lab.open(workspace.notebook("pass", "pass"))
    nb.load_extension()
    nb.run(1, "%%acp quick, careful --try --trust\nHandle missing values in the report.")
    nb.wait_for_end(1)
    nb.output(1).get_by_role("button", name="Review all variants").click()
    review = lab.page.locator(".acp-Review")
    files = review.get_by_role("tab")
    expect(files).to_contain_text(["clean.py", "report.ipynb", "test_report.py"])
    one, two = (review.get_by_role("region", name=f"Variant {each} · ") for each in (1, 2))
    expect(two.get_by_role("region", name="Diff of clean.py")).to_be_visible()
    expect(one).to_contain_text("It did not change this file.")

    # By keys alone; the same cell of the notebook is in one row, also below a new one.
    keyboard = Keyboard(lab.page)
    keyboard.press("ArrowDown")
    expect(files.nth(1)).to_be_focused()
    row = eventually(
        lambda: _in_one_row(
            one.get_by_role("group", name="Cell 4 · source"),
            two.get_by_role("group", name="Cell 5 · source"),
        ),
        "the two are in one row",
    )
    assert row is not None
    assert row[0]["x"] < row[1]["x"]

    # It is kept by the rules of the turns.
    keyboard.use(two.get_by_role("button", name="Keep report.ipynb"))
    expect(two.get_by_role("button", name="Undo for report.ipynb")).to_be_focused()
    report = workspace.folder / "report.ipynb"
    assert [cell.source for cell in read_notebook(report).cells] == [*_CAREFUL.values()]
    assert not (workspace.folder / "test_report.py").exists()
    expect(files.nth(1).get_by_label("Kept")).to_have_count(1)
    _expect_review_to_look_well(lab, review)
    one.get_by_role("button", name="Keep report.ipynb").click()
    expect(one).to_contain_text("report.ipynb was changed since the copy was made")

    # Where there is no room they are below each other.
    lab.page.set_viewport_size({"width": 800, "height": 760})
    expect(two).to_be_visible()
    below = _place(two)
    assert below["x"] == _place(one)["x"]
    assert below["y"] >= _place(one)["y"] + _place(one)["height"]

    lab.command("application:close")
    expect(_tab(nb, 2)).to_contain_text("Kept")
    expect(_tab(nb, 1)).to_contain_text("Not kept")


def _place(element: Locator) -> FloatRect:
    """Return where it is; while its view is drawn anew it is nowhere."""
    box = eventually(element.bounding_box, "it is drawn")
    assert box is not None
    return box


def _in_one_row(one: Locator, other: Locator) -> tuple[FloatRect, FloatRect] | None:
    """Return where they are once that is in one row: rows are made as high as each other late."""
    left, right = _place(one), _place(other)
    return (left, right) if left["y"] == right["y"] else None


def _expect_review_to_look_well(lab: LabPage, review: Locator) -> None:
    expect_accessible(lab.page, ".acp-Review")
    pictures.take("how-to/try-review", review)
    lab.use_theme("JupyterLab Dark")
    expect_accessible(lab.page, ".acp-Review")
    pictures.take("how-to/try-review-dark", review)
