"""Which implementation is used here."""

from __future__ import annotations

import os
import sys

__all__ = ["PORTABLE_VARIABLE", "is_portable"]

PORTABLE_VARIABLE = "ACP_JUPYTER_PORTABLE"
"""With the value 1, it chooses the portable implementation where POSIX's could be used, too."""


def is_portable() -> bool:
    """Return whether the portable implementation is used."""
    return sys.platform == "win32" or os.environ.get(PORTABLE_VARIABLE) == "1"
