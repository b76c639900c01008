"""Commands that start this package's own programs.

Their current folder is often one that an agent can write. So none of them imports from there.
"""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["module_command", "script_command"]


def module_command(module: str, *args: str) -> tuple[str, ...]:
    """Return the command that runs a module, as ``python -m`` does, of this environment."""
    return (sys.executable, "-P", "-m", module, *args)


def script_command(script: str | Path, *args: str) -> tuple[str, ...]:
    """Return the command that runs a script with the standard library alone."""
    return (sys.executable, "-I", "-S", str(script), *args)
