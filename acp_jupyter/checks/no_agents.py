"""A copy of a notebook can't ask agents: their second answer would differ from the first."""

from __future__ import annotations

import os

from acp_jupyter.errors import NotAllowed

CHECK_VARIABLE = "ACP_JUPYTER_CHECK"
"""Environment variable of the kernel in which a copy of a notebook runs."""
NO_AGENTS = "A copy of a notebook that runs in a check or a variant can't ask agents."


def refuse_in_check() -> None:
    """Refuse to reach a host from the kernel of a check or a variant.

    Raises
    ------
    NotAllowed
        This is such a kernel.
    """
    if os.environ.get(CHECK_VARIABLE):
        raise NotAllowed(NO_AGENTS)
