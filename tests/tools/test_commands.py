"""Formatters, linters and runners that know nothing of prompts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.cells import jupyter_environment
from tests.support.kernel.notebook_file import (
    TURN_MIME,
    new_notebook,
    read_notebook,
    write_notebook,
)

ROOT = Path(__file__).resolve().parents[2]
PROMPT = "%%acp demo --policy accept-edits --out turn\ncreate made.txt,  it's 'rate=0'"
CODE = "print( turn.diffs[0].path )"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    trust_in_data_dir(tmp_path / "data", tmp_path)
    folder = tmp_path / "work"
    folder.mkdir()
    write_notebook(folder / "nb.ipynb", new_notebook("%load_ext acp_jupyter", PROMPT, CODE))
    return folder


def run(python: Path, *command: str, folder: Path) -> str:
    env = jupyter_environment(folder.parent)
    del env["PYTHONPATH"]
    path = os.pathsep.join([str(python.parent), env["PATH"]])
    done = subprocess.run(
        command, cwd=folder, env=env | {"PATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


def sources(path: Path) -> list[str]:
    return [cell.source for cell in read_notebook(path).cells]


def records(path: Path) -> list[Any]:
    outputs = [output for cell in read_notebook(path).cells for output in cell.get("outputs", ())]
    return [output.data for output in outputs if TURN_MIME in output.get("data", {})]


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "format", "nb.ipynb"),
        ("black", "-q", "nb.ipynb"),
        ("nbqa", "black", "nb.ipynb"),
    ],
    ids=["ruff", "black", "nbqa"],
)
def test_a_formatter_leaves_prompts_alone(
    python: Path, folder: Path, command: tuple[str, ...]
) -> None:
    run(python, *command, folder=folder)
    assert sources(folder / "nb.ipynb") == [
        "%load_ext acp_jupyter",
        PROMPT,
        "print(turn.diffs[0].path)",
    ]


def test_ruff_knows_our_names_by_a_line(python: Path, folder: Path) -> None:
    (folder / "ruff.toml").write_text('builtins = ["_acp", "turn"]\n')
    run(python, "ruff", "check", "nb.ipynb", folder=folder)
    (folder / "ruff.toml").unlink()
    with pytest.raises(AssertionError, match="F821"):
        run(python, "ruff", "check", "nb.ipynb", folder=folder)


def test_pylint_knows_our_names_by_a_line(python: Path, folder: Path) -> None:
    line = "--additional-builtins=_acp,turn"
    checks = ("--disable=all", "--enable=undefined-variable,syntax-error")
    run(python, "nbqa", "pylint", "nb.ipynb", *checks, line, folder=folder)
    with pytest.raises(AssertionError, match="undefined-variable"):
        run(python, "nbqa", "pylint", "nb.ipynb", *checks, folder=folder)


def test_nbstripout_takes_the_turns_out(python: Path, folder: Path) -> None:
    (folder / "nb.ipynb").write_text((ROOT / "notebooks/quickstart.ipynb").read_text())
    assert records(folder / "nb.ipynb")
    before = sources(folder / "nb.ipynb")
    run(python, "nbstripout", "nb.ipynb", folder=folder)
    assert "vnd.acp-jupyter" not in (folder / "nb.ipynb").read_text()
    assert sources(folder / "nb.ipynb") == before


@pytest.mark.parametrize(
    "command",
    [
        ("papermill", "--no-progress-bar", "nb.ipynb", "out.ipynb"),
        ("ploomber-engine", "nb.ipynb", "out.ipynb"),
        ("pytest", "-q", "-p", "no:cacheprovider", "--nbmake", "--overwrite", "nb.ipynb"),
    ],
    ids=["papermill", "ploomber-engine", "nbmake"],
)
def test_a_runner_saves_the_whole_turn(
    python: Path, folder: Path, command: tuple[str, ...]
) -> None:
    run(python, *command, folder=folder)
    assert (folder / "made.txt").exists()
    saved = folder / ("out.ipynb" if "out.ipynb" in command else "nb.ipynb")
    (record,) = records(saved)
    assert record[TURN_MIME]["final"] is True
    assert "made.txt" in record["text/markdown"]
    nbformat.validate(read_notebook(saved))


def test_jupyter_cache_keeps_the_whole_turn(python: Path, folder: Path) -> None:
    (folder / "cache").mkdir()
    cache = ("--cache-path", "cache")
    run(python, "jcache", "notebook", *cache, "add", "nb.ipynb", folder=folder)
    run(python, "jcache", "project", *cache, "execute", folder=folder)
    (saved,) = (folder / "cache" / "executed").glob("*/base.ipynb")
    (record,) = records(saved)
    assert record[TURN_MIME]["final"] is True


def test_testbook_runs_a_turn_and_hands_over_its_text(python: Path, folder: Path) -> None:
    (folder / "test_it.py").write_text(
        "from testbook import testbook\n\n\n"
        "@testbook('nb.ipynb', execute=True)\n"
        "def test_it(tb):\n"
        "    assert tb.cell_output_text(2) == 'made.txt'\n"
    )
    run(python, "pytest", "-q", "-p", "no:cacheprovider", "test_it.py", folder=folder)


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb")))
def test_a_saved_notebook_is_valid(name: str) -> None:
    nbformat.validate(read_notebook(ROOT / "notebooks" / name))
