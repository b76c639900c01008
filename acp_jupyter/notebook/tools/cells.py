"""Tools for the cells of the notebook."""

from __future__ import annotations

from pydantic import Field

from acp_jupyter.delivery.notebook_cells import CellType
from acp_jupyter.notebook.tools.base import Id, Seconds, Source, ToolInput

__all__ = ["DeleteTool", "EditTool", "InsertTool", "ListCells", "MoveTool", "ReadCells", "RunCells"]


class ListCells(ToolInput):
    """`list_cells`."""

    tool = "list_cells"
    title = "List the cells of the notebook"
    words = (
        "List the cells of the user's open notebook, unsaved changes included: for each its id, "
        "type, first line, number of lines, fingerprint, execution count and kinds of outputs. "
        "Other tools take the ids; edits take the fingerprint too."
    )
    changes = False

    start: int = Field(default=0, ge=0)
    """Index of the first cell to list."""


class ReadCells(ToolInput):
    """`read_cells`."""

    tool = "read_cells"
    title = "Read cells"
    words = (
        "Read the whole source of cells, with their fingerprints, and their outputs: text is cut "
        "where it is long, plots come as images."
    )
    changes = False

    cell_ids: tuple[Id, ...] = Field(min_length=1, max_length=50)
    """Ids as `list_cells` gives them."""
    outputs: bool = True
    """Whether the outputs are wanted too."""


class InsertTool(ToolInput):
    """`insert_cell`."""

    tool = "insert_cell"
    title = "Insert a cell"
    words = (
        "Insert a new cell into the user's notebook; it is not run. Returns its id and "
        "fingerprint. Give `after` or `before`; without either it comes last."
    )

    source: Source
    """The whole text of the cell."""
    cell_type: CellType = "code"
    after: Id | None = None
    """Id of the cell that it comes after."""
    before: Id | None = None
    """Id of the cell that it comes before."""


class EditTool(ToolInput):
    """`edit_cell`."""

    tool = "edit_cell"
    title = "Edit a cell"
    words = (
        "Replace the whole source of a cell; its outputs stay until it is run. Refused as `stale` "
        "when the user has changed the cell since you read it."
    )

    cell_id: Id
    source: Source
    """The new text of the whole cell."""
    fingerprint: Id
    """Of the source that you read, as `list_cells` and `read_cells` give it."""


class MoveTool(ToolInput):
    """`move_cell`."""

    tool = "move_cell"
    title = "Move a cell"
    words = "Move a cell. Give `after` or `before`; without either it comes last."

    cell_id: Id
    fingerprint: Id
    """Of the source that you read."""
    after: Id | None = None
    """Id of the cell that it shall come after."""
    before: Id | None = None
    """Id of the cell that it shall come before."""


class DeleteTool(ToolInput):
    """`delete_cell`."""

    tool = "delete_cell"
    title = "Delete a cell"
    words = "Delete a cell and its outputs."

    cell_id: Id
    fingerprint: Id
    """Of the source that you read."""


class RunCells(ToolInput):
    """`run_cells`."""

    tool = "run_cells"
    title = "Run cells"
    words = (
        "Run code cells in the notebook's kernel, one after the other, up to the first that fails. "
        "Their outputs are written into the notebook and returned: text, and plots as images."
    )

    cell_ids: tuple[Id, ...] = Field(min_length=1, max_length=20)
    """Ids as `list_cells` gives them, in the order in which to run them."""
    timeout_seconds: Seconds = 120.0
    """For each cell; after it the cell is interrupted."""
