"""papermill: parameters in, a notebook with records out, and a stop where a turn fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import papermill
import pytest

from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.notebook import jupyter_environment
from tests.support.notebook_file import new_notebook, write_notebook
from tests.support.trusting import trust_in_data_dir

PROMPT = "%%acp demo --format --policy {policy} --out turn\ncreate {{name}} rate=0"
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in jupyter_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    trust_in_data_dir(tmp_path / "data", tmp_path)
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def execute(folder: Path, policy: str) -> Any:
    content = new_notebook(
        "name = 'none.txt'",
        "%load_ext acp_jupyter",
        PROMPT.format(policy=policy),
        "print(turn.diffs[0].path)",
    )
    content["cells"][0]["metadata"]["tags"] = ["parameters"]
    write_notebook(folder / "in.ipynb", content)
    papermill.execute_notebook(
        folder / "in.ipynb",
        folder / "out.ipynb",
        parameters={"name": "made.txt"},
        cwd=folder,
        progress_bar=False,
    )


def saved(folder: Path) -> Any:
    return nbformat.read(folder / "out.ipynb", as_version=4)  # type: ignore[no-untyped-call]


def records(notebook: Any) -> list[Any]:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [each.data for each in outputs if TURN_MIME in each.get("data", {})]


def test_papermill_runs_a_turn_with_its_parameter(folder: Path) -> None:
    execute(folder, "accept-edits")
    assert (folder / "made.txt").exists()
    notebook = saved(folder)
    (record,) = records(notebook)
    assert record[TURN_MIME]["final"] is True
    assert "Allowed by rule: accept-edits" in record["text/markdown"]
    assert notebook.cells[-1].outputs[0].text == "made.txt\n"
    text = (folder / "out.ipynb").read_text()
    assert "widget-view" not in text
    # papermill itself writes where it was run; no record does.
    assert str(folder) not in str(records(notebook))


def test_papermill_stops_where_somebody_would_have_to_be_asked(folder: Path) -> None:
    with pytest.raises(papermill.PapermillExecutionError) as raised:
        execute(folder, "ask")
    assert raised.value.ename == "NobodyToAsk"
    assert not (folder / "made.txt").exists()
    notebook = saved(folder)
    assert "Nobody could be asked, so this was rejected." in records(notebook)[0]["text/markdown"]
    assert notebook.cells[-1].outputs == []
