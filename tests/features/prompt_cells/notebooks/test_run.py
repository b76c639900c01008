"""``jupyter acp run``, and programs that run a notebook without its prompts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.kernelspec import find_kernel_specs
from nbclient import NotebookClient

from acp_jupyter.features.prompt_cells.run import main
from tests.support.agents.fake_agent import script
from tests.support.kernel.notebook_file import (
    is_final,
    new_notebook,
    read_notebook,
    write_notebook,
)
from tests.support.kernel.words_kernel import NAME, install

ADD_CELL = """\
import nbformat
book = nbformat.read("copy.ipynb", 4)
book.cells.insert(2, nbformat.v4.new_code_cell("set later 1"))
nbformat.write(book, "copy.ipynb")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a kernel of another language and scripted agents, not trusted yet."""
    servers = {name: script(name) for name in ("own_tools", "permission")}
    for name in ("config", "data", "runtime", "home"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(f"JUPYTER_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "config" / "acp_agents.json").write_text(json.dumps({"agent_servers": servers}))
    install(tmp_path / "data")
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def book(folder: Path, *sources: str, kernel: str = NAME, name: str = "book.ipynb") -> Path:
    write_notebook(folder / name, new_notebook(*sources, kernel=kernel))
    return folder / name


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "acp_jupyter.command_line", "run", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def text(cell: Any) -> str:
    return "".join(output.get("text", "") for output in cell.outputs)


def test_a_notebook_of_another_kernel_runs_with_its_prompts(folder: Path) -> None:
    (folder / "add.py").write_text(ADD_CELL)
    before = book(
        folder,
        "set price 3",
        f"%%acp own_tools --var price\nwrite a.txt one\nrun {sys.executable} add.py\ntell Done. ",
        "seen",
        "%%acp permission\nMay I?",
        "seen",
    )
    untouched = before.read_bytes()
    done = run(folder, "book.ipynb", "--output", "copy.ipynb", "--trust")
    assert "Cell 5 failed: Nobody could be asked, so this was rejected." in done.stdout, (
        done.stdout + done.stderr
    )
    assert done.returncode == 1
    assert before.read_bytes() == untouched
    assert (folder / "a.txt").read_text() == "one"

    # The kernel ran what an agent has put below the prompt, and nothing below what failed.
    cells = read_notebook(folder / "copy.ipynb").cells
    assert text(cells[3]) == "['set price 3', 'set later 1', 'seen']\n"
    assert cells[5].outputs == []
    for cell in (cells[1], cells[4]):
        assert is_final(cell.outputs[0])
        assert cell.metadata.tags == ["skip-execution"]
    assert "no such verb: price" in cells[1].outputs[0].data["text/markdown"]

    # Other programs pass the prompts over, and leave their outputs.
    notebook = read_notebook(folder / "copy.ipynb")
    NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}).execute()
    assert text(notebook.cells[5]) == "['set price 3', 'set later 1', 'seen', 'seen']\n"
    assert notebook.cells[1].outputs == cells[1].outputs


SECOND_HAND = """\
import nbformat
book = nbformat.read("book.ipynb", 4)
book.cells.append(nbformat.v4.new_markdown_cell("mine"))
nbformat.write(book, "book.ipynb")
"""


@pytest.mark.parametrize("below", ["'later'", "%%acp own_tools\\ntell Done."])
def test_what_somebody_else_saves_meanwhile_stays(folder: Path, below: str) -> None:
    path = book(folder, "'first'", SECOND_HAND, below.replace("\\n", "\n"), kernel="python3")
    path.chmod(0o640)
    done = run(folder, "book.ipynb", "--trust")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "The outputs are in book-run-1.ipynb." in done.stdout
    cells = read_notebook(path).cells
    assert cells[-1].source == "mine"
    assert not any(cell.get("outputs") for cell in cells)
    assert read_notebook(folder / "book-run-1.ipynb").cells[0].outputs
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_can_not_be_run_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "no.ipynb").write_text("{")
    for name, words in (("no.ipynb", "is no notebook"), ("gone.ipynb", "can't be read")):
        assert main([str(folder / name)]) == 2
        assert words in capsys.readouterr().err
    assert main([str(folder / "no.ipynb"), "--output", str(folder / "a" / "b.ipynb")]) == 2
    assert "can't be written" in capsys.readouterr().err


REAL = {
    "bash": ("x=42; echo $x", "echo again $x"),
    "ir": ("x <- 42; x", "print(paste('again', x))"),
    "duckdb": ("%CREATE :memory:", "select 42 as x"),
    "xpython": ("x = 42", "print('again', x)"),
}


@pytest.mark.long("needs kernels of other languages, which few machines have")
@pytest.mark.parametrize("kernel", REAL)
def test_real_kernels(folder: Path, kernel: str) -> None:
    place = find_kernel_specs().get(kernel)
    if place is None:
        pytest.skip(f"the kernel {kernel} is not installed")
    first, last = REAL[kernel]
    written = book(folder, first, "%%acp own_tools\nwrite a.txt one", last, kernel=kernel)
    done = run(folder, "book.ipynb", "--trust")
    assert done.returncode == 0, done.stdout + done.stderr
    cells = read_notebook(written).cells
    assert is_final(cells[1].outputs[0])
    assert (folder / "a.txt").read_text() == "one"
    assert cells[2].outputs


@pytest.mark.long("nbclient, which these programs are made of, is tried above")
@pytest.mark.parametrize("program", ["nbconvert", "execute", "papermill"])
def test_programs_pass_prompts_over(folder: Path, program: str) -> None:
    if program == "papermill" and shutil.which(program) is None:
        pytest.skip("papermill is not installed")
    written = book(folder, "set price 3", "%%acp own_tools\nwrite a.txt one", "seen")
    notebook = read_notebook(written)
    notebook.cells[1].metadata.tags = ["skip-execution"]
    write_notebook(written, notebook)
    command = {
        "nbconvert": ["jupyter", "nbconvert", "--to", "notebook", "--execute", "--inplace"],
        "execute": ["jupyter", "execute", "--inplace"],
        "papermill": ["papermill", "--kernel", NAME],
    }[program]
    more = ["book.ipynb"] if program == "papermill" else []
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run([*command, "book.ipynb", *more], cwd=folder, env=env, check=True)
    assert text(read_notebook(written).cells[2]) == "['set price 3', 'seen']\n"
    assert not (folder / "a.txt").exists()
