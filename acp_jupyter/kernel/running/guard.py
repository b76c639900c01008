"""Tells code that an agent runs here from code that the user runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from acp_jupyter.api.models.commands import Command, require_read_only
from acp_jupyter.kernel.surroundings import current_shell, kernel_of
from acp_jupyter.notebook_tools.kernel_work import TOOL_MARK

__all__ = ["check_command", "tool_code", "tool_code_runs"]

_depth = 0
"""Of the whole process: the code may start threads. Changed on the main thread alone."""


@contextlib.contextmanager
def tool_code() -> Iterator[None]:
    """Mark what runs within as an agent's."""
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1


def tool_code_runs() -> bool:
    """Whether a waiting cell runs an agent's code now."""
    return _depth > 0


def check_command(command: Command) -> None:
    """Let an agent's code only look; the user's may do everything.

    A policy that a cell gives counts for what the user runs, never for what a tool call runs.

    Raises
    ------
    NotAllowed
        An agent's code runs now.
    """
    if _depth > 0 or _asked_by_tool():
        require_read_only(command)


def _asked_by_tool() -> bool:
    """Whether the request that runs now came from a tool by the shell channel."""
    kernel = kernel_of(current_shell())
    parent = kernel.get_parent("shell") if kernel is not None else None
    metadata = parent.get("metadata") if isinstance(parent, dict) else None
    return isinstance(metadata, dict) and bool(metadata.get(TOOL_MARK))
