"""The notebook about what an agent changed and what it ran."""

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

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "changes_and_terminals.ipynb"


def read() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]


def turns(content: Any) -> list[Any]:
    shown = (output for cell in content.cells for output in cell.get("outputs", []))
    return [output["data"] for output in shown if TURN_MIME in output.get("data", {})]


def printed(content: Any, cell_id: str) -> str:
    (cell,) = (cell for cell in content.cells if cell.id == cell_id)
    return "".join(output.get("text", "") for output in cell.outputs)


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """The notebook after a run, as nbclient and papermill make it."""
    content = read()
    for cell in content.cells:
        cell.outputs = []
    work = tmp_path / "work"
    work.mkdir()
    client = NotebookClient(
        content, timeout=PATIENCE_SECONDS, resources={"metadata": {"path": str(work)}}
    )
    client.execute(env=os.environ | jupyter_environment(tmp_path))
    assert list(work.iterdir()) == []
    return content


def test_it_runs_and_shows_what_was_saved(run: Any) -> None:
    saved = read()
    assert len(turns(run)) == 2
    for now, then in zip(turns(run), turns(saved), strict=True):
        assert now[TURN_MIME]["final"]
        words = [data["text/markdown"].splitlines()[:3] for data in (now, then)]
        assert words[0] == words[1]
    for cell_id in ("changes", "refused", "revert", "ran"):
        assert printed(run, cell_id) == printed(saved, cell_id) != ""


def test_it_was_saved_with_outputs_that_name_no_machine() -> None:
    text = NOTEBOOK.read_text()
    assert len(turns(read())) == 2
    for local in (str(Path.home()), "/tmp/", "widget-view"):
        assert local not in text
