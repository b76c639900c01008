"""The kernel of a check or a variant can't ask agents: a second answer would differ."""

from __future__ import annotations

import os

from acp_jupyter.errors import NotAllowed

CHECK_VARIABLE = "ACP_JUPYTER_CHECK"
"""Environment variable of the kernel in which a copy of a notebook runs."""
NO_AGENTS = "A copy of a notebook that runs in a check or a variant can't ask agents."


def refuse_in_check() -> None:
    """Raise an error in the kernel of a check or a variant, which must not reach a host."""
    if os.environ.get(CHECK_VARIABLE):
        raise NotAllowed(NO_AGENTS)
