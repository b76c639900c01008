"""The history of a notebook: its turns in their order, and files and cells as they were then."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from acp_jupyter.api.models.command_row import BaseCommand
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.api.models.turns import FileTexts
from acp_jupyter.protocol.host_events.session import ChangedFile
from acp_jupyter.protocol.objects import Model


class GetHistory(BaseCommand):
    """The turns of a notebook; or files and cells as they were after one of them.

    Turns that were taken back by going back are left out, and so are those in copies of the folder.
    """

    name: Literal["get_history"] = "get_history"
    notebook_path: str = Field(min_length=1)
    turn_id: str = ""
    """Which turn is meant; empty for the list of them."""
    before: bool = False
    """Whether the moment before it is meant, in place of the one after."""
    path: str = ""
    """One of the moment's files, with its text."""

    @model_validator(mode="after")
    def _of_a_turn(self) -> GetHistory:
        if (self.path or self.before) and not self.turn_id:
            msg = "name the turn as well"
            raise ValueError(msg)
        return self


class HistoryStep(Model):
    """A turn of a notebook."""

    turn_id: str
    session_id: str
    agent_name: str
    prompt: str
    """How it begins."""
    running: bool
    """Whether it has not ended: what it changes is not known yet."""
    kept: bool
    """Whether files and cells after it can be shown."""
    files: int
    """How many it has changed."""
    started_at: float | None = None


class HistoryMoment(Model):
    """A session's folder and the notebook at one moment."""

    words: str = ""
    """Why they can't be shown; empty where they can."""
    files: tuple[ChangedFile, ...] = ()
    """Those that are not what they were before the first turn, whoever changed them."""
    left_out: int = 0
    """How many more there are."""
    notebook_path: str = ""
    """What the notebook was called, relative to the folder."""
    cells: tuple[Cell, ...] = ()
    """With those of their outputs that can be shown: text and pictures."""
    cells_words: str = ""
    """Why there are no cells."""
    language: str = ""
    """Of its kernel, as the notebook says: ``python``."""


class FileThen(FileTexts):
    """A file at one moment, and before the first turn."""

    media_type: str = ""
    """Of ``picture``."""
    picture: str = ""
    """In base64, where it was a picture then."""


class History(Model):
    """Result of ``get_history``: the one that was asked for."""

    steps: tuple[HistoryStep, ...] = ()
    """Oldest first."""
    moment: HistoryMoment | None = None
    file: FileThen | None = None
