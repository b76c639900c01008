"""All tools by name."""

from __future__ import annotations

from typing import TypeAlias

from acp_jupyter.notebook.tools import cells, kernel

__all__ = ["KERNEL_TOOLS", "SERVER_NAME", "TOOLS", "AnyTool"]

SERVER_NAME = "notebook"

AnyTool: TypeAlias = (
    cells.ListCells
    | cells.ReadCells
    | cells.InsertTool
    | cells.EditTool
    | cells.MoveTool
    | cells.DeleteTool
    | cells.RunCells
    | kernel.ListVariables
    | kernel.Inspect
    | kernel.Complete
    | kernel.RunCode
    | kernel.Interrupt
    | kernel.RestartKernel
)

_CELL_TOOLS: tuple[type[AnyTool], ...] = (
    cells.ListCells,
    cells.ReadCells,
    cells.InsertTool,
    cells.EditTool,
    cells.MoveTool,
    cells.DeleteTool,
)
_KERNEL_TOOLS: tuple[type[AnyTool], ...] = (
    cells.RunCells,
    kernel.ListVariables,
    kernel.Inspect,
    kernel.Complete,
    kernel.RunCode,
    kernel.Interrupt,
    kernel.RestartKernel,
)

TOOLS: dict[str, type[AnyTool]] = {row.tool: row for row in (*_CELL_TOOLS, *_KERNEL_TOOLS)}

KERNEL_TOOLS = frozenset(row.tool for row in _KERNEL_TOOLS)
"""Those that need a kernel."""
