"""Commands that start this package's own programs.

An agent can often write to the current folder, or to one in ``PYTHONPATH``. So these programs
import nothing from there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["module_command", "script_command"]

_OWN_FOLDER = Path(__file__).resolve().parents[1]
"""The folder of this package, with everything installed beside it."""

_RUN = (
    "import runpy, sys; folder, module = sys.argv[1:3]; del sys.argv[1:3]; "
    "sys.path.insert(0, folder); runpy.run_module(module, run_name='__main__', alter_sys=True)"
)


def module_command(module: str, *args: str) -> tuple[str, ...]:
    """Return the command that runs a module of this environment, as ``python -m`` does.

    Of ``PYTHONPATH`` it only keeps the folder from which this package was imported.
    """
    if _OWN_FOLDER in _folders_of_variable():
        return (sys.executable, "-P", "-E", "-c", _RUN, str(_OWN_FOLDER), module, *args)
    return (sys.executable, "-P", "-E", "-m", module, *args)


def script_command(script: str | Path, *args: str) -> tuple[str, ...]:
    """Return the command that runs a script with the standard library only."""
    return (sys.executable, "-I", "-S", str(script), *args)


def _folders_of_variable() -> list[Path]:
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return [Path(name).resolve() for name in named if os.path.isabs(name)]
