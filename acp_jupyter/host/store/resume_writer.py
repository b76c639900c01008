"""Decides when the resume point of an open session is written."""

from __future__ import annotations

import logging

from acp_jupyter.host.store.resume_point import DueState, LogDiffers, ResumePoint, Unsaved
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.traffic_reader import LogPacket, TrafficReader
from acp_jupyter.transcript.model.events import Event
from acp_jupyter.transcript.model.saved_state import is_at_rest
from acp_jupyter.transcript.model.state import Transcript

_logger = logging.getLogger(__name__)


class ResumeWriter:
    """Tracks changes since the last resume point, and writes the next one.

    It stops if the log no longer matches the transcript, because a secret was removed from a line
    or lines were lost. The session is then read from the start, or from an earlier resume point.
    """

    def __init__(
        self, point: ResumePoint, unsaved: Unsaved, start: int, number: int, lines: int = 0
    ) -> None:
        self._point = point
        self._unsaved: Unsaved | None = unsaved
        self._start = start
        self._number = number
        self._lines = lines

    def stop(self) -> None:
        """Write no more resume points in this run."""
        self._unsaved = None

    def count(self, number: int) -> None:
        """Count a line."""
        self._number = number
        self._lines += 1

    def take(self, before: Transcript, packet: LogPacket, events: list[Event]) -> None:
        """Note what a packet has changed."""
        if self._unsaved is not None:
            self._unsaved.take(before, packet, events)

    def due(
        self, transcript: Transcript, reader: TrafficReader, log_bytes: int, least: int
    ) -> DueState | None:
        """Return the state to write, if the log has grown enough and nothing is open."""
        unsaved = self._unsaved
        if unsaved is None or not self._point.is_due(log_bytes, least):
            return None
        saved = reader.saved() if is_at_rest(transcript) else None
        if saved is None:
            return None
        self._unsaved = Unsaved()
        return DueState(transcript, saved, unsaved, self._number, self._start, self._lines)

    def write(self, log: TrafficLog, due: DueState, *, written: bool) -> None:
        """Write a resume point; a failure only slows down the next start. Blocks."""
        if not written or log.missing or log.altered:
            self.stop()
            return
        try:
            self._point.write(log.path, due)
        except LogDiffers as why:
            _logger.info("No resume point of %s: %s", log.path.parent, why)
            self.stop()
        except OSError as error:
            _logger.warning("No resume point of %s: %s", log.path.parent, error)
            self.stop()
        except Exception:
            _logger.exception("No resume point of %s", log.path.parent)
            self.stop()
