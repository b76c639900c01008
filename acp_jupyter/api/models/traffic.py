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
    """Lines of a session's traffic log that pass the filters, in their order.

    A place is where a line begins in the log, in bytes.
    """

    name: Literal["get_traffic"] = "get_traffic"
    session_id: str
    after: int | None = Field(default=None, ge=0)
    """The place to read on from: a page's ``end``. Without it the newest lines are read."""
    before: int | None = Field(default=None, ge=0)
    """The place to read back from: a page's ``start``."""
    limit: int = Field(default=200, ge=1, le=500)
    direction: Direction | None = None
    method: str = Field(default="", max_length=200)
    """The method, the kind of update or the kind of note; or part of it."""
    text: str = Field(default="", max_length=200)
    """What the line must hold; capital letters make no difference."""
    gather: bool = False
    """Whether consecutive chunks of one stream are one line."""
    wait_seconds: float = Field(default=0, ge=0, le=20)
    """How long to wait, where nothing has come after ``after`` yet."""


class TrafficLine(Model):
    """A line of the log in short."""

    place: int
    seq: int
    at: float
    """Seconds since the epoch."""
    direction: Direction
    kind: Literal["request", "response", "error", "notification", "note", "unknown"]
    method: str = ""
    """ACP's method, also of the request that a response answers if that is near; a note's kind."""
    update: str = ""
    """The kind of a ``session/update``."""
    size: int
    """Bytes."""
    preview: str = ""
    """How its content begins."""
    stream: str = ""
    """Names the text that a chunk is part of; empty for what is no chunk."""
    count: int = 1
    """Chunks that were gathered; they fill ``size`` bytes from ``place``."""


class TrafficPage(Model):
    """Result of ``get_traffic``.

    Looking is bounded too: a page may hold few lines or none although there are more.
    """

    lines: tuple[TrafficLine, ...]
    start: int
    """Everything from here..."""
    end: int
    """...to here was looked at."""
    size: int
    """Of the whole log, as far as its lines are complete."""


class GetTrafficLine(BaseCommand):
    """One line of the log, written out; or the text of gathered chunks."""

    name: Literal["get_traffic_line"] = "get_traffic_line"
    session_id: str
    place: int = Field(ge=0)
    end: int | None = Field(default=None, ge=0)
    """Where the gathered chunks end."""


class TrafficDetail(Model):
    """Result of ``get_traffic_line``."""

    place: int
    text: str
    """Its message as indented JSON, or the text of the chunks."""
    cut: bool = False
    """Whether that is only its beginning."""


class GetTranscript(BaseCommand):
    """A whole transcript for export, without secrets and places on this machine."""

    name: Literal["get_transcript"] = "get_transcript"
    session_id: str
    turn_id: str = ""
    """Of this turn alone; ``last`` is the newest that was sent."""
    format: Literal["json", "markdown", "html", "shared"] = "json"
    """``shared`` is HTML that shows it as JupyterLab does, and plays it in steps."""
    thoughts: bool = False
    """Whether Markdown and HTML hold the agent's reasoning."""


class _LogToImport(BaseCommand):
    """A log that becomes a session."""

    content: bytes
    file_name: str = "log"
    dialect: Dialect | None = None
    """How to read it; by default as it looks."""
    log_session: str = ""
    """Which of its sessions, by the protocol's id; by default the one with most lines."""


class ImportLog(_LogToImport):
    """Make a session of a log; it can be looked at, and has no agent."""

    name: Literal["import_log"] = "import_log"


class StartImport(_LogToImport):
    """Begin to make a session of a log; ``get_import`` tells how far it is."""

    name: Literal["start_import"] = "start_import"


class GetImport(BaseCommand):
    """How far an import is; waits for its end at most ``wait_seconds``."""

    name: Literal["get_import"] = "get_import"
    import_id: str
    wait_seconds: float = Field(default=0, ge=0, le=30)


class CancelImport(BaseCommand):
    """Stop an import; nothing of it is kept."""

    name: Literal["cancel_import"] = "cancel_import"
    import_id: str


class ImportProblem(Model):
    """What of a log could not be taken, and why."""

    line: int
    """From 1."""
    message: str


class ImportResult(Model):
    """Result of ``import_log``."""

    session_id: str
    dialect: Dialect
    entries: int
    """Lines that the session has of the log."""
    problems: tuple[ImportProblem, ...]
    """The first of them."""
    problem_count: int
    log_session: str
    """Which of the log's sessions was imported, by the protocol's id."""
    other_sessions: tuple[str, ...]
    turn_ids: tuple[str, ...]


class ImportProgress(Model):
    """How far an import is."""

    import_id: str
    file_name: str
    stage: Literal["survey", "read"]
    """Whether the log is only looked through, to know what it is of, or read."""
    lines: int
    """Lines of the file that this stage has read."""
    bytes_read: int
    bytes_total: int


class ImportState(Model):
    """Result of ``start_import`` and ``get_import``."""

    progress: ImportProgress
    result: ImportResult | None = None
    """What came of it; None while it goes on."""


class TranscriptPage(ItemsPage):
    """Result of ``get_transcript`` as JSON."""

    session: SessionState
    turns: tuple[TurnState, ...]
