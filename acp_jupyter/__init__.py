"""Agents of the Agent Client Protocol in Jupyter notebooks.

Importing this imports next to nothing: the kernel side does without the
server's packages and the server without the kernel's.
"""

from __future__ import annotations

import gc
from importlib import import_module
from typing import TYPE_CHECKING, Any

from acp_jupyter._version import __version__

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from acp_jupyter.features.batches.batch import batch
    from acp_jupyter.features.checks.check import check
    from acp_jupyter.features.variants.kernel import Variants, try_several
    from acp_jupyter.kernel.connect import connect, list_agents, list_sessions, resume
    from acp_jupyter.kernel.serving.serve import serve
    from acp_jupyter.kernel.session import Session
    from acp_jupyter.kernel.turn.turn import Turn

__all__ = [
    "Session",
    "Turn",
    "Variants",
    "__version__",
    "batch",
    "check",
    "connect",
    "list_agents",
    "list_sessions",
    "load_ipython_extension",
    "resume",
    "serve",
    "try_several",
    "unload_ipython_extension",
]

_LAZY = {
    "Session": "acp_jupyter.kernel.session",
    "Turn": "acp_jupyter.kernel.turn.turn",
    "Variants": "acp_jupyter.features.variants.kernel",
    "batch": "acp_jupyter.features.batches.batch",
    "check": "acp_jupyter.features.checks.check",
    "connect": "acp_jupyter.kernel.connect",
    "list_agents": "acp_jupyter.kernel.connect",
    "list_sessions": "acp_jupyter.kernel.connect",
    "resume": "acp_jupyter.kernel.connect",
    "serve": "acp_jupyter.kernel.serving.serve",
    "try_several": "acp_jupyter.features.variants.kernel",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "acp-jupyter"}]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    # What is imported stays, and a collection that finds nothing takes a fifth of the import.
    enabled = gc.isenabled()
    gc.disable()
    try:
        from acp_jupyter.server.extension import AcpJupyter
    finally:
        if enabled:
            gc.enable()
    return [{"module": "acp_jupyter", "app": AcpJupyter}]


def load_ipython_extension(ipython: InteractiveShell) -> None:
    """Add the magics: ``%load_ext acp_jupyter``."""
    from acp_jupyter.kernel.magics import ipython_extension

    ipython_extension.load_ipython_extension(ipython)


def unload_ipython_extension(ipython: InteractiveShell) -> None:
    """Remove the magics: ``%unload_ext acp_jupyter``."""
    from acp_jupyter.kernel.magics import ipython_extension

    ipython_extension.unload_ipython_extension(ipython)
