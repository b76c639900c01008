"""Commands that read a session's traffic page by page, and their results."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acp_jupyter.api.models.command_row import BaseCommand
from acp_jupyter.api.models.turns import ItemsPage
from acp_jupyter.dialects.import_dialects import Dialect
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.traffic import Direction
from acp_jupyter.transcript.model.session_state import SessionState, TurnState


class GetTraffic(BaseCommand):
    """Get lines of a session's traffic log that pass the filters, in order.

    A position is the offset of a line in the log, in bytes.
    """

    name: Literal["get_traffic"] = "get_traffic"
    session_id: str
    after: int | None = Field(default=None, ge=0)
    """Read forward from this position: a page's ``end``. Without it, the newest lines are read."""
    before: int | None = Field(default=None, ge=0)
    """Read backward from this position: a page's ``start``."""
    limit: int = Field(default=200, ge=1, le=500)
    direction: Direction | None = None
    method: str = Field(default="", max_length=200)
    """A part of the method, the kind of update or the kind of note."""
    text: str = Field(default="", max_length=200)
    """Text that the line must contain; case is ignored."""
    gather: bool = False
    """Whether consecutive chunks of one stream are joined into one line."""
    wait_seconds: float = Field(default=0, ge=0, le=20)
    """How long to wait if there is nothing after ``after`` yet."""


class TrafficLine(Model):
    """A summary of a line of the log."""

    place: int
    seq: int
    at: float
    """Seconds since the epoch."""
    direction: Direction
    kind: Literal["request", "response", "error", "notification", "note", "unknown"]
    method: str = ""
    """ACP's method, for a response that of its request if it is near; or a note's kind."""
    update: str = ""
    """The kind of a ``session/update``."""
    size: int
    """Bytes."""
    preview: str = ""
    """The beginning of its content."""
    stream: str = ""
    """Identifies the text that a chunk belongs to; empty for other lines."""
    count: int = 1
    """Number of joined chunks; they fill ``size`` bytes from ``place``."""


class TrafficPage(Model):
    """Result of ``get_traffic``.

    Each call reads a limited part of the log: a page may have few lines or none although there are
    more.
    """

    lines: tuple[TrafficLine, ...]
    start: int
    """The part of the log from here"""
    end: int
    """to here was read."""
    size: int
    """Size of the whole log, up to its last complete line."""


class GetTrafficLine(BaseCommand):
    """Get one line of the log, formatted; or the text of joined chunks."""

    name: Literal["get_traffic_line"] = "get_traffic_line"
    session_id: str
    place: int = Field(ge=0)
    end: int | None = Field(default=None, ge=0)
    """Where the joined chunks end."""


class TrafficDetail(Model):
    """Result of ``get_traffic_line``."""

    place: int
    text: str
    """Its message as indented JSON, or the text of the chunks."""
    cut: bool = False
    """Whether the text was cut."""


class GetTranscript(BaseCommand):
    """Get a whole transcript for export, without secrets and local paths."""

    name: Literal["get_transcript"] = "get_transcript"
    session_id: str
    turn_id: str = ""
    """Only this turn; ``last`` is the newest that was sent."""
    format: Literal["json", "markdown", "html", "shared"] = "json"
    """``shared`` is HTML that looks as in JupyterLab, and can be played step by step."""
    thoughts: bool = False
    """Whether Markdown and HTML include the agent's reasoning."""


IMPORT_BYTES = 200 * 1024 * 1024
"""Largest log that is imported."""


class _LogToImport(BaseCommand):
    """A log to import as a session."""

    content: bytes
    file_name: str = "log"
    dialect: Dialect | None = None
    """Its format; by default it is recognised."""
    log_session: str = ""
    """Which of its sessions, by its ACP id; by default the one with most lines."""


class ImportLog(_LogToImport):
    """Import a log as a session, which can be read but has no agent."""

    name: Literal["import_log"] = "import_log"


class StartImport(_LogToImport):
    """Start to import a log as a session; ``get_import`` returns the progress."""

    name: Literal["start_import"] = "start_import"


class GetImport(BaseCommand):
    """Get the progress of an import; waits for its end up to ``wait_seconds``."""

    name: Literal["get_import"] = "get_import"
    import_id: str
    wait_seconds: float = Field(default=0, ge=0, le=30)


class CancelImport(BaseCommand):
    """Cancel an import; its session is removed."""

    name: Literal["cancel_import"] = "cancel_import"
    import_id: str


class ImportProblem(Model):
    """Lines of a log that could not be imported, and why."""

    line: int
    """From 1."""
    message: str


class ImportResult(Model):
    """Result of ``import_log``."""

    session_id: str
    dialect: Dialect
    entries: int
    """Number of lines that were imported."""
    problems: tuple[ImportProblem, ...]
    """The first problems."""
    problem_count: int
    log_session: str
    """ACP id of the imported session."""
    other_sessions: tuple[str, ...]
    turn_ids: tuple[str, ...]


class ImportProgress(Model):
    """The progress of an import."""

    import_id: str
    file_name: str
    stage: Literal["survey", "read"]
    """Whether it is recognising the log's format, or reading it."""
    lines: int
    """Lines of the file that this stage has read."""
    bytes_read: int
    bytes_total: int


class ImportState(Model):
    """Result of ``start_import`` and ``get_import``."""

    progress: ImportProgress
    result: ImportResult | None = None
    """The result; None while it is running."""


class TranscriptPage(ItemsPage):
    """Result of ``get_transcript`` as JSON."""

    session: SessionState
    turns: tuple[TurnState, ...]
