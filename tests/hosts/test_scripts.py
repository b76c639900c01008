"""Programs without Jupyter: the agents run below them and end with them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.cells import jupyter_environment
from tests.support.wait import PATIENCE_SECONDS

PROGRAMS = Path(__file__).parent / "programs"


def run(program: str, tmp_path: Path, record: str = "") -> str:
    """Run a program in a folder of its own and return what it printed; it must end well."""
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    trust_in_data_dir(tmp_path / "data", tmp_path)
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / program)],
        cwd=folder,
        env=jupyter_environment(tmp_path) | {"ACP_JUPYTER_RECORD": record},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_a_script(tmp_path: Path) -> None:
    printed = run("script.py", tmp_path).splitlines()
    assert printed[0].startswith("refused: Nobody could be asked")
    assert printed[1] == "end_turn ['made.txt'] Allowed by rule: edit:*.txt"
    assert printed[2].startswith("refused: The prompt is empty.")
    assert printed[3:] == ["done"]


def test_an_asyncio_program(tmp_path: Path) -> None:
    printed = run("asyncio_program.py", tmp_path).splitlines()
    assert printed[0] == "end_turn Allowed by policy: accept-edits"
    assert printed[1] == "cancelled"
    assert printed[2].startswith("error: ")
    assert printed[3] == "too long: The turn took longer than 0.3 s and was stopped."
    assert (tmp_path / "work" / "made.txt").exists()


@pytest.mark.long
def test_a_program_is_recorded_and_replayed(tmp_path: Path) -> None:
    printed = run("one_prompt.py", tmp_path, "record:made.acp")
    assert printed == "Demo end_turn ['made.txt']\n"
    (tmp_path / "work" / "made.txt").unlink()
    printed = run("one_prompt.py", tmp_path, "replay:made.acp")
    assert printed == "Demo (replayed) end_turn ['made.txt']\n"
    assert (tmp_path / "work" / "made.txt").exists()
