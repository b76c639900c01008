"""What the host asks of a page about the documents that it holds, and what the page says."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from acp_jupyter.delivery.notebook_cells import CellEdit, NotebookRefusal, NotebookState
from acp_jupyter.packets.base import Model

__all__ = [
    "AnswerFrame",
    "AskFrame",
    "DocumentQuestion",
    "DocumentState",
    "DocumentsFrame",
    "EditNotebook",
    "ReadDocument",
    "ReadNotebook",
    "SaveDocument",
    "Withdraw",
    "WriteDocument",
]


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
