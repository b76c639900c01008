"""A session made again from its folder."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.host.journal import Journal
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.session_meta import TRAFFIC_FILE, SessionMeta
from acp_jupyter.host.shelf import Shelf
from acp_jupyter.host.traffic_log import FrozenLog, TrafficLog, lacks_lines, read_traffic
from acp_jupyter.protocol.host_events.notes import (
    AgentExited,
    HostNotice,
    SessionOpened,
    TurnFailed,
)
from acp_jupyter.protocol.host_events.permissions import Policy
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.spilling import spilled
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.redaction.redactor import Redactor
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session import opened_transcript

__all__ = ["Restored", "opening_of", "read_session", "resume_journal", "settle"]

_log = logging.getLogger(__name__)
_LINES_ARE_MISSING = frozenset({"log_full", "log_gap"})
_MISSING = (
    "Here lines are missing from the record of this session: it, or the disk, was full. What was "
    "allowed for the session until then is asked again."
)


@dataclass(frozen=True, slots=True)
class Restored:
    """What a log says, up to its end."""

    transcript: Transcript
    reader: TrafficReader
    next_number: int
    spill: Shelf
    """Where a part of the transcript lies."""


def read_session(folder: Path, meta: SessionMeta, limits: Limits, read_only: str = "") -> Restored:
    """Read a session's log from its start. Blocks: for a thread.

    A line that makes no sense is left out, as it is when it comes; a log without its first line
    is read with what the list knows of the session.
    """
    reader = TrafficReader()
    shelf = Shelf(limits.spill_bytes)
    number = 0
    transcript = opened_transcript(opening_of(meta), meta.created_at or 0.0)
    path = folder / TRAFFIC_FILE
    for entry in read_traffic(path):
        number = max(number, entry.seq)
        if entry.direction == "!" and entry.message.get("note") in _LINES_ARE_MISSING:
            transcript = _asking_again(transcript, entry.t)
            continue
        for packet in reader.read(entry):
            if isinstance(packet, SessionOpened):
                transcript = opened_transcript(packet, entry.t)
                continue
            try:
                transcript, events = reduce(transcript, packet, entry.t)
            except Exception:  # noqa: BLE001 - as in the journal: one bad line degrades alone
                _log.exception("line %s of session %s", entry.seq, meta.session_id)
                continue
            transcript = spilled(transcript, events, shelf)
    if lacks_lines(path):
        transcript = _asking_again(transcript, transcript.session.updated_at or 0.0)
    if read_only:
        session = transcript.session.model_copy(update={"read_only": read_only})
        transcript = transcript.changed(session=session)
    return Restored(transcript, reader, number + 1, shelf)


def _asking_again(transcript: Transcript, at: float) -> Transcript:
    """Forget what was allowed: among the lines that are missing may be a no."""
    session = transcript.session
    denied = tuple(rule for rule in session.rules if rule.effect == "deny")
    policy: Policy = session.policy if session.policy in {"deny", "read-only"} else "ask"
    changed = session.model_copy(update={"policy": policy, "rules": denied, "history": "gap"})
    notice = HostNotice(severity="warning", text=_MISSING)
    return reduce(transcript.changed(session=changed), notice, at)[0]


def opening_of(meta: SessionMeta) -> SessionOpened:
    """Return the first note of a session's log, from what the list knows of it."""
    return SessionOpened(
        session_id=meta.session_id,
        agent_id=meta.agent_id,
        agent_name=meta.agent_name,
        cwd=meta.cwd,
        folder=meta.folder,
        policy=meta.policy,
        user=meta.policy_user,
        title=meta.label,
        notebook_path=meta.notebook_path,
    )


def resume_journal(
    folder: Path,
    restored: Restored,
    limits: Limits,
    redactor: Redactor,
    changed: Callable[[], None],
    owned: Callable[[], bool],
) -> Journal:
    """Go on with a log where it ended; one that others write is only read."""
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
    )


def settle(journal: Journal) -> None:
    """Close what was open when the server ended: nothing was allowed, nothing runs."""
    session = journal.transcript.session
    active = session.active_turn_id
    if active is not None or session.status != "stopped" or session.waiting:
        journal.note(AgentExited(words="ended with the Jupyter server", expected=True))
    if active is not None:
        journal.note(
            TurnFailed(
                turn_id=active,
                message="The Jupyter server stopped during this turn. "
                "Your next message goes on from here.",
                reason="server_restarted",
            )
        )
    for waiting in session.queue:
        words = "The Jupyter server stopped before this was sent. Send it again."
        journal.note(TurnFailed(turn_id=waiting.turn_id, message=words, reason="server_restarted"))
