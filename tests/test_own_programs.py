"""No process of ours imports from the folder that it starts in."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

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
    # uv is told which environment to install into; it imports nothing.
    assert found == {"own_programs.py", "agents/locked/install.py"}


def test_none_imports_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('planted')")
    (tmp_path / "program.py").write_text("import json, sys\nprint(sys.argv[1:])")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    script = elsewhere / "program.py"
    script.write_text("import json, sys\nprint(sys.argv[1:])")
    for command in (
        module_command("json.tool", "--help"),
        script_command(script, "a", "b"),
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "planted" not in done.stderr
