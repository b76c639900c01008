"""The notebook about writing an agent runs, and shows what was saved."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from acp_jupyter.testing import HAZARDS
from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.kernel.cells import jupyter_environment
from tests.support.wait import PATIENCE_SECONDS

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "write_an_agent.ipynb"


def read() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]


def shown(content: Any, cell_id: str) -> list[str]:
    (cell,) = (cell for cell in content.cells if cell.id == cell_id)
    data = [output.get("data", {}) for output in cell.outputs]
    return [
        output.get("text") or each["text/plain"]
        for output, each in zip(cell.outputs, data, strict=True)
    ]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook after a run, as nbclient and papermill make it."""
    folder = tmp_path_factory.mktemp("write")
    work = folder / "work"
    work.mkdir()
    content = read()
    for cell in content.cells:
        cell.outputs = []
    client = NotebookClient(
        content, timeout=PATIENCE_SECONDS, resources={"metadata": {"path": str(work)}}
    )
    client.execute(env=os.environ | jupyter_environment(folder))
    assert list(work.iterdir()) == []
    return content


def test_it_shows_what_was_saved(run: Any) -> None:
    saved = read()
    for cell_id in ("ten", "ask", "asks-again", "plan", "write", "look", "lends", "checklist"):
        assert shown(run, cell_id) == shown(saved, cell_id) != [], cell_id


def test_the_agents_own_test_prints_nothing(run: Any) -> None:
    assert shown(run, "test") == []


def test_the_checklist_tries_what_the_agent_declares(run: Any) -> None:
    (table,) = shown(run, "checklist")
    tried = [line.split()[1] for line in table.splitlines() if line.startswith("passed")]
    assert set(HAZARDS) - set(tried) == {
        "image",
        "audio",
        "embedded_resource",
        "cancel_in_tool_call",
    }


def test_what_it_needs_is_said_in_one_line() -> None:
    text = "".join(cell.source for cell in read().cells if cell.cell_type == "markdown")
    (needed,) = re.findall(r'`pip install "([^"]+)"`', text)
    assert needed in (NOTEBOOK.parents[1] / "pyproject.toml").read_text()


def test_the_edit_is_a_card_with_a_plan(run: Any) -> None:
    (cell,) = (cell for cell in run.cells if cell.id == "write")
    kinds = [item["kind"] for item in cell.outputs[0]["data"][TURN_MIME]["items"]]
    assert {"plan", "tool_call", "agent_message"} <= set(kinds)
