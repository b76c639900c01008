"""Notebooks that are recorded once and then run with no agent and no model."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.kernel.cells import Kernel, jupyter_environment
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.wait import PATIENCE_SECONDS

NOTEBOOKS = Path(__file__).parents[4] / "notebooks"
NAME = "record_and_replay"
WATCH = """\
import os, sys

def note(event, args):
    if event == "subprocess.Popen":
        with open(os.environ["STARTED_LOG"], "a") as log:
            log.write(" ".join(map(str, args[1])) + "\\n")

sys.addaudithook(note)
"""


@pytest.fixture
def books(tmp_path: Path) -> Path:
    """A folder with the notebook and its record."""
    books = tmp_path / "books"
    books.mkdir()
    shutil.copy(NOTEBOOKS / f"{NAME}.ipynb", books)
    shutil.copytree(NOTEBOOKS / f"{NAME}.acp", books / f"{NAME}.acp")
    return books


@pytest.fixture
def started(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Variables with which what a kernel starts is written down; the demo agent must not be."""
    watch = tmp_path / "watch"
    watch.mkdir()
    (watch / "sitecustomize.py").write_text(WATCH)
    log = watch / "started.log"
    yield {"PYTHONPATH": f"{watch}:{Path(__file__).parents[4]}", "STARTED_LOG": str(log)}
    lines = log.read_text()
    assert "acp_jupyter.agents.replay" in lines
    assert "acp_jupyter.agents.demo" not in lines


def _cells(books: Path, *change: tuple[str, str]) -> Any:
    content = nbformat.read(books / f"{NAME}.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    for cell in content.cells:
        if cell.cell_type == "code":
            cell.outputs = []
        for was, now in change:
            cell.source = cell.source.replace(was, now)
    return content


def _run(books: Path, content: Any, variables: dict[str, str]) -> list[str]:
    """Run as nbclient and papermill do; return the turns."""
    environment = os.environ | jupyter_environment(books.parent) | variables
    client = NotebookClient(
        content,
        timeout=PATIENCE_SECONDS,
        resources={"metadata": {"path": str(books)}},
        record_timing=False,
    )
    client.execute(env=environment)
    return _turns(content)


def _turns(content: Any) -> list[str]:
    shown = (output for cell in content.cells for output in cell.get("outputs", []))
    return [out["data"]["text/markdown"] for out in shown if TURN_MIME in out.get("data", {})]


def test_the_notebook_runs_with_no_agent_but_the_replay_one(
    books: Path, started: dict[str, str]
) -> None:
    saved = _turns(nbformat.read(NOTEBOOKS / f"{NAME}.ipynb", as_version=4))  # type: ignore[no-untyped-call]
    assert _run(books, _cells(books), started) == saved
    assert len(saved) == 2
    assert not (books / NAME).exists()


@pytest.mark.long
def test_running_it_again_gives_the_same_file(books: Path) -> None:
    """Byte for byte, so that nbval can compare it; and the turns are those that are shipped.

    With ``ACP_WRITE_GOLDEN=1`` the notebook in the repository gets them.
    """
    file = NOTEBOOKS / f"{NAME}.ipynb"
    shipped = nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]
    files = []
    for _ in range(2):
        content = _cells(books)
        _run(books, content, {})
        files.append(nbformat.writes(content))  # type: ignore[no-untyped-call]
        if os.environ.get("ACP_WRITE_GOLDEN"):
            for was, now in zip(_outputs(shipped), _outputs(content), strict=True):
                was.update(now)
            file.write_text(nbformat.writes(shipped) + "\n")  # type: ignore[no-untyped-call]
        assert list(_outputs(content)) == list(_outputs(shipped))
    assert files[0] == files[1]


@pytest.mark.long
def test_nbval_finds_the_turns_as_they_are_shipped(books: Path) -> None:
    environment = os.environ | jupyter_environment(books.parent)
    command = [sys.executable, "-m", "pytest", "--nbval", "-p", "no:cacheprovider", f"{NAME}.ipynb"]
    ran = subprocess.run(command, cwd=books, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout


def _outputs(content: Any) -> Iterator[Any]:
    for cell in content.cells:
        yield from (out for out in cell.get("outputs", []) if TURN_MIME in out.get("data", {}))


def test_a_record_of_somebody_else_needs_trust_and_ones_own_does_not(books: Path) -> None:
    """In CI nobody can be asked: the cells say ``--trust``."""
    asks = [(" --trust", ""), (", trust=True", "")]
    with pytest.raises(CellExecutionError) as raised:
        _run(books, _cells(books, *asks), {})
    assert raised.value.ename == "FolderNotTrusted"
    assert "record_and_replay.acp/demo.ndjson was not recorded here" in raised.value.evalue
    assert not (books / NAME).exists()
    _run(books, _cells(books, ("replay on", "record on")), {})
    assert len(_run(books, _cells(books, *asks), {})) == 2


def test_the_notebook_runs_for_an_agent_that_is_not_installed(books: Path) -> None:
    for file in (books / f"{NAME}.acp").iterdir():
        file.rename(file.with_name(file.name.replace("demo", "claude")))
    content = _cells(books, ("acp demo", "acp claude"), ('connect("demo"', 'connect("claude"'))
    assert len(_run(books, content, {})) == 2


def test_a_changed_prompt_stops_the_notebook(books: Path) -> None:
    with pytest.raises(CellExecutionError) as raised:
        _run(books, _cells(books, ("faster", "shorter")), {})
    assert raised.value.ename == "TurnError"
    assert "not the one that was recorded" in raised.value.evalue


@pytest.mark.long
def test_the_notebook_can_be_recorded_anew(books: Path) -> None:
    file = books / f"{NAME}.acp" / "demo.ndjson"
    before = file.read_text()
    (turn, *_rest) = _run(books, _cells(books, ("replay on", "record on")), {})
    assert "(replayed)" not in turn
    assert file.read_text() != before
    assert len(_run(books, _cells(books), {})) == 2


def test_the_committed_record_and_notebook_give_nothing_away() -> None:
    files = [NOTEBOOKS / f"{NAME}.ipynb", *(NOTEBOOKS / f"{NAME}.acp").iterdir()]
    assert len(files) == 3
    for file in files:
        text = file.read_text()
        for local in (str(Path.home()), str(NOTEBOOKS.parent), "/tmp/", "widget-view"):
            assert local not in text.replace("/workspace", "")
        if len(getpass.getuser()) > 4:
            assert getpass.getuser() not in text


# -- through the server --------------------------------------------------------


@pytest.mark.long
def test_the_server_plays_the_notebook_too(
    books: Path, started: dict[str, str], tmp_path: Path
) -> None:
    with JupyterServer(tmp_path / "server", env=started) as server:
        folder = server.root / "folder"
        shutil.copytree(books, folder)
        path = f"folder/{NAME}.ipynb"
        file = server.start_kernel(path).connection_file
        content = _cells(folder)
        with Kernel(server.root, connection_file=file) as kernel, server.user() as user:
            kernel.run(f"import os; os.chdir({str(folder)!r})").ok()
            for number, cell in enumerate(content.cells):
                if cell.cell_type == "code":
                    kernel.run(cell.source, cell_id=f"c{number}").ok()
            records = user.get("records", params={"notebook_path": path}).json()["outputs"]
            assert len(records) == 2
            assert all("(replayed)" in r["bundle"]["data"]["text/markdown"] for r in records)
            sessions = user.get("sessions").json()
            assert {s["agent_info"]["name"] for s in sessions} == {"Demo (replayed)"}


@pytest.mark.long
def test_the_server_records_beside_the_notebook(tmp_path: Path) -> None:
    agents = fake_agents("permission")
    with JupyterServer(tmp_path / "server", agents=agents) as server:
        (server.root / "folder").mkdir()
        path = "folder/own.ipynb"
        file = server.start_kernel(path).connection_file
        with Kernel(server.root, connection_file=file) as kernel:
            kernel.run("%load_ext acp_jupyter").ok()
            assert "folder/own.acp" in kernel.run("%acp record on").ok().printed
            kernel.run("%%acp permission --policy accept-edits\none", cell_id="a").ok()
            kernel.run("%acp record off").ok()
            kernel.run("%%acp permission --policy accept-edits\ntwo", cell_id="b").ok()
        with server.user() as user:
            _closed(user)
        text = (server.root / "folder" / "own.acp" / "permission.ndjson").read_text()
        assert '"content":"one\\n"' in text
        assert "two" not in text
        assert str(tmp_path) not in text


def _closed(user: httpx.Client) -> None:
    for session in user.get("sessions").json():
        user.delete(f"sessions/{session['session_id']}").raise_for_status()
