"""Where the kernel's code runs: which notebook, which cell, and who sits there."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["Cell", "current_cell", "current_shell", "kernel_of", "notebook_name", "own_key"]


@dataclass(frozen=True, slots=True)
class Cell:
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


def current_cell() -> Cell:
    """Say where the code that calls this runs."""
    shell = current_shell()
    if shell is None:
        return Cell("script", can_ask=_at_terminal())
    kernel = kernel_of(shell)
    if kernel is None:
        return Cell("terminal", can_ask=_at_terminal())
    parent = kernel.get_parent("shell") or {}
    # The only sign of a frontend that nobody watches.
    can_ask = bool(getattr(kernel, "_allow_stdin", False))
    return Cell(
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
