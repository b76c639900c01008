"""The history of a notebook: its turns in order, and past files and cells."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from acp_jupyter.api.models.command_row import GET, POST, BaseCommand, CommandRow, same
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.api.models.sessions import RewindReply
from acp_jupyter.api.models.turns import FileTexts
from acp_jupyter.protocol.host_events.session import ChangedFile
from acp_jupyter.protocol.objects import Model


class GetHistory(BaseCommand):
    """The turns of a notebook; or files and cells as they were after one of them.

    It omits turns that were reverted by going back, and turns in copies of the folder.
    """

    name: Literal["get_history"] = "get_history"
    notebook_path: str = Field(min_length=1)
    turn_id: str = ""
    """The turn; empty for the list of turns."""
    before: bool = False
    """Whether to show the state before the turn instead of after it."""
    path: str = ""
    """One of the files at that time, with its text."""

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
    """The beginning of its prompt."""
    running: bool
    """Whether it is still running, so that its changes are not known yet."""
    kept: bool
    """Whether files and cells after it can be shown."""
    files: int
    """How many files it changed."""
    started_at: float | None = None


class HistoryMoment(Model):
    """A session's folder and the notebook at one time."""

    words: str = ""
    """Why they can't be shown; empty if they can."""
    files: tuple[ChangedFile, ...] = ()
    """Files that differ from those before the first turn, whoever changed them."""
    left_out: int = 0
    """How many more there are."""
    notebook_path: str = ""
    """The notebook's path at that time, relative to the folder."""
    cells: tuple[Cell, ...] = ()
    """The cells, with the outputs that can be shown: text and pictures."""
    cells_words: str = ""
    """Why there are no cells."""
    language: str = ""
    """Language of its kernel, from the notebook's metadata, e.g. ``python``."""


class FileThen(FileTexts):
    """A file at one time, and before the first turn."""

    media_type: str = ""
    """MIME type of ``picture``."""
    picture: str = ""
    """The picture in base64, if it was one."""


class History(Model):
    """Result of ``get_history``: the requested part."""

    steps: tuple[HistoryStep, ...] = ()
    """Oldest first."""
    moment: HistoryMoment | None = None
    file: FileThen | None = None


_ALSO = 1000


class RewindSession(BaseCommand):
    """Go back to before a turn, in files and in the agent's memory.

    The changes of the turn and all later ones are reverted, all of them or none; then the
    conversation continues in a new session, whose agent knows only what was said before the turn. A
    running turn is stopped. The old session is kept.
    """

    name: Literal["rewind_session"] = "rewind_session"
    session_id: str
    turn_id: str
    files: bool = True
    """Whether to restore files, too."""
    also: tuple[str, ...] = Field(default=(), max_length=_ALSO)
    """Later turns of other sessions to revert along with it. Their agents still remember them."""


class UndoRewind(BaseCommand):
    """Continue the earlier session again, with its files as they were.

    Changes by turns of this session are reverted.
    """

    name: Literal["undo_rewind"] = "undo_rewind"
    session_id: str
    """The session that going back has created."""
    files: bool = True
    """Whether to restore files, if going back has changed them."""


_SESSION = "sessions/{session_id}"

COMMANDS = (
    CommandRow(RewindSession, POST(f"{_SESSION}/rewind", body=True), RewindReply, wakes="session"),
    CommandRow(
        UndoRewind, POST(f"{_SESSION}/undo-rewind", body=True), RewindReply, wakes="session"
    ),
    CommandRow(
        GetHistory,
        GET("history", query=same("notebook_path", "turn_id", "before", "path")),
        History,
        only_user="read the history of a notebook",
        finds_kernel=True,
    ),
)
