"""The context of the running code: IPython's shell, the kernel, the notebook and its cell.

It also distinguishes code of an agent's tool from the user's: an agent's code may send a host only
commands that read.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from acp_jupyter.api.models.command_table import Command, require_read_only
from acp_jupyter.notebook_tools.kernel_work import TOOL_MARK

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


Frontend = Literal["notebook", "batch", "voila", "marimo", "terminal", "script"]
"""``batch`` is a notebook without a user: nbclient, papermill, ploomber-engine."""


@dataclass(frozen=True, slots=True)
class ExecutionContext:
    """The context of the code that runs now."""

    frontend: Frontend
    cell_id: str = ""
    source: str = ""
    can_ask: bool = False
    """Whether a user can answer questions here, in text or by the buttons of a widget."""
    can_type: bool = False
    """Whether they can answer in text while code runs."""
    goes_on: bool = True
    """Whether the kernel goes on after the last cell; a program that runs a notebook ends it."""
    updates: bool = True
    """Whether an output can still be changed; not where it is kept aside, as by ``%%capture``."""


def current_shell() -> InteractiveShell | None:
    """Return IPython's shell if there is one, without importing IPython."""
    if "IPython" not in sys.modules:
        return None
    from IPython.core.getipython import get_ipython

    return get_ipython()


def kernel_of(shell: InteractiveShell | None) -> Any:
    """Return the ipykernel behind a shell, or None."""
    return getattr(shell, "kernel", None)


def execution_context() -> ExecutionContext:
    """Return the context of the calling code."""
    shell = current_shell()
    if shell is None:
        return _in_marimo() or _with_terminal("script")
    kernel = kernel_of(shell)
    if kernel is None:
        return _without_kernel(shell)
    parent = kernel.get_parent("shell") or {}
    # The only sign of a frontend without a user.
    can_type = bool(getattr(kernel, "_allow_stdin", False))
    in_voila = os.environ.get("SERVER_SOFTWARE", "").startswith("voila/")
    return ExecutionContext(
        "voila" if in_voila else "notebook" if can_type else "batch",
        cell_id=_text(parent.get("metadata"), "cellId"),
        source=_text(parent.get("content"), "code"),
        can_ask=can_type or in_voila,
        can_type=can_type,
        goes_on=can_type or in_voila,
        updates=not _captures(shell),
    )


def _without_kernel(shell: InteractiveShell) -> ExecutionContext:
    from IPython.core.displaypub import DisplayPublisher

    # IPython's own prints; another keeps what is displayed, as ploomber-engine's for a notebook.
    if type(shell.display_pub) is DisplayPublisher:
        return _with_terminal("terminal")
    return ExecutionContext("batch", goes_on=False, updates=False)


def _with_terminal(frontend: Frontend) -> ExecutionContext:
    can_ask = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    return ExecutionContext(frontend, can_ask=can_ask, can_type=can_ask)


def _in_marimo() -> ExecutionContext | None:
    """Return the context of a marimo cell, None elsewhere; only an edited notebook has input."""
    marimo: Any = sys.modules.get("marimo")
    if marimo is None or not marimo.running_in_notebook():
        return None
    if _is_exported(marimo):
        return ExecutionContext("marimo", goes_on=False, updates=False)
    return ExecutionContext("marimo", can_ask=True, can_type=marimo.app_meta().mode == "edit")


def _is_exported(marimo: Any) -> bool:
    """Return whether ``marimo export`` runs the notebook, which has neither page nor server."""
    from marimo._runtime.context import get_context  # type: ignore[import-not-found,unused-ignore]

    files = getattr(get_context(), "virtual_files_supported", True)
    return not files and marimo.app_meta().request is None


def _captures(shell: InteractiveShell) -> bool:
    from IPython.core.displaypub import CapturingDisplayPublisher

    return isinstance(shell.display_pub, CapturingDisplayPublisher)


def notebook_name() -> str:
    """Return the notebook's name in the kernel's environment; empty if it is not set."""
    session = os.environ.get("JPY_SESSION_NAME", "")
    return Path(session).name if session.endswith(".ipynb") else ""


def _text(mapping: object, key: str) -> str:
    value = mapping.get(key) if isinstance(mapping, Mapping) else None
    return value if isinstance(value, str) else ""


def own_key() -> bytes:
    """Return the key of this kernel's connection; empty without a kernel."""
    key = getattr(getattr(kernel_of(current_shell()), "session", None), "key", b"")
    return key if isinstance(key, bytes) else b""


_depth = 0
"""Depth of `tool_code`, for all threads; changed on the main thread only."""


@contextlib.contextmanager
def tool_code() -> Iterator[None]:
    """Mark the code in the ``with`` block as an agent's."""
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1


def tool_code_runs() -> bool:
    """Return whether a waiting cell runs an agent's code now."""
    return _depth > 0


def check_command(command: Command) -> None:
    """Refuse commands of an agent's code that do more than read.

    A cell's policy applies to the user's code, never to code of a tool call.
    """
    if _depth > 0 or _is_tool_request():
        require_read_only(command)


def _is_tool_request() -> bool:
    """Return whether the running shell request came from a tool."""
    kernel = kernel_of(current_shell())
    parent = kernel.get_parent("shell") if kernel is not None else None
    metadata = parent.get("metadata") if isinstance(parent, dict) else None
    return isinstance(metadata, dict) and bool(metadata.get(TOOL_MARK))
