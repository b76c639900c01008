"""Documents that a page has open, notebooks with their cells among them, and edits of these.

What the host asks of a page about them, what the page answers, and notebook cells as they travel
between server, page and agent.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue
from typing_extensions import TypeAliasType

from acp_jupyter.protocol.objects import Model

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
    acp: AcpMark
    """Who removes it."""


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


# -- from the page ---------------------------------------------------------


class DocumentState(Model):
    """An open document of the page."""

    path: str
    dirty: bool = False
    focused_at: float = 0
    """When it last had the focus, seconds since the epoch; 0 for never."""


class DocumentsFrame(Model):
    """All documents that the page holds; sent whole on each change."""

    type: Literal["documents"] = "documents"
    documents: tuple[DocumentState, ...]


class AnswerFrame(Model):
    """The answer to an ask: a result, or why not."""

    type: Literal["answer"] = "answer"
    id: int
    text: str | None = None
    """Of ``read_document``."""
    notebook: NotebookState | None = None
    """Of ``read_notebook`` and ``edit_notebook``."""
    refusal: NotebookRefusal | None = None
    """Why cells were not changed."""
    error: str | None = None
    """Why it was not done, in words."""
    reason: str = ""
    """The same in a word: ``no_document`` where another page may hold it."""


# -- to the page -----------------------------------------------------------


class ReadDocument(Model):
    """Asks for the text that the editor shows."""

    op: Literal["read_document"] = "read_document"


class WriteDocument(Model):
    """Make this the document's text, changing only what differs, and save it."""

    op: Literal["write_document"] = "write_document"
    text: str
    base: str | None
    """The text that was changed into this one; None for the one on disk. What the user has
    changed since stays, or it is refused as ``conflict``."""


class SaveDocument(Model):
    """Save the document, unless its user does not want that: ``unwanted``."""

    op: Literal["save_document"] = "save_document"


class ReadNotebook(Model):
    """Asks for the cells of the notebook."""

    op: Literal["read_notebook"] = "read_notebook"


class EditNotebook(Model):
    """Make all these changes, or none, and save."""

    op: Literal["edit_notebook"] = "edit_notebook"
    edits: tuple[CellEdit, ...]
    expected: dict[str, str]
    """The sources that cells must have for it, by the cells' ids."""


class Withdraw(Model):
    """The ask of this id is over: nothing may be changed for it any more. Not answered."""

    op: Literal["withdraw"] = "withdraw"


DocumentQuestion = TypeAliasType(
    "DocumentQuestion",
    Annotated[
        ReadDocument | WriteDocument | SaveDocument | ReadNotebook | EditNotebook | Withdraw,
        Field(discriminator="op"),
    ],
)


class AskFrame(Model):
    """A question to the page about an open document; answered by an answer."""

    type: Literal["ask"] = "ask"
    id: int
    path: str
    deadline_seconds: float
    """After so long another page is asked; nothing may be changed then."""
    question: DocumentQuestion
