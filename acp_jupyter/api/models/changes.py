"""Commands about what a turn changed in its folder, and their results."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from acp_jupyter.protocol.host_events.workspace import ChangedFile, FileHunks
from acp_jupyter.protocol.objects import Model

_PATHS = 100_000
_HUNK_FILES = 200
_EARLIER = 1000


class GetChanges(Model):
    """What a turn changed, whoever wrote it, as it was at its end."""

    name: Literal["get_changes"] = "get_changes"
    turn_id: str
    path: str | None = None
    """Of one file alone."""
    earlier: tuple[str, ...] = Field(default=(), max_length=_EARLIER)
    """Turns before it, the oldest first: the file is compared with what it was before them."""
    form: Literal["texts", "patch"] = "texts"
    """Each file's text before and after, or one patch that ``git apply`` takes."""

    @model_validator(mode="after")
    def _one_file(self) -> GetChanges:
        if self.earlier and (self.path is None or self.form == "patch"):
            msg = "changes of several turns are told as texts, of one file"
            raise ValueError(msg)
        return self


class ListChangingSessions(Model):
    """The sessions that are open here and have changed a file, whatever notebook they are of."""

    name: Literal["list_changing_sessions"] = "list_changing_sessions"
    path: str
    """Of the file, below the server's root."""


class ChangingSessions(Model):
    """Result of ``list_changing_sessions``."""

    session_ids: tuple[str, ...]
    """Those that changed it last; the newest last."""


class RevertTurn(Model):
    """Take back what a turn changed, where nobody has changed it since; or undo that."""

    name: Literal["revert_turn"] = "revert_turn"
    turn_id: str
    paths: tuple[str, ...] | None = Field(default=None, max_length=_PATHS)
    """Which files; by default all of them."""
    hunks: tuple[FileHunks, ...] = Field(default=(), max_length=_HUNK_FILES)
    """Parts of files, in place of whole ones."""
    earlier: tuple[str, ...] = Field(default=(), max_length=_EARLIER)
    """Turns before it, the oldest first, whose changes of these files go with it."""
    undo: bool = False
    """Whether to put back what was taken back."""
    partial: bool = False
    """Whether to take back what can be, where some files were changed since."""
    in_document: bool = False
    """It was done in an open document, by its user: nothing is written, only remembered."""

    @model_validator(mode="after")
    def _files_or_parts(self) -> RevertTurn:
        if self.hunks and self.paths is not None:
            msg = "send either paths or hunks"
            raise ValueError(msg)
        if self.earlier and not self.hunks and not self.paths:
            msg = "name the files that several turns changed"
            raise ValueError(msg)
        return self


class FileTexts(ChangedFile):
    """A changed file with its text."""

    old_text: str | None = None
    """Null for a new file, and for one that is no text or too large."""
    new_text: str | None = None
    too_large: bool = False
    edited_cells: tuple[str, ...] = ()
    """Ids of a notebook's cells that others changed after a tool had written them in this turn."""


class ChangesReply(Model):
    """Result of ``get_changes``."""

    turn_id: str
    known: bool
    """Whether the folder was kept; if not, only what was seen to change is in ``files``."""
    files: tuple[FileTexts, ...] = ()
    patch: str | None = None
    revertible: bool = False
    words: str = ""


class RevertReply(Model):
    """Result of ``revert_turn``."""

    turn_id: str
    paths: tuple[str, ...]
    """Files that are as they were before the turn now, or after it if that was undone."""
    refused: dict[str, str] = Field(default_factory=dict)
    """Files that were left as they are, and why; only with ``partial``."""
