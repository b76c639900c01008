"""Reads a session from its folder, and continues its log.

The log is read from the session's resume point on, or from its start if there is none that fits.
If lines are missing, the session's permissions are dropped, as the lines may have revoked them.
Turns and requests that were open when the server ended are closed, and nothing is allowed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.log_reader import lacks_lines, read_entries
from acp_jupyter.host.store.metadata import TRAFFIC_FILE, SessionMeta, opening_note_of
from acp_jupyter.host.store.resume_point import ResumePoint, Unsaved
from acp_jupyter.host.store.resume_writer import ResumeWriter
from acp_jupyter.host.store.spill_file import SpillFile
from acp_jupyter.host.store.traffic_log import FrozenLog, TrafficLog
from acp_jupyter.protocol.host_events.notes import (
    AgentExited,
    HostNotice,
    Note,
    SessionOpened,
    TitleChanged,
    TurnFailed,
)
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.session_state import SAVED_FACTS, SessionState
from acp_jupyter.transcript.model.spilling import spilled
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.redactor import Redactor
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript

_logger = logging.getLogger(__name__)
_LOG_ENDS = "The log ends here."
_MISSING_ENTRIES = frozenset({"log_full", "log_gap"})
_MISSING = (
    "Lines are missing here from the log of this session: it, or the disk, was full. What was "
    "allowed for the session until then is asked again."
)


@dataclass(frozen=True, slots=True)
class Restored:
    """A session as read from its log."""

    transcript: Transcript
    reader: TrafficReader
    next_number: int
    spill: SpillFile
    """Holds the spilled part of the transcript."""
    resume: ResumeWriter
    """Writes the next resume point."""
    lines: int
    """How many lines were read, after the resume point."""


def read_session(folder: Path, meta: SessionMeta, read_only: str = "") -> Restored:
    """Read a session's log from its resume point on. Blocks, so call it in a thread.

    An invalid line is skipped, as it is when it arrives. If the log lacks its first line, the
    session's metadata serve in its place.
    """
    path = folder / TRAFFIC_FILE
    resumed = ResumePoint.load(folder, path)
    if resumed is None:
        point, reader, shelf = ResumePoint(folder), TrafficReader(), SpillFile()
        transcript = _opened(opening_note_of(meta), meta.facts.created_at or 0.0, meta.facts)
        number = 0
    else:
        point, reader, shelf = resumed.point, resumed.reader, resumed.spill
        transcript, number = resumed.transcript, resumed.number
    unsaved = Unsaved()
    lines = _Lines(path, point.log_bytes)
    for entry in read_entries(lines):
        number = max(number, entry.seq)
        if entry.direction == "!" and entry.message.get("note") in _MISSING_ENTRIES:
            before, transcript = transcript, _without_answers(transcript, entry.t)
            unsaved.items.update(range(len(before.items), len(transcript.items)))
            continue
        for packet in reader.read(entry):
            if isinstance(packet, SessionOpened):
                transcript = _opened(packet, entry.t, meta.facts)
                continue
            before = transcript
            try:
                transcript, events = reduce(transcript, packet, entry.t)
            except Exception:
                _logger.exception("line %s of session %s", entry.seq, meta.session_id)
                continue
            unsaved.take(before, packet, events)
            transcript = spilled(transcript, events, shelf)
    resume = ResumeWriter(point, unsaved, lines.end, number)
    if lacks_lines(path):
        transcript = _without_answers(transcript, transcript.session.updated_at or 0.0)
        resume.stop()
    if lines.torn or read_only:
        resume.stop()
    if read_only:
        session = transcript.session.model_copy(update={"read_only": read_only})
        transcript = transcript.changed(session=session)
    return Restored(transcript, reader, number + 1, shelf, resume, lines.count)


class _Lines:
    """Iterates over the lines of a log from a position on, and counts them."""

    def __init__(self, path: Path, start: int) -> None:
        self._path = path
        self.end = start
        """The position after the last line that was read."""
        self.count = 0
        self.torn = False
        """Whether the last line is incomplete."""

    def __iter__(self) -> Iterator[bytes]:
        with self._path.open("rb") as file:
            file.seek(self.end)
            for line in file:
                self.count += 1
                self.end += len(line)
                self.torn = not line.endswith(b"\n")
                yield line


_COUNTED = frozenset({"usage", "use"})
"""Saved fields that the log's lines count again."""


def _opened(note: SessionOpened, at: float, facts: SessionState) -> Transcript:
    """Return the transcript at a log's first line, with saved facts for fields that it lacks."""
    transcript = opened_transcript(note, at)
    known = transcript.session.model_fields_set | _COUNTED
    saved = {name: getattr(facts, name) for name in SAVED_FACTS if name not in known}
    return transcript.changed(session=transcript.session.model_copy(update=saved))


def _without_answers(transcript: Transcript, at: float) -> Transcript:
    """Drop what was allowed: the missing lines may have revoked it."""
    session = transcript.session
    denied = tuple(rule for rule in session.rules if rule.effect == "deny")
    policy: Policy = session.policy if session.policy in {"deny", "read-only"} else "ask"
    changed = session.model_copy(update={"policy": policy, "rules": denied, "history": "gap"})
    notice = HostNotice(severity="warning", text=_MISSING)
    return reduce(transcript.changed(session=changed), notice, at)[0]


def resume_journal(
    folder: Path,
    restored: Restored,
    limits: Limits,
    redactor: Redactor,
    changed: Callable[[], None],
    owned: Callable[[], bool],
) -> Journal:
    """Return a journal that continues the log; one that others write is only read."""
    path = folder / TRAFFIC_FILE
    frozen = bool(restored.transcript.session.read_only)
    log = FrozenLog(path) if frozen else TrafficLog(path, limits, redactor, owned)
    return Journal(
        restored.transcript,
        log,
        restored.reader,
        restored.next_number,
        limits,
        changed,
        restored.spill,
        restored.resume,
    )


def end_open_turns(journal: Journal) -> None:
    """Close turns and requests that were open when the server ended; nothing was allowed."""
    session = journal.transcript.session
    active = session.active_turn_id
    if active is not None or session.status != "stopped" or session.waiting:
        journal.note(AgentExited(words="ended with the Jupyter server", expected=True))
    if active is not None:
        journal.note(
            TurnFailed(
                turn_id=active,
                message="The Jupyter server stopped during this turn. "
                "Your next message continues from here.",
                reason="server_restarted",
            )
        )
    for waiting in session.queue:
        words = "The Jupyter server stopped before this was sent. Send it again."
        journal.note(TurnFailed(turn_id=waiting.turn_id, message=words, reason="server_restarted"))


def end_imported_turns(journal: Journal, at: float, title: str) -> None:
    """Close the turns that an imported log leaves open."""

    def note_at(note: Note) -> None:
        number = next(journal.sequence)
        journal.enter(TrafficEntry(number, at, "!", note.model_dump(mode="json")))

    turns = journal.transcript.turns
    for turn_id in journal.transcript.turn_order:
        if turns[turn_id].status != "done":
            note_at(TurnFailed(turn_id=turn_id, message=_LOG_ENDS, reason="log_ended"))
    if journal.transcript.session.title != title:
        note_at(TitleChanged(title=title))
    journal.note(AgentExited(words=_LOG_ENDS, expected=True))
