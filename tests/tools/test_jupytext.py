"""jupytext: prompts in scripts and Markdown, and such files opened as notebooks."""

from __future__ import annotations

import ast
import json
import subprocess
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.kernel.notebook_file import new_notebook, read_notebook, write_notebook
from tests.support.server.workspace import Workspace

PROMPT = "%%acp demo\nedit clean.py, it's slow\n\nrate=0"
PYTHON = """# ---
# jupyter:
#   jupytext: {custom_cell_magics: acp}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %%
prices = [3, 1, 2]

# %% magic_args="demo" language="acp"
# edit clean.py rate=0
"""
MARKDOWN = """---
jupyter:
  kernelspec: {display_name: Python 3, language: python, name: python3}
---

```python
prices = [3, 1, 2]
```

```python
%%acp demo
edit clean.py rate=0
```
"""


def convert(python: Path, *arguments: str, folder: Path) -> None:
    command = [str(python.parent / "jupytext"), "--quiet", *arguments]
    subprocess.run(command, cwd=folder, check=True)


@pytest.mark.parametrize("to", ["py:percent", "py:light", "md", "Rmd", "md:myst", "py:hydrogen"])
def test_a_prompt_is_the_same_there_and_back(python: Path, tmp_path: Path, to: str) -> None:
    notebook = new_notebook("%load_ext acp_jupyter", PROMPT, "%acp status")
    if to in {"py:percent", "py:light"}:
        notebook.metadata.jupytext = {"custom_cell_magics": "acp"}
    write_notebook(tmp_path / "nb.ipynb", notebook)
    text = f"text.{to.partition(':')[0]}"
    convert(python, "--to", to, "nb.ipynb", "-o", text, folder=tmp_path)
    convert(python, "--to", "ipynb", text, "-o", "back.ipynb", folder=tmp_path)
    back = read_notebook(tmp_path / "back.ipynb")
    nbformat.validate(back)
    assert [cell.source for cell in back.cells] == [cell.source for cell in notebook.cells]
    if to in {"py:percent", "py:light"}:
        ast.parse((tmp_path / text).read_text())


def open_as_notebook(lab: LabPage, workspace: Workspace, name: str, text: str) -> OpenNotebook:
    (workspace.folder / name).write_text(text)
    path = f"{workspace.name}/{name}"
    lab.open_empty(workspace.name)
    lab.command("docmanager:open", {"path": path, "factory": "Jupytext Notebook"})
    notebook = lab.notebook(path)
    notebook.wait_for_kernel()
    return notebook


@pytest.mark.parametrize(
    ("name", "text"), [("talk.py", PYTHON), ("talk.md", MARKDOWN)], ids=["py", "md"]
)
def test_a_script_opened_as_a_notebook_has_turns_and_tools(
    lab: LabPage, workspace: Workspace, name: str, text: str
) -> None:
    nb = open_as_notebook(lab, workspace, name, text)
    nb.run_to_end(0)
    turn = nb.run(1)
    turn.answer("Allow once")
    nb.wait_for_end(1)
    expect(turn.root).to_contain_text("by a list comprehension")
    assert "for row in rows]" in workspace.clean_py
    nb.final_output(1)
    # The file holds no outputs: the turn is put in again from its session.
    nb.save()
    lab.reload()
    nb.wait_until_ready()
    nb.final_output(1)
    expect(nb.turn(1).root).to_contain_text("by a list comprehension")
    calls = [
        {"tool": "list_cells", "args": {}},
        {
            "tool": "insert_cell",
            "args": {"after": nb.cell_ids()[0], "source": "total = sum(prices)"},
        },
    ]
    turn = nb.run(2, "%%acp notebook_user\n" + json.dumps(calls))
    expect(turn.permission).to_contain_text("change the notebook")
    turn.answer("Allow")
    nb.wait_for_end(3)
    expect(nb.cell(1)).to_contain_text("total = sum(prices)")
    nb.save()
    saved = nb.file.read_text()
    assert "total = sum(prices)" in saved
    if name == "talk.py":
        ast.parse(saved)


def test_a_notebook_that_is_paired_with_a_script_has_its_prompts_as_comments(
    lab: LabPage, workspace: Workspace
) -> None:
    path = workspace.notebook("%load_ext acp_jupyter", PROMPT)
    nb = lab.open(path)
    nb.wait_for_kernel()
    nb.evaluate(
        "notebook => notebook.content.model.setMetadata('jupytext', {formats: 'ipynb,py:percent'})"
    )
    nb.save()
    script = (workspace.folder / "nb.py").read_text()
    ast.parse(script)
    assert "# edit clean.py, it's slow" in script
    assert nb.read().metadata.jupytext.custom_cell_magics == "acp"
    # An edit outside comes in, and the notebook keeps the record of the turn that ran.
    turn = nb.run(1)
    turn.answer("Allow once")
    nb.saved_output(1)
    nb.wait_until_clean()
    lab.open_empty(workspace.name)
    (workspace.folder / "nb.py").write_text(script.replace("it's slow", "it is slow"))
    nb = lab.open(path)
    expect(nb.cell(1)).to_contain_text("it is slow")
    expect(nb.turn(1).root).to_contain_text("by a list comprehension")
