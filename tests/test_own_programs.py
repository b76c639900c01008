"""No process of ours imports from the folder that it starts in."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import acp_jupyter
from acp_jupyter.own_programs import module_command, script_command

PACKAGE = Path(acp_jupyter.__file__).parent
OWN_CODE = {"agents/demo/command_tasks.py"}
"""Runs Python as a command that is asked for, like any agent."""


def _starts() -> Iterator[str]:
    """Yield where the interpreter is named; who starts it otherwise starts another program."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Attribute)
                and node.attr == "executable"
                and isinstance(node.value, ast.Name)
                and node.value.id == "sys"
            ):
                yield path.relative_to(PACKAGE).as_posix()


def test_one_place_says_how_a_program_of_ours_is_started() -> None:
    found = set(_starts()) - OWN_CODE
    # uv is told which environment to install into; it imports nothing. What confines an agent runs
    # outside of this package, and starts what forwards for it as it was started itself.
    assert found == {"own_programs.py", "agents/locked/install.py", "host/sandbox/confine.py"}


@pytest.mark.parametrize("variable", ["", ".", "sub", ":", "WORKSPACE", "WORKSPACE/sub:."])
def test_none_imports_what_an_agent_has_planted(tmp_path: Path, variable: str) -> None:
    """Neither from the folder that it starts in, nor from one that ``PYTHONPATH`` names."""
    sub = tmp_path / "sub"
    sub.mkdir()
    for folder in (tmp_path, sub):
        for name in ("json", "usercustomize", "sitecustomize"):
            (folder / f"{name}.py").write_text("raise SystemExit('planted')")
        (folder / "program.py").write_text("import json, sys\nprint(sys.argv[1:])")
        (folder / "acp_jupyter").mkdir()
        (folder / "acp_jupyter" / "__init__.py").write_text("raise SystemExit('planted')")
    (tmp_path / "start.py").write_text("raise SystemExit('planted')")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    script = elsewhere / "program.py"
    script.write_text("import json, sys\nprint(sys.argv[1:])")
    environment = {
        **os.environ,
        "PYTHONPATH": variable.replace("WORKSPACE", str(tmp_path)).replace(":", os.pathsep),
        "PYTHONSTARTUP": str(tmp_path / "start.py"),
        "PYTHONHOME": str(tmp_path),
    }
    for command in (
        module_command("json.tool", "--help"),
        module_command("acp_jupyter.command_line", "--help"),
        script_command(script, "a", "b"),
    ):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "planted" not in done.stderr


def test_the_folder_that_this_package_came_from_still_counts(tmp_path: Path) -> None:
    """A kernel may find it by ``PYTHONPATH`` alone, in an environment without it."""
    copied = tmp_path / "copied"
    (copied / "acp_jupyter").mkdir(parents=True)
    for name in ("__init__.py", "own_programs.py"):
        shutil.copy(PACKAGE / "own_programs.py", copied / "acp_jupyter" / name)
    (copied / "acp_jupyter" / "program.py").write_text(
        "import sys\nprint(__name__, __package__, *sys.argv[1:])"
    )
    ask = (
        "import subprocess; from acp_jupyter.own_programs import module_command as command;"
        "print(subprocess.check_output(command('acp_jupyter.program', 'a b'), text=True))"
    )
    planted = tmp_path / "planted"
    planted.mkdir()
    (planted / "runpy.py").write_text("raise SystemExit('planted')")
    variable = os.pathsep.join([str(copied), ".", str(planted)])
    done = subprocess.run(
        [sys.executable, "-c", ask],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": variable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "__main__ acp_jupyter a b", done.stderr
