"""Tools for the kernel of the notebook."""

from __future__ import annotations

from pydantic import Field

from acp_jupyter.notebook.tools.base import Code, Seconds, ToolInput

__all__ = ["Complete", "Inspect", "Interrupt", "ListVariables", "RestartKernel", "RunCode"]


class ListVariables(ToolInput):
    """`list_variables`."""

    tool = "list_variables"
    title = "List the variables of the kernel"
    words = (
        "List the user's variables in the notebook's kernel: name, type, shape or length, and a "
        "short preview of the value."
    )
    changes = False

    pattern: str = Field(default="*", max_length=200)
    """Names to list, `*` and `?` as in file names."""


class Inspect(ToolInput):
    """`inspect`."""

    tool = "inspect"
    title = "Inspect a name"
    words = (
        "Show what the kernel knows of a name or an expression such as `df.groupby`: signature, "
        "documentation, type."
    )
    changes = False

    code: Code
    """The name, or code in which it stands."""
    position: int | None = Field(default=None, ge=0)
    """Of the cursor in the code, in characters; default: its end."""


class Complete(ToolInput):
    """`complete`."""

    tool = "complete"
    title = "Complete code"
    words = "List how the kernel would complete code at a position, e.g. the columns of `df.`."
    changes = False

    code: Code
    position: int | None = Field(default=None, ge=0)
    """Of the cursor in the code, in characters; default: its end."""


class RunCode(ToolInput):
    """`run_code`."""

    tool = "run_code"
    title = "Run code in the kernel"
    words = (
        "Run code in the notebook's kernel without a cell of its own, with the user's variables. "
        "Returns what it prints and shows; plots come as images. Top-level await works. "
        "The user sees the code first, and which variables it would overwrite. Use insert_cell and "
        "run_cells for what shall stay in the notebook."
    )

    code: Code
    timeout_seconds: Seconds = 60.0
    """After it the code is interrupted."""


class Interrupt(ToolInput):
    """`interrupt`."""

    tool = "interrupt"
    title = "Interrupt the kernel"
    words = "Stop the code that one of these tools runs in the kernel. Variables stay."


class RestartKernel(ToolInput):
    """`restart_kernel`."""

    tool = "restart_kernel"
    title = "Restart the kernel"
    words = "Restart the notebook's kernel. All variables are lost."
