"""The quickstart notebook, run by people's own tools."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from acp_jupyter.transcript.output.bundle import TURN_MIME
from tests.support.notebook import jupyter_environment

QUICKSTART = Path(__file__).parents[2] / "notebooks" / "quickstart.ipynb"


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return Path(shutil.copy(QUICKSTART, folder))


def outputs(notebook: Path) -> list[dict[str, Any]]:
    cells = json.loads(notebook.read_text())["cells"]
    return [output for cell in cells for output in cell.get("outputs", [])]


def jupyter(notebook: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jupyter", *args],
        cwd=notebook.parent,
        env=jupyter_environment(notebook.parent.parent),
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )


def test_it_has_five_code_cells_and_was_saved_with_good_outputs() -> None:
    cells = json.loads(QUICKSTART.read_text())["cells"]
    assert sum(cell["cell_type"] == "code" for cell in cells) == 5
    turns = [
        output["data"] for output in outputs(QUICKSTART) if TURN_MIME in output.get("data", {})
    ]
    assert [turn[TURN_MIME]["final"] for turn in turns] == [True, True]
    assert "```diff" in "".join(turns[1]["text/markdown"])
    text = QUICKSTART.read_text()
    assert str(Path.home()) not in text
    assert "widget-view" not in text


def test_git_ignores_nothing_that_notebooks_write() -> None:
    """In the checkout, where newcomers open them: what is ignored can't be taken back."""
    folder = QUICKSTART.parent
    made = [f"{path.stem}/clean.py" for path in folder.glob("*.ipynb")]
    asked = ["git", "check-ignore", *made]
    said = subprocess.run(asked, cwd=folder.parent, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout, said.stderr) == (1, "", "")


def test_jupyter_execute_edits(notebook: Path) -> None:
    """With ``--policy accept-edits`` it goes through, and nothing of this machine is saved."""
    done = jupyter(notebook, "execute", "--inplace", notebook.name)
    assert done.returncode == 0, done.stderr
    script = notebook.parent / "quickstart" / "clean.py"
    assert "for price in prices if price.strip()" in script.read_text()
    text = notebook.read_text()
    assert "Allowed by rule: accept-edits" in text
    assert "widget-view" not in text
    assert str(notebook.parent.parent) not in text


def test_jupyter_execute_refuses_where_it_would_have_to_ask(notebook: Path) -> None:
    """With ``ask`` it says so in the output and raises, in seconds."""
    content = nbformat.reads(notebook.read_text(), as_version=4)  # type: ignore[no-untyped-call]
    for cell in content.cells:
        cell.source = cell.source.replace("--policy accept-edits", "--policy ask")
    client = NotebookClient(
        content, timeout=40, resources={"metadata": {"path": str(notebook.parent)}}
    )
    start = time.monotonic()
    environment = os.environ | jupyter_environment(notebook.parent.parent)
    with pytest.raises(CellExecutionError) as raised:
        client.execute(env=environment)
    assert time.monotonic() - start < 30
    assert raised.value.ename == "NobodyToAsk"
    shown = [
        output["data"]["text/markdown"]
        for cell in content.cells
        for output in cell.get("outputs", [])
        if TURN_MIME in output.get("data", {})
    ]
    assert "Nobody could be asked, so this was refused." in shown[-1]
    script = notebook.parent / "quickstart" / "clean.py"
    assert "numbers.append" in script.read_text()


@pytest.mark.parametrize("format", ["html", "markdown"])
def test_converted_it_holds_text_tools_and_diff(notebook: Path, format: str) -> None:
    done = jupyter(notebook, "nbconvert", "--to", format, "--stdout", notebook.name)
    assert done.returncode == 0, done.stderr
    assert "Edit quickstart/clean.py" in done.stdout
    assert "list comprehension instead of a loop" in done.stdout
    text = re.sub(r"<[^>]*>", "", done.stdout)
    assert "numbers.append(float(price))" in text
    assert "<details" in done.stdout
