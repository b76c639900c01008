"""The notebook that shows each part of the view, as nbclient and papermill run it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.kernel.cells import jupyter_environment
from tests.support.wait import PATIENCE_SECONDS

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "the_view.ipynb"
PARTS = {
    "text": ("$$\n", "| --- |", "```python", "```mermaid", "- [x] text"),
    "tools": ("<b>Read the_view/report.py</b>", "the function `mean`"),
    "subagent": ("<b>Running task</b>", "- <b>Run python"),
    "plan": ("**Plan**", "- [x] Ask for permission"),
    "ask": ("```diff", "Allowed by policy: accept-edits", "1 file changed"),
    "deny": ("Rejected by rule: edit", "Nothing was changed."),
    "run": ("```sh", "exit code 0"),
    "form": ("**Question from Demo**", "Nobody could be asked"),
    "cut": ("*The answer was cut: the model reached its token limit.*",),
    "stopped": ("## Part 1", "*Stopped by you.*"),
}


def read() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook after a run from top to bottom; its own asserts have held."""
    folder = tmp_path_factory.mktemp("the-view")
    content = read()
    for cell in content.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    work = folder / "work"
    work.mkdir()
    # Nothing in the notebook waits for the turn in the background.
    wait = "import contextlib\nwith contextlib.suppress(Exception):\n    form.wait()"
    content.cells.append(nbformat.v4.new_code_cell(wait))  # type: ignore[no-untyped-call]
    client = NotebookClient(
        content, timeout=PATIENCE_SECONDS, resources={"metadata": {"path": str(work)}}
    )
    # What has no pace of its own comes at once.
    client.execute(env=os.environ | jupyter_environment(folder) | {"ACP_DEMO_RATE": "0"})
    assert list(work.iterdir()) == []
    content.cells.pop()
    return content


@pytest.mark.parametrize("state", ["run", "saved"])
def test_every_part_is_shown(request: pytest.FixtureRequest, state: str) -> None:
    content = request.getfixturevalue("run") if state == "run" else read()
    shown = {
        cell.id: output["data"]
        for cell in content.cells
        for output in cell.get("outputs", [])
        if TURN_MIME in output.get("data", {})
    }
    assert shown.keys() == PARTS.keys()
    for cell_id, words in PARTS.items():
        assert shown[cell_id][TURN_MIME]["final"], cell_id
        for word in words:
            assert word in shown[cell_id]["text/markdown"], cell_id


def test_what_was_saved_names_no_machine() -> None:
    text = NOTEBOOK.read_text()
    for local in (str(Path.home()), "/tmp/", "widget-view"):
        assert local not in text
