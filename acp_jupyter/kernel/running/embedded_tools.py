"""The notebook tools where the host is in the kernel: by the notebook's file and this kernel."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.session_tools import ToolsOffer
from acp_jupyter.kernel.running.embedded_runner import THIS_KERNEL, EmbeddedKernelRunner
from acp_jupyter.notebook_tools.kernel_work import WaitingCells

__all__ = ["kernel_tools"]


class _Here:
    """There is one kernel, and a session says itself which notebook is its own."""

    async def kernel_of(self, notebook_path: str) -> str:
        """Return this kernel."""
        return THIS_KERNEL

    async def notebook_of(self, kernel_id: str) -> str:
        """Return an empty string."""
        return ""


def kernel_tools(root: Path, cells: WaitingCells) -> ToolsOffer:
    """Return the tools for sessions of this kernel's notebook.

    Parameters
    ----------
    root
        The notebook's folder.
    cells
        That wait in this kernel.
    """
    # Reading notebooks takes a third of a second to import: not for programs without one.
    from acp_jupyter.notebook_tools.mcp.endpoint import NotebookTools
    from acp_jupyter.notebook_tools.notebooks import FileNotebooks, Notebooks

    notebooks = Notebooks(FileNotebooks(root, Limits()))
    return NotebookTools(root, _Here(), notebooks, EmbeddedKernelRunner(cells))
