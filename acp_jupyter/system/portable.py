"""Which implementation is used here."""

from __future__ import annotations

import os
import sys

__all__ = ["PORTABLE_VARIABLE", "is_portable", "untried"]

PORTABLE_VARIABLE = "ACP_JUPYTER_PORTABLE"
"""With the value 1, it chooses the portable implementation where POSIX's could be used, too."""


def is_portable() -> bool:
    """Return whether the portable implementation is used."""
    return sys.platform == "win32" or os.environ.get(PORTABLE_VARIABLE) == "1"


def untried(platform: str) -> str:
    """Return the notice for a system that nobody has tried; empty for the others."""
    if platform != "win32":
        return ""
    return (
        "Nobody has tried it on Windows yet. In WSL 2 it runs on Linux, where it is tested: "
        "see docs/how-to/windows.md."
    )
