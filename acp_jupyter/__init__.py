"""Agents of the Agent Client Protocol in Jupyter notebooks.

Importing this imports next to nothing: the kernel side does without the
server's packages and the server without the kernel's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_jupyter._version import __version__

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["__version__", "load_ipython_extension"]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "acp-jupyter"}]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from acp_jupyter.server.extension import AcpJupyter

    return [{"module": "acp_jupyter", "app": AcpJupyter}]


def load_ipython_extension(ipython: InteractiveShell) -> None:
    """Add the magics: ``%load_ext acp_jupyter``."""
    from acp_jupyter.kernel import magics

    magics.load_ipython_extension(ipython)
