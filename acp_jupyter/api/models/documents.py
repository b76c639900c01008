"""A page's open documents, including notebooks with their cells, and edits of them.

The host's requests to a page, the page's answers, and notebook cells as they are sent between
server, page and agent.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue
from typing_extensions import TypeAliasType

from acp_jupyter.cells.context import CellContext, IsHidden, hidden_code, without_left_out_frames
from acp_jupyter.protocol.objects import Model

CellType = Literal["code", "markdown", "raw"]

NbOutput = TypeAliasType("NbOutput", dict[str, JsonValue])
"""An output in nbformat 4: ``output_type``, and ``data``, ``text`` or a traceback."""

RefusalReason = Literal[
    "cell_gone",
    "stale",
    "left_out",
    "no_notebook",
    "unreadable",
    "no_answer",
    "invalid",
    "too_large",
]


class AcpMark(Model):
    """The ``metadata.acp`` of a cell that an agent wrote."""

    turn: str = ""
    agent: str = ""
    written: str = ""
    """Fingerprint of the source that it wrote; if it differs, somebody else has changed the source
    since."""


class Cell(Model):
    """One cell in its current state."""

    id: str
    cell_type: CellType
    source: str
    outputs: tuple[NbOutput, ...] = ()
    execution_count: int | None = None
    acp: AcpMark | None = None
    """The mark of the agent that wrote it, if one did."""
    context: CellContext | None = None
    """Whether the user pinned it or left it out, as its metadata says."""

    @property
    def is_left_out(self) -> bool:
        """Whether it never leaves."""
        return self.context == "left-out"

    def for_agents(self) -> Cell:
        """Return the cell as an agent may get it: without its content if it is left out."""
        if not self.is_left_out:
            return self
        return Cell(
            id=self.id,
            cell_type=self.cell_type,
            source="",
            execution_count=self.execution_count,
            context=self.context,
        )


class NotebookState(Model):
    """A notebook in its current state, including unsaved changes."""

    cells: tuple[Cell, ...]
    unsaved: bool = False
    """Whether it has unsaved changes."""
    language: str = ""
    """Language of its kernel, from the notebook's metadata, e.g. ``python``."""

    def for_agents(self) -> NotebookState:
        """Return the notebook without the content of cells that are left out."""
        is_hidden = self.hidden_code()
        if is_hidden is None:
            return self
        cells = (cell.for_agents() for cell in self.cells)
        shown = (
            cell.model_copy(update={"outputs": without_left_out_frames(cell.outputs, is_hidden)})
            for cell in cells
        )
        return self.model_copy(update={"cells": tuple(shown)})

    def hidden_code(self) -> IsHidden | None:
        """Return what says whether code is of a cell that is left out; None if no cell is."""
        return hidden_code((cell.context, cell.execution_count) for cell in self.cells)


class InsertCell(Model):
    """Add a cell."""

    op: Literal["insert"] = "insert"
    cell_id: str
    """Id of the new cell; no other cell of the notebook has it."""
    after: str | None
    """Id of the cell above, which this list may insert, too; None: first."""
    cell_type: CellType
    source: str
    acp: AcpMark


class ReplaceSource(Model):
    """Replace the source of a cell; its outputs and its id stay."""

    op: Literal["replace"] = "replace"
    cell_id: str
    fingerprint: str
    """Fingerprint of the source that is replaced."""
    source: str
    acp: AcpMark


class MoveCell(Model):
    """Move a cell."""

    op: Literal["move"] = "move"
    cell_id: str
    fingerprint: str
    after: str | None
    """Id of the cell above; None: first."""


class DeleteCell(Model):
    """Delete a cell."""

    op: Literal["delete"] = "delete"
    cell_id: str
    fingerprint: str
    acp: AcpMark
    """Id of the agent that deletes it."""


class SetOutputs(Model):
    """Set the outputs of a cell that was run."""

    op: Literal["outputs"] = "outputs"
    cell_id: str
    fingerprint: str
    """Fingerprint of the source that ran."""
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
    """Why a notebook could not be read or changed; nothing was changed."""

    reason: RefusalReason
    message: str
    """The reason, for the caller."""
    cell_id: str = ""
    source: str | None = None
    """The cell's current source, if it is ``stale``."""


# -- from the page ---------------------------------------------------------


class DocumentState(Model):
    """An open document of the page."""

    path: str
    dirty: bool = False
    focused_at: float = 0
    """When it last had the focus, in seconds since the epoch; 0 for never."""


class DocumentsFrame(Model):
    """All open documents of the page; sent as a whole on each change."""

    type: Literal["documents"] = "documents"
    documents: tuple[DocumentState, ...]


class AnswerFrame(Model):
    """The answer to an ask: a result, or a refusal."""

    type: Literal["answer"] = "answer"
    id: int
    text: str | None = None
    """Result of ``read_document``."""
    notebook: NotebookState | None = None
    """Result of ``read_notebook`` and ``edit_notebook``."""
    refusal: NotebookRefusal | None = None
    """Why cells were not changed."""
    error: str | None = None
    """Why it was not done, as text."""
    reason: str = ""
    """The same as a stable word: ``no_document`` if another page may have it open."""


# -- to the page -----------------------------------------------------------


class ReadDocument(Model):
    """Read the text in the editor."""

    op: Literal["read_document"] = "read_document"


class WriteDocument(Model):
    """Set the document's text, changing only what differs, and save it."""

    op: Literal["write_document"] = "write_document"
    text: str
    base: str | None
    """The text that this one was made from; None for the text on disk. What the user has changed
    since stays, or the request is refused as ``conflict``."""


class SaveDocument(Model):
    """Save the document, unless its user does not want that: ``unwanted``."""

    op: Literal["save_document"] = "save_document"


class ReadNotebook(Model):
    """Read the cells of the notebook."""

    op: Literal["read_notebook"] = "read_notebook"
    pinned_only: bool = False
    """Whether only pinned cells come with their source and outputs."""


class EditNotebook(Model):
    """Make all these changes and save, or none of them."""

    op: Literal["edit_notebook"] = "edit_notebook"
    edits: tuple[CellEdit, ...]
    expected: dict[str, str]
    """The sources that cells must have, by the cells' ids; otherwise nothing is changed."""


class Withdraw(Model):
    """Withdraw the ask with this id: the page must not change anything for it. Not answered."""

    op: Literal["withdraw"] = "withdraw"


DocumentQuestion = TypeAliasType(
    "DocumentQuestion",
    Annotated[
        ReadDocument | WriteDocument | SaveDocument | ReadNotebook | EditNotebook | Withdraw,
        Field(discriminator="op"),
    ],
)


class AskFrame(Model):
    """A request to the page about an open document; an answer frame answers it."""

    type: Literal["ask"] = "ask"
    id: int
    path: str
    deadline_seconds: float
    """After this time another page is asked, and this one must not change anything."""
    question: DocumentQuestion
