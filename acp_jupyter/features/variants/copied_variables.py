"""A kernel's report on the variables that it wrote to a file, or read from one.

Kernels import this module as well, so it imports nothing heavy.
"""

from __future__ import annotations

from acp_jupyter.protocol.objects import Model


class CopiedVariables(Model):
    """Which variables were copied to a file, or from it."""

    count: int = 0
    """How many were copied."""
    left_out: tuple[str, ...] = ()
    """The first that were not copied: each name with its type or the reason."""
    more: int = 0
    """How many more were not copied."""
    trouble: str = ""
    """Why none was copied, in words that follow a colon."""
