"""The notebooks that are the manual: each runs, asserts what it shows, and is saved so."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from nbclient import NotebookClient

from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.kernel.cells import jupyter_environment
from tests.support.kernel.notebook_file import read_notebook
from tests.support.wait import PATIENCE_SECONDS

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"

SHOWN = {
    "batch": (
        *("done end_turn", "+++ b/Basel.md", "nobody_to_ask"),
        "<2 jobs: 2 done, mean grade 1>",
    ),
    "check": ("cell 2: different", "it uses turn, which cell 4 sets", "text/plain 6 -> 10"),
    "agents": ("| demo | Demo | ready |", "There is no agent", "npm install -g"),
    "context": (
        '<notebook-data origin="variable prices">',
        "--- resource\nname,price",
        "plan rate=0 for 3 cups",
        'File "<cell>", line 2',
    ),
    "go_back": (
        *("Went back to before", "the conversation goes on here", "User: plan rate=0 for apricots"),
        *("one.txt two.txt", "plan rate=0 for cherries"),
    ),
    "next_cell": ("prices = [3, 1, 2]", 'print(f"{total = }")', "total = 6"),
    "follow": ("1 file changed: follow/clean.py", "-> [('follow/clean.py'"),
    "dashboard": (
        "done end_turn",
        "('edit', 'completed', 'dashboard/rain.csv')",
        'The "status" trait is read-only.',
    ),
    "http_api": ("202 ['turn_id']", "allow_once · Allow once", "prompt_response", "403"),
    "permissions": (
        "Nobody was there: Nobody could be asked",
        "Rejected by policy: read-only",
        "Allowed by policy: accept-edits",
        "→ Allowed by rule: execute:python",
        "Rejected by rule: edit:**/secret.*",
    ),
    "python_api": ("done end_turn", "+++ b/python_api/clean.py", "took longer than 0.5 s"),
    "traffic": ("session/request_permission", "> session/prompt", "plan rate=0 [redacted]"),
}
"""What a reader must find in the outputs of each, run here or as it was saved."""
SECONDS = {"batch": 300, "check": 180}
"""The longest time for a cell, where that is not a minute."""
RUN = [
    pytest.param(name, marks=(pytest.mark.long, pytest.mark.timeout(900)))
    if name in SECONDS
    else name
    for name in SHOWN
]
LEFT = {"dashboard": ["dashboard"]}
"""What stays beside a notebook: the dashboard goes on working after its last cell."""


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells for output in cell.get("outputs", ())]


def text(notebook: Any) -> str:
    """Return all that the outputs say."""
    bundles = [output.get("data", {}) for output in outputs(notebook)]
    said = [output.get("text", "") for output in outputs(notebook)]
    return "\n".join([*said, *(data.get("text/markdown", "") for data in bundles)])


@pytest.mark.parametrize("name", RUN)
def test_it_runs_from_top_to_bottom_and_leaves_no_file(name: str, tmp_path: Path) -> None:
    """Its own asserts hold."""
    notebook = read_notebook(NOTEBOOKS / f"{name}.ipynb")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    folder = tmp_path / "work"
    folder.mkdir()
    seconds = SECONDS.get(name, PATIENCE_SECONDS)
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=seconds, resources=resources)
    environment = os.environ | jupyter_environment(tmp_path)
    client.execute(env=environment | {"ACP_DEMO_RATE": "0", "TMPDIR": str(tmp_path)})
    for words in SHOWN[name]:
        assert words in text(notebook), words
    assert [path.name for path in folder.iterdir()] == LEFT.get(name, [])


@pytest.mark.parametrize("name", SHOWN)
def test_it_was_saved_whole_and_without_a_machine(name: str) -> None:
    notebook = read_notebook(NOTEBOOKS / f"{name}.ipynb")
    for words in SHOWN[name]:
        assert words in text(notebook), words
    bundles = [output.get("data", {}) for output in outputs(notebook)]
    turns = [data[TURN_MIME] for data in bundles if TURN_MIME in data]
    assert all(turn["final"] for turn in turns)
    failed = [output.ename for output in outputs(notebook) if output.output_type == "error"]
    assert failed == (["ZeroDivisionError"] if name == "context" else [])
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    source = (NOTEBOOKS / f"{name}.ipynb").read_text()
    for local in (str(Path.home()), "/tmp/", "widget-view"):
        assert local not in source
