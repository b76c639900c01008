"""All tools by name."""

from __future__ import annotations

from typing import TypeAlias

from acp_jupyter.notebook.tools.cells import (
    DeleteTool,
    EditTool,
    InsertTool,
    ListCells,
    MoveTool,
    ReadCells,
    RunCells,
)
from acp_jupyter.notebook.tools.kernel import (
    Complete,
    Inspect,
    Interrupt,
    ListVariables,
    RestartKernel,
    RunCode,
)

__all__ = ["KERNEL_TOOLS", "SERVER_NAME", "TOOLS", "AnyTool"]

SERVER_NAME = "notebook"

AnyTool: TypeAlias = (
    ListCells
    | ReadCells
    | InsertTool
    | EditTool
    | MoveTool
    | DeleteTool
    | RunCells
    | ListVariables
    | Inspect
    | Complete
    | RunCode
    | Interrupt
    | RestartKernel
)

_CELL_TOOLS: tuple[type[AnyTool], ...] = (
    ListCells,
    ReadCells,
    InsertTool,
    EditTool,
    MoveTool,
    DeleteTool,
)
_KERNEL_TOOLS: tuple[type[AnyTool], ...] = (
    RunCells,
    ListVariables,
    Inspect,
    Complete,
    RunCode,
    Interrupt,
    RestartKernel,
)

TOOLS: dict[str, type[AnyTool]] = {row.tool: row for row in (*_CELL_TOOLS, *_KERNEL_TOOLS)}

KERNEL_TOOLS = frozenset(row.tool for row in _KERNEL_TOOLS)
"""Those that need a kernel."""
