"""Notes about a session's folder: changes of a turn, reverts, files, artifacts, terminals.

The protocol reports only files that an agent writes through the client, and only those parts of a
terminal that the agent asks for. Most agents write with their own tools, so the folder is compared.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acp_jupyter.protocol.files import ArtifactInfo
from acp_jupyter.protocol.objects import Model

_HUNKS = 10_000
_EARLIER = 1000


class Hunk(Model):
    """One change in a file: lines before the turn, and what the turn made of them.

    Lines are counted from 0, and the end is not one of them: an empty range is a place.
    In a notebook they are its cells, and four zeros are what it says of itself.
    """

    old_start: int = Field(ge=0)
    old_end: int = Field(ge=0)
    new_start: int = Field(ge=0)
    new_end: int = Field(ge=0)


class FileHunks(Model):
    """Some of the changes in one file."""

    path: str
    hunks: tuple[Hunk, ...] = Field(max_length=_HUNKS)


class ChangedFile(Model):
    """What became of one file in a turn."""

    path: str
    """Relative to the session's folder, with forward slashes; absolute outside it."""
    change: Literal["added", "modified", "deleted", "renamed", "type"]
    """``type``: a file became a link, or a link a file."""
    old_path: str = ""
    """Where it was, if it was renamed."""
    added: int | None = None
    """Lines; null where they were not counted."""
    removed: int | None = None
    binary: bool = False
    size: int | None = None
    """In bytes: after the turn, or before it if the file is gone."""
    old_mode: int | None = None
    """Its permission bits before the turn."""
    new_mode: int | None = None
    """And after it."""
    came_from: str = ""
    """Where what took its place lay before the turn, if that was not kept: it goes back there."""
    kept: bool = True
    """Whether it can be taken back."""
    words: str = ""
    """Why not."""
    reverted: bool = False
    reverted_hunks: tuple[Hunk, ...] = ()
    """What was taken back of it, in their order; a file that is taken back keeps them for Undo."""
    together: tuple[str, ...] = ()
    """Earlier turns that it was taken back with: these lines are of before the first of them."""
    old_text_id: str = ""
    """The same for the same content; empty where that is not known."""
    new_text_id: str = ""

    @property
    def unread(self) -> bool:
        """Whether only the agent can say what changed in it."""
        return not (self.kept or self.old_text_id or self.new_text_id)


class TurnChanges(Model):
    """What a turn changed in its folder, whoever wrote it."""

    files: tuple[ChangedFile, ...] = ()
    left_out: int = 0
    """How many more there are."""
    revertible: bool = True
    words: str = ""
    """What is to be known of it, e.g. why it can't be taken back."""
    checkpoint: str = ""
    """Names what is kept of the folder; empty where nothing is."""
    made_folders: tuple[str, ...] = ()


class TurnChangesNote(TurnChanges):
    """Written at the end of a turn that changed something."""

    note: Literal["turn_changes"] = "turn_changes"
    turn_id: str


class TurnReverted(Model):
    """Changes of a turn were taken back, or are there again."""

    note: Literal["turn_reverted"] = "turn_reverted"
    turn_id: str
    paths: tuple[str, ...] = ()
    """Whole files."""
    hunks: tuple[FileHunks, ...] = ()
    """Parts of others."""
    earlier: tuple[str, ...] = Field(default=(), max_length=_EARLIER)
    """Turns before it whose changes of these files went with it, the oldest first."""
    undone: bool = False
    """Whether what was taken back is there again."""


class FileWritten(Model):
    """An agent wrote a file through us (ACP: fs/write_text_file).

    So the change can be shown where the agent itself sends no diff.
    """

    note: Literal["file_written"] = "file_written"
    path: str
    old_text: str | None = None
    """Null for a new file."""
    new_text: str = ""
    old_digest: str = ""
    """SHA-256 of the old text in UTF-8, in hexadecimal digits; empty for a new file."""
    kept: bool = True
    """Whether the texts are here; else they are too large."""


class FileText(Model):
    """A file's content that is UTF-8."""

    text: str


class FileBytes(Model):
    """A file's content that is not."""

    base64: str


class FileChange(Model):
    """A file before and after a turn."""

    path: str
    """Relative to the session's folder, with forward slashes."""
    before: str | None = None
    """SHA-256 of its bytes, in hexadecimal digits; None for a file that was not there."""
    after: FileText | FileBytes | None = None
    """None for a file that is no longer there."""


class FilesChanged(Model):
    """What a turn did to files, whoever wrote them.

    The protocol does not say it: most agents write by their own tools.
    """

    note: Literal["files_changed"] = "files_changed"
    turn_id: str
    files: tuple[FileChange, ...] = ()


class ArtifactsFound(Model):
    """What a turn made that is worth opening, found by looking at the folder."""

    note: Literal["artifacts_made"] = "artifacts_made"
    turn_id: str
    artifacts: tuple[ArtifactInfo, ...] = ()
    left_out: int = 0
    """How many more there are."""


EndedBy = Literal["", "agent", "user", "time_limit", "session"]
"""Who ended a command; nobody where it ended by itself."""


class TerminalStarted(Model):
    """A command runs. ACP: terminal/create."""

    note: Literal["terminal_started"] = "terminal_started"
    terminal_id: str
    command: str
    """As one would type it."""
    cwd: str = ""
    """Absolute."""


class TerminalOutput(Model):
    """What a command has put out since the last such note."""

    note: Literal["terminal_output"] = "terminal_output"
    terminal_id: str
    text: str = ""
    left_out: int = 0
    """Characters before ``text`` that are not in the log."""
    cut: bool = False
    """Whether nothing more is written until the command has ended."""


class TerminalExited(Model):
    """A command has ended."""

    note: Literal["terminal_exited"] = "terminal_exited"
    terminal_id: str
    exit_code: int | None = None
    signal: str = ""
    """Its name, e.g. ``SIGTERM``."""
    by: EndedBy = ""


class TerminalReleased(Model):
    """The agent needs the terminal no more; it is still shown. ACP: terminal/release."""

    note: Literal["terminal_released"] = "terminal_released"
    terminal_id: str
