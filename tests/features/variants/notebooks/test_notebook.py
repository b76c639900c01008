"""The notebook about variants of a prompt runs, and shows what was saved."""

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

NOTEBOOK = Path(__file__).parents[4] / "notebooks" / "variants.ipynb"


def read() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]


def shown(content: Any, cell_id: str) -> list[Any]:
    (cell,) = (cell for cell in content.cells if cell.id == cell_id)
    return [output.get("data", {}) or output.get("text", "") for output in cell.outputs]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook after a run, as nbclient and papermill make it."""
    folder = tmp_path_factory.mktemp("variants")
    content = read()
    for cell in content.cells:
        cell.outputs = []
    work = folder / "work"
    work.mkdir()
    client = NotebookClient(
        content, timeout=PATIENCE_SECONDS, resources={"metadata": {"path": str(work)}}
    )
    client.execute(env=os.environ | jupyter_environment(folder))
    assert list(work.iterdir()) == []
    assert list((folder / "data" / "acp-jupyter" / "variants").iterdir()) == []
    return content


def test_it_shows_what_was_saved(run: Any) -> None:
    saved = read()
    for cell_id in ("try", "unchanged", "keep", "refused", "python"):
        assert shown(run, cell_id) == shown(saved, cell_id) != []


def test_each_variant_is_folded_in_the_order_of_the_agents(run: Any) -> None:
    turns = [data for data in shown(run, "try") if TURN_MIME in data]
    assert [data[TURN_MIME]["turn"]["variant"] for data in turns] == [1, 2]
    for number, data in enumerate(turns, 1):
        words = data["text/markdown"]
        summary = f"<details>\n<summary>Variant {number}: Demo, not kept</summary>\n\n"
        assert words.startswith(summary)
        assert words.endswith("\n\n</details>")
        assert data["text/plain"].startswith(f"Variant {number}: Demo, not kept\n")


def test_it_was_saved_with_outputs_that_name_no_machine() -> None:
    text = NOTEBOOK.read_text()
    for word in ("/home/", "/tmp/", "/root/", "/work/"):
        assert word not in text
