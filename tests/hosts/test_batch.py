"""papermill, nbclient: parameters in, records out, and a stop where a turn fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import papermill
import pytest
from jupyter_core.utils import run_sync
from nbclient import NotebookClient

from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.cells import jupyter_environment
from tests.support.kernel.notebook_file import new_notebook, write_notebook
from tests.support.wait import PATIENCE_SECONDS

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
    assert "Allowed by policy: accept-edits" in record["text/markdown"]
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


def command(folder: Path, *words: str, record: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program of this environment in the folder."""
    env = jupyter_environment(folder.parent) | {"ACP_JUPYTER_RECORD": record}
    program = str(Path(sys.executable).parent / words[0])
    return subprocess.run(
        (program, *words[1:]), cwd=folder, env=env, capture_output=True, text=True, check=False
    )


def one_prompt(folder: Path, prompt: str, name: str = "in.ipynb") -> None:
    write_notebook(folder / name, new_notebook("%load_ext acp_jupyter", prompt))


PAPERMILL = ("papermill", "--no-progress-bar")


@pytest.mark.long
@pytest.mark.parametrize(
    "run",
    [
        pytest.param((*PAPERMILL, "in.ipynb", "out.ipynb"), id="papermill"),
        pytest.param(
            ("jupyter", "execute", "--output=out", "in.ipynb"),
            id="jupyter execute",
            marks=pytest.mark.long,
        ),
        pytest.param(
            ("jupyter", "nbconvert", "--execute", "--to=notebook", "--output=out", "in.ipynb"),
            id="nbconvert",
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_run_is_recorded_beside_its_notebook_and_replayed(
    folder: Path, run: tuple[str, ...]
) -> None:
    one_prompt(folder, "%%acp demo --policy accept-edits\ncreate made.txt rate=0")
    done = command(folder, *run, record="record")
    assert done.returncode == 0, done.stderr
    assert (folder / "in.acp").is_dir()
    (folder / "made.txt").unlink()

    done = command(folder, *run, record="replay")
    assert done.returncode == 0, done.stderr
    assert (folder / "made.txt").exists()
    (record,) = records(saved(folder))
    assert "Demo (replayed)" in record["text/plain"]


@pytest.mark.long
def test_where_the_notebook_is_not_known_the_error_says_what_to_set(folder: Path) -> None:
    for name in ("in.ipynb", "other.ipynb"):
        one_prompt(folder, "%%acp demo\nlist rate=0", name)
    done = command(folder, "jupyter", "execute", "in.ipynb", "other.ipynb", record="record")
    assert done.returncode != 0
    assert "ACP_JUPYTER_RECORD=record:NAME.acp" in done.stderr


@pytest.mark.long
def test_a_background_turn_of_a_run_has_ended_when_the_run_has(folder: Path) -> None:
    one_prompt(folder, "%%acp demo --background\nlist rate=20")
    assert command(folder, *PAPERMILL, "in.ipynb", "out.ipynb").returncode == 0
    (record,) = records(saved(folder))
    assert record[TURN_MIME]["final"] is True
    one_prompt(folder, "%%acp demo --background --out turn\nslow rate=5")
    assert command(folder, *PAPERMILL, "in.ipynb", "out.ipynb").returncode == 0
    text = (folder / "out.ipynb").read_text()
    assert "ended before this turn" in text  # a later cell would have had to wait
    assert "running" not in text
    one_prompt(folder, "%%acp demo --background\nerror rate=0")
    done = command(folder, *PAPERMILL, "in.ipynb", "out.ipynb")
    assert done.returncode != 0
    assert "TurnError" in (folder / "out.ipynb").read_text()


@pytest.mark.parametrize("wait", ["turn.wait();", "await turn;"])
def test_a_wait_shows_the_end_that_came_between_two_cells(folder: Path, wait: str) -> None:
    """A runner takes an output from the cell alone that it runs."""
    content = new_notebook(
        "%load_ext acp_jupyter", "%%acp demo --background --out turn\nlist rate=0", wait
    )
    client = NotebookClient(
        content, timeout=PATIENCE_SECONDS, resources={"metadata": {"path": str(folder)}}
    )
    with client.setup_kernel():
        for index, cell in enumerate(content.cells[:2]):
            client.execute_cell(cell, index)
        kernel: Any = client.kc
        message = ""
        while message != "update_display_data":
            message = run_sync(kernel.get_iopub_msg)(timeout=PATIENCE_SECONDS)["msg_type"]
        assert not records(content)
        client.execute_cell(content.cells[2], 2)
    (record,) = records(content)
    assert record[TURN_MIME]["final"] is True


@pytest.mark.long
def test_what_is_saved_of_a_run_that_fails(folder: Path) -> None:
    """By `jupyter execute` nothing, as of any cell that fails, unless errors are allowed."""
    one_prompt(folder, "%%acp demo\ncreate made.txt rate=0")
    before = (folder / "in.ipynb").read_text()
    assert command(folder, "jupyter", "execute", "--inplace", "in.ipynb").returncode != 0
    assert (folder / "in.ipynb").read_text() == before
    done = command(folder, "jupyter", "execute", "--inplace", "--allow-errors", "in.ipynb")
    assert done.returncode == 0
    assert "Nobody could be asked" in (folder / "in.ipynb").read_text()


def test_a_refused_turn_says_no_half_sentence(folder: Path) -> None:
    one_prompt(folder, "%%acp demo\nrun python --version rate=60")
    assert command(folder, *PAPERMILL, "in.ipynb", "out.ipynb").returncode != 0
    (record,) = records(saved(folder))
    assert "`python --version` was" not in record["text/markdown"]
    assert "Nobody could be asked" in record["text/markdown"]
