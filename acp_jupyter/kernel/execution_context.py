"""Where the running code belongs: IPython's shell, the kernel, the notebook and its cell.

It also tells code that an agent runs here, by a tool, from code that the user runs: the first may
send a host only commands that read.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from acp_jupyter.api.models.frames import Command, require_read_only
from acp_jupyter.notebook_tools.kernel_work import TOOL_MARK

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


@dataclass(frozen=True, slots=True)
class ExecutionContext:
    """What is running now."""

    frontend: Literal["notebook", "batch", "terminal", "script"]
    """``batch`` is a notebook that nobody watches: nbclient, papermill, Voilà."""
    cell_id: str = ""
    source: str = ""
    can_ask: bool = False
    """Whether somebody sits here who can answer."""


def current_shell() -> InteractiveShell | None:
    """Return IPython's shell, if there is one; imports nothing."""
    if "IPython" not in sys.modules:
        return None
    from IPython.core.getipython import get_ipython

    return get_ipython()


def kernel_of(shell: InteractiveShell | None) -> Any:
    """Return the ipykernel behind a shell, or None."""
    return getattr(shell, "kernel", None)


def execution_context() -> ExecutionContext:
    """Say where the code that calls this runs."""
    shell = current_shell()
    if shell is None:
        return ExecutionContext("script", can_ask=_at_terminal())
    kernel = kernel_of(shell)
    if kernel is None:
        return ExecutionContext("terminal", can_ask=_at_terminal())
    parent = kernel.get_parent("shell") or {}
    # The only sign of a frontend that nobody watches.
    can_ask = bool(getattr(kernel, "_allow_stdin", False))
    return ExecutionContext(
        "notebook" if can_ask else "batch",
        cell_id=_text(parent.get("metadata"), "cellId"),
        source=_text(parent.get("content"), "code"),
        can_ask=can_ask,
    )


def notebook_name() -> str:
    """Return the name of the kernel's notebook, as its starter told; empty if it did not."""
    session = os.environ.get("JPY_SESSION_NAME", "")
    return Path(session).name if session.endswith(".ipynb") else ""


def _text(mapping: object, key: str) -> str:
    value = mapping.get(key) if isinstance(mapping, Mapping) else None
    return value if isinstance(value, str) else ""


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def own_key() -> bytes:
    """Return the key of this kernel's connection; empty where no kernel runs."""
    key = getattr(getattr(kernel_of(current_shell()), "session", None), "key", b"")
    return key if isinstance(key, bytes) else b""


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
    if _depth > 0 or _is_tool_request():
        require_read_only(command)


def _is_tool_request() -> bool:
    """Whether the request that runs now came from a tool by the shell channel."""
    kernel = kernel_of(current_shell())
    parent = kernel.get_parent("shell") if kernel is not None else None
    metadata = parent.get("metadata") if isinstance(parent, dict) else None
    return isinstance(metadata, dict) and bool(metadata.get(TOOL_MARK))
