"""The notebook about sessions, run as people run it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.kernel.cells import jupyter_environment
from tests.support.wait import PATIENCE_SECONDS

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "sessions.ipynb"


def outputs(text: str) -> dict[str, list[dict[str, Any]]]:
    return {cell["id"]: cell.get("outputs", []) for cell in json.loads(text)["cells"]}


def test_it_was_saved_whole_and_without_this_machine() -> None:
    text = NOTEBOOK.read_text()
    turns = [
        output["data"][TURN_MIME]["final"]
        for cell in outputs(text).values()
        for output in cell
        if TURN_MIME in output.get("data", {})
    ]
    assert turns == [True] * 4
    assert str(Path.home()) not in text
    assert "widget-view" not in text


def test_it_runs_from_start_to_end(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    notebook = Path(shutil.copy(NOTEBOOK, folder))
    done = subprocess.run(
        [sys.executable, "-m", "jupyter", "execute", "--inplace", notebook.name],
        cwd=folder,
        env=jupyter_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    text = notebook.read_text()
    assert str(tmp_path) not in text
    cells = outputs(text)
    assert "Resume it with %acp resume" in cells["close"][0]["text"][0]
    assert "The agent does not remember what was said before." in cells["resume"][0]["text"][0]
    # The cell did not wait, and holds the end of its turn all the same.
    (background,) = cells["background"]
    assert background["data"][TURN_MIME]["final"]
    assert cells["share"][0]["text"] == ["turn.html, below 300 kB: True\n"]
    assert "to agent session/prompt" in cells["log"][0]["text"][0]
