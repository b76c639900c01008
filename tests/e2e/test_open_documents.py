"""Documents that are open while an agent works on them."""

from __future__ import annotations

import json
from typing import Any

import nbformat
import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.browser.open_file import OpenFile
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.kernel.notebook_file import read_notebook, write_notebook
from tests.support.server.jupyterlab_server import switch_saving_off
from tests.support.server.routes import finished, start_turn
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

_TEXT = """path => [...jupyterapp.shell.widgets('main')]
  .find(w => w.context?.path === path)"""


def _ask(lab: LabPage, workspace: Workspace, prompt: str) -> None:
    """Send a prompt of somebody else's, without a page of theirs, and wait for its end."""
    with lab.server.user() as user:
        asked = {
            "agent": "edits_files",
            "cwd": workspace.name,
            "trust": True,
            "policy": "allow-all",
        }
        session = user.post("sessions", json=asked).json()["session_id"]
        finished(user, start_turn(user, session, prompt))
        user.delete(f"sessions/{session}")


def test_an_agent_writes_to_an_open_file_and_nothing_typed_is_lost(
    lab: LabPage, workspace: Workspace
) -> None:
    lab.open_empty(workspace.name)
    file = OpenFile(lab, f"{workspace.name}/clean.py")
    file.append("# typed\n")
    file.cursor_to(5)
    edit = json.dumps("kept = []"), json.dumps("kept = list()\n    other = 1")
    _ask(lab, workspace, f"fs replace clean.py {edit[0]} {edit[1]}")
    # What was typed went to disk before the prompt; the change went through the editor.
    assert "other = 1" in file.text
    assert file.text.endswith("# typed\n")
    assert workspace.clean_py == file.text
    assert not file.is_dirty()
    assert file.cursor_line == 6
    file.undo()
    assert "other = 1" not in file.text
    assert file.text.endswith("# typed\n")

    # An agent's own tool writes elsewhere in the file, while the undone text is not saved.
    _ask(lab, workspace, 'own replace clean.py "def clean" "# By a tool.\\ndef clean"')
    eventually(lambda: file.text.startswith("# By a tool.\n"), what="the file is taken in")
    assert "other = 1" not in file.text
    file.save()
    expect(lab.notices).to_have_count(0)
    assert workspace.clean_py == file.text


def _rewrite(notebook: OpenNotebook, index: int, source: str) -> None:
    """Change a cell as agents do: the whole file anew, its outputs gone."""
    content = read_notebook(notebook.file)
    for cell in content.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    content.cells[index].source = source
    write_notebook(notebook.file, content)


def _source(notebook: OpenNotebook, index: int) -> str:
    return str(
        notebook.lab.page.evaluate(
            f"""([path, index]) => ({_TEXT})(path)
              .content.model.sharedModel.getCell(index).getSource()""",
            [notebook.path, index],
        )
    )


def test_an_agent_rewrites_an_open_notebook_beside_an_unsaved_edit(
    lab: LabPage, workspace: Workspace
) -> None:
    switch_saving_off(lab.server)
    notebook = lab.open(workspace.notebook("print('kept')", "b = 1", "c = 1"))
    notebook.wait_for_kernel()
    notebook.run_to_end(0)
    notebook.save()

    notebook.set_source(1, "b = 'typed, not saved'")
    _rewrite(notebook, 2, "c = 'by the agent'")
    _ask(lab, workspace, "fs read clean.py")
    eventually(lambda: _source(notebook, 2) == "c = 'by the agent'", what="the cell is taken in")
    assert _source(notebook, 1) == "b = 'typed, not saved'"
    expect(notebook.output(0)).to_contain_text("kept")
    expect(lab.notices).to_have_count(0)
    # JupyterLab's own question does not come.
    notebook.save()
    expect(lab.notices).to_have_count(0)
    saved = notebook.read()
    assert [cell.source for cell in saved.cells[1:]] == [
        "b = 'typed, not saved'",
        "c = 'by the agent'",
    ]
    assert saved.cells[0].outputs[0].text == "kept\n"
    nbformat.validate(saved)

    # Both change the same cell: the user chooses.
    notebook.set_source(1, "b = 'mine'")
    _rewrite(notebook, 1, "b = 'theirs'")
    _ask(lab, workspace, "fs read clean.py")
    notice = lab.page.locator(".Toastify__toast")
    expect(notice).to_contain_text("nb.ipynb was changed on disk where you have unsaved changes")
    assert _source(notebook, 1) == "b = 'mine'"
    notice.get_by_role("button", name="Compare…").click()
    # By keys: nothing is lost by leaving, and what is safe is what Enter takes.
    dialog = lab.page.get_by_role("dialog", name="Two changes of cell 2 of nb.ipynb", exact=True)
    expect(dialog.get_by_role("button", name="Keep mine")).to_be_focused()
    expect(notice).to_have_count(0)  # it is gone, and comes back
    lab.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(notice).to_have_count(1)
    notice.get_by_role("button", name="Compare…").click()
    expect(dialog.locator("del")).to_contain_text("b = 'mine'")
    expect(dialog.locator("ins")).to_contain_text("b = 'theirs'")
    dialog.get_by_role("button", name="Take the other").click()
    eventually(lambda: _source(notebook, 1) == "b = 'theirs'", what="the agent's is taken")
    expect(lab.notices).to_have_count(0)
    expect(lab.page.locator(".jp-Notebook").locator(":focus")).to_have_count(1)
    notebook.save()
    expect(lab.page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.long
def test_an_agent_writes_to_an_open_notebook_cell_by_cell(
    lab: LabPage, workspace: Workspace
) -> None:
    """By the page; its cursor, outputs and undo stay as they are."""
    path = workspace.notebook("print('kept')", "b = 1", "c = 1")
    file = workspace.root / path
    titled = read_notebook(file)
    titled.metadata.title = "Old"
    write_notebook(file, titled)
    notebook = lab.open(path)
    notebook.wait_for_kernel()
    notebook.run_to_end(0)
    notebook.save()
    notebook.set_source(1, "b = 'typed, not saved'")
    _in_notebook(
        notebook,
        "content.activeCellIndex = 1; content.mode = 'edit';"
        " content.activeCell.editor.setCursorPosition({ line: 0, column: 5 });",
    )
    _ask(lab, workspace, 'fs replace nb.ipynb "c = 1" "c = 2"')
    assert _source(notebook, 2) == "c = 2"
    cursor = "return [content.activeCellIndex, content.activeCell.editor.getCursorPosition()];"
    assert _in_notebook(notebook, cursor) == [1, {"line": 0, "column": 5}]
    expect(notebook.output(0)).to_contain_text("kept")
    saved = notebook.read()
    assert [cell.source for cell in saved.cells[1:]] == ["b = 'typed, not saved'", "c = 2"]
    assert saved.cells[0].outputs[0].text == "kept\n"
    # Undo is the cell's own: what was typed in another one stays.
    _in_notebook(notebook, "content.widgets[2].editor.undo();")
    assert (_source(notebook, 1), _source(notebook, 2)) == ("b = 'typed, not saved'", "c = 1")
    notebook.save()

    # What a notebook says of itself is no less taken in, and stays at the next save.
    _ask(lab, workspace, f"own replace nb.ipynb {_TITLE_OLD} {_TITLE_NEW}")
    title = "return content.model.getMetadata('title');"
    eventually(lambda: _in_notebook(notebook, title) == "New", what="the title is taken in")
    notebook.set_source(1, "b = 3")
    notebook.save()
    assert notebook.read().metadata.title == "New"
    expect(lab.notices).to_have_count(0)


_TITLE_OLD, _TITLE_NEW = (json.dumps(f'"title": "{word}"') for word in ("Old", "New"))


def _in_notebook(notebook: OpenNotebook, deed: str) -> Any:
    script = f"path => {{ const {{ content }} = ({_TEXT})(path); {deed} }}"
    return notebook.lab.page.evaluate(script, notebook.path)
