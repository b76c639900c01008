"""Finds the notebook that a program such as papermill or ``jupyter execute`` runs in this kernel.

Such programs don't pass its path to the kernel. papermill does on request (``--inject-paths``);
otherwise it is in the command line of the program.
"""

from __future__ import annotations

from pathlib import Path, PurePath

import psutil

from acp_jupyter.kernel.execution_context import current_shell

_INJECTED = "PAPERMILL_INPUT_PATH"
_SUFFIX = ".ipynb"


def run_notebook() -> str:
    """Return the path of the notebook, relative to the working directory if it lies below it.

    Empty if that is not known, or if the program runs several.
    """
    shell = current_shell()
    injected = None if shell is None else shell.user_ns.get(_INJECTED)
    if isinstance(injected, str) and injected.endswith(_SUFFIX):
        return _from_here(Path(injected))
    folder, command = _program()
    named = [word for word in command if word.endswith(_SUFFIX) and not word.startswith("-")]
    runs_first = any("papermill" in PurePath(word).name for word in command[:3])
    if len(named) == 1 or (named and runs_first):
        return _from_here(folder / named[0])
    return ""


def _program() -> tuple[Path, list[str]]:
    """Return the working directory and the command line of the program that started the kernel."""
    try:
        program = psutil.Process().parent()
        return (Path(), []) if program is None else (Path(program.cwd()), program.cmdline())
    except psutil.Error:
        return Path(), []


def _from_here(notebook: Path) -> str:
    here = Path.cwd()
    whole = (here / notebook).resolve()
    inside = whole.relative_to(here) if whole.is_relative_to(here) else Path(whole.name)
    return inside.as_posix()
