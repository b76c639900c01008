"""The cells of a notebook, and changes to them, as they travel between server, page and agent."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue
from typing_extensions import TypeAliasType

from acp_jupyter.packets.base import Model

__all__ = [
    "AcpMark",
    "Cell",
    "CellEdit",
    "CellType",
    "DeleteCell",
    "InsertCell",
    "MoveCell",
    "NbOutput",
    "NotebookRefusal",
    "NotebookState",
    "RefusalReason",
    "ReplaceSource",
    "SetOutputs",
]

CellType = Literal["code", "markdown", "raw"]

NbOutput = TypeAliasType("NbOutput", dict[str, JsonValue])
"""An output as nbformat 4 writes it: ``output_type``, and ``data``, ``text`` or a traceback."""

RefusalReason = Literal[
    "cell_gone", "stale", "no_notebook", "unreadable", "no_answer", "invalid", "too_large"
]


class AcpMark(Model):
    """The ``metadata.acp`` of a cell that an agent wrote."""

    turn: str = ""
    """Id of the turn."""
    agent: str = ""
    """Id of the agent."""
    written: str = ""
    """Fingerprint of the source that it wrote: with another one, somebody else changed it since."""


class Cell(Model):
    """One cell as it is now."""

    id: str
    cell_type: CellType
    source: str
    outputs: tuple[NbOutput, ...] = ()
    execution_count: int | None = None
    acp: AcpMark | None = None
    """Which agent wrote it, where one did."""


class NotebookState(Model):
    """A notebook as it is now, unsaved changes included."""

    cells: tuple[Cell, ...]
    unsaved: bool = False
    """Whether something of it is not on disk."""
    language: str = ""
    """Of its kernel, as the notebook says: ``python``."""


class InsertCell(Model):
    """Add a cell."""

    op: Literal["insert"] = "insert"
    cell_id: str
    """Of the new cell; not used yet in the notebook."""
    after: str | None
    """Id of the cell that it comes after, perhaps one that this list inserts; None: first."""
    cell_type: CellType
    source: str
    acp: AcpMark


class ReplaceSource(Model):
    """Give a cell another source; its outputs and its id stay."""

    op: Literal["replace"] = "replace"
    cell_id: str
    fingerprint: str
    """Of the source that is replaced."""
    source: str
    acp: AcpMark


class MoveCell(Model):
    """Put a cell elsewhere."""

    op: Literal["move"] = "move"
    cell_id: str
    fingerprint: str
    after: str | None
    """Id of the cell that it comes after; None: first."""


class DeleteCell(Model):
    """Remove a cell."""

    op: Literal["delete"] = "delete"
    cell_id: str
    fingerprint: str


class SetOutputs(Model):
    """Write the outputs of a cell that was run."""

    op: Literal["outputs"] = "outputs"
    cell_id: str
    fingerprint: str
    """Of the source that ran."""
    outputs: tuple[NbOutput, ...]
    execution_count: int | None = None


CellEdit = TypeAliasType(
    "CellEdit",
    Annotated[
        InsertCell | ReplaceSource | MoveCell | DeleteCell | SetOutputs,
        Field(discriminator="op"),
    ],
)


class NotebookRefusal(Model):
    """Why a notebook could not be read or changed; nothing of it was changed."""

    reason: RefusalReason
    message: str
    """In words for whoever asked."""
    cell_id: str = ""
    source: str | None = None
    """What the cell holds now, where it is ``stale``."""
