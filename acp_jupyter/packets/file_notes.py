"""Notes about what a turn did to files, found by looking at the folder."""

from __future__ import annotations

from typing import Literal

from acp_jupyter.packets.base import Model
from acp_jupyter.packets.made_models import ArtifactInfo

__all__ = ["ArtifactsMade", "FileBytes", "FileChange", "FileText", "FilesChanged"]


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


class ArtifactsMade(Model):
    """What a turn made that is worth opening, found by looking at the folder (C28)."""

    note: Literal["artifacts_made"] = "artifacts_made"
    turn_id: str
    artifacts: tuple[ArtifactInfo, ...] = ()
    left_out: int = 0
    """How many more there are."""
