"""What a kernel tells of its variables that were written to a file, or read from one.

Kernels import this module as well, so it imports nothing heavy.
"""

from __future__ import annotations

from acp_jupyter.protocol.objects import Model


class CopiedVariables(Model):
    """What of a kernel's variables is in a file, or was read from it."""

    count: int = 0
    """How many are."""
    left_out: tuple[str, ...] = ()
    """Names of those that are not, the first ones, each with its type or the reason."""
    more: int = 0
    """How many more are not."""
    trouble: str = ""
    """Why none is, in words that follow a colon."""
