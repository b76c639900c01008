"""The quickstart notebook, run by people's own tools."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.kernel.cells import jupyter_environment
from tests.support.quickstart import QUICKSTART, answer_by, quickstart_in
from tests.support.wait import PATIENCE_SECONDS


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    return quickstart_in(tmp_path / "work")


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
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def test_it_was_saved_with_good_outputs() -> None:
    turns = [
        output["data"] for output in outputs(QUICKSTART) if TURN_MIME in output.get("data", {})
    ]
    assert [turn[TURN_MIME]["final"] for turn in turns] == [True, True, True]
    assert "is a table with 12 rows" in "".join(turns[0]["text/markdown"])
    assert "```diff" in "".join(turns[2]["text/markdown"])
    text = QUICKSTART.read_text()
    assert str(Path.home()) not in text
    assert "widget-view" not in text


def test_what_it_works_with_is_in_the_repository_as_it_needs_it() -> None:
    """The edit has not been made, and the plot's cell was made by the agent."""
    assert "iterrows()" in QUICKSTART.with_name("rainfall.py").read_text()
    assert "plt.show()" in QUICKSTART.read_text()


def test_git_ignores_nothing_that_notebooks_write() -> None:
    """In the checkout, where newcomers open them: what is ignored can't be taken back."""
    folder = QUICKSTART.parent
    made = [f"{path.stem}/clean.py" for path in folder.glob("*.ipynb")]
    asked = ["git", "check-ignore", *made]
    said = subprocess.run(asked, cwd=folder.parent, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout, said.stderr) == (1, "", "")


def test_jupyter_execute_goes_through_with_a_policy(notebook: Path) -> None:
    """The edit is made and taken back, and nothing of this machine is saved."""
    before = (notebook.parent / "rainfall.py").read_bytes()
    answer_by("accept-edits", notebook)
    done = jupyter(notebook, "execute", "--inplace", notebook.name)
    assert done.returncode == 0, done.stderr
    assert (notebook.parent / "rainfall.py").read_bytes() == before
    text = notebook.read_text()
    assert "Allowed by policy: accept-edits" in text
    assert "rainfall.py +1" in text
    assert "widget-view" not in text
    assert str(notebook.parent.parent) not in text


@pytest.mark.long
def test_jupyter_execute_refuses_where_it_would_have_to_ask(notebook: Path) -> None:
    """It says so in the output and raises."""
    content = nbformat.reads(notebook.read_text(), as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        content, timeout=PATIENCE_SECONDS, resources={"metadata": {"path": str(notebook.parent)}}
    )
    environment = os.environ | jupyter_environment(notebook.parent.parent)
    with pytest.raises(CellExecutionError) as raised:
        client.execute(env=environment)
    assert raised.value.ename == "NobodyToAsk"
    shown = [
        output["data"]["text/markdown"]
        for cell in content.cells
        for output in cell.get("outputs", [])
        if TURN_MIME in output.get("data", {})
    ]
    assert "Nobody could be asked, so this was rejected." in shown[-1]
    assert "iterrows()" in (notebook.parent / "rainfall.py").read_text()


@pytest.mark.parametrize("format", ["html", "markdown"])
def test_converted_it_holds_text_tools_and_diff(notebook: Path, format: str) -> None:
    done = jupyter(notebook, "nbconvert", "--to", format, "--stdout", notebook.name)
    assert done.returncode == 0, done.stderr
    assert "Edit rainfall.py" in done.stdout
    assert "by one over plain dictionaries" in done.stdout
    text = re.sub(r"<[^>]*>", "", done.stdout)
    assert "rain.iterrows()" in text
    assert "<details" in done.stdout
