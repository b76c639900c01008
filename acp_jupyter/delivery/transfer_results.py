"""What importing and exporting answer; a kernel without a host reads them too."""

from __future__ import annotations

from acp_jupyter.delivery.frames import ItemsPage
from acp_jupyter.packets.base import Model
from acp_jupyter.packets.dialects.imports.kinds import Dialect
from acp_jupyter.transcript.session_state import SessionState, TurnState

__all__ = ["ImportProblem", "ImportResult", "TranscriptPage"]


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


class TranscriptPage(ItemsPage):
    """Result of ``get_transcript`` as JSON."""

    session: SessionState
    turns: tuple[TurnState, ...]
