"""Metadata of a session, ``meta.json``, and the restoring of a session from its folder.

The metadata is what the list of sessions shows without reading any log. A folder without that
file, or with a broken one, is read by the first line of its log; turns that a killed server had
only logged are added. Restoring reads the whole log. Where lines are missing, what was allowed
for the session is asked again: among them may be a no. What ran when the server ended is closed,
and nothing of it is allowed.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError
from pydantic_core import to_json

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.log_entries import lacks_lines, read_traffic
from acp_jupyter.host.store.spill_file import SpillFile
from acp_jupyter.host.store.traffic_log import FrozenLog, TrafficLog
from acp_jupyter.protocol.host_events.notes import (
    REPLAYED,
    AgentExited,
    HostNotice,
    Note,
    SessionOpened,
    TitleChanged,
    TurnFailed,
    read_note,
)
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.session_state import (
    SAVED_FACTS,
    SessionState,
    saved_facts,
)
from acp_jupyter.transcript.model.spilling import spilled
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.redactor import Redactor
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session import opened_transcript

META_FILE = "meta.json"
TRAFFIC_FILE = "traffic.ndjson"
META_VERSION = 1

_QUEUED = re.compile(rb'"note":"turn_queued","turn_id":"([^"]{1,100})"')
_META_BYTES = 4 * 1024 * 1024
_FIRST_LINE_BYTES = 1024 * 1024


class SessionMeta(Model):
    """A session as its folder's ``meta.json`` has it."""

    version: int = META_VERSION
    facts: SessionState
    """The saved fields of its state; the others have their defaults."""
    label: str = ""
    turn_ids: tuple[str, ...] = ()
    log_bytes: int = 0
    """How much of the log these are the turns of; there may be more of it."""
    played: bool = False
    """Whether it was replayed from a recording: no agent may take its place."""

    @property
    def session_id(self) -> str:
        """The session's id, and the name of its folder."""
        return self.facts.session_id

    def state(self) -> SessionState:
        """Return what can be said of the session without its log."""
        return self.facts.model_copy(update={"status": "stopped", "stored": True})

    def to_file(self) -> bytes:
        """Return the contents of ``meta.json``, where facts stand beside the rest."""
        facts = self.facts.model_dump(mode="json", include=set(SAVED_FACTS))
        facts["agent_id"], facts["agent_name"] = facts.pop("agent"), facts.pop("agent_info")["name"]
        return to_json({**self.model_dump(mode="json", exclude={"facts"}), **facts})

    @classmethod
    def from_file(cls, raw: Mapping[str, Any]) -> Self:
        """Read what ``to_file`` wrote; what this version does not know is left out.

        Raises
        ------
        ValidationError
            A field is missing, or makes no sense.
        """
        agent = {"agent": raw.get("agent_id")}
        agent["agent_info"] = {"id": raw.get("agent_id"), "name": raw.get("agent_name")}
        facts = {name: value for name, value in raw.items() if name in SAVED_FACTS}
        own = {name: value for name, value in raw.items() if name in cls.model_fields}
        return cls.model_validate({**own, "facts": {**facts, **agent}})


def read_meta(folder: Path) -> SessionMeta | None:
    """Read a session's folder; one of before there was a ``meta.json`` is read by its log.

    Returns
    -------
    SessionMeta or None
        None where there is no session, or one that makes no sense. Its ``version`` may be newer
        than this program's.
    """
    try:
        with (folder / META_FILE).open("rb") as file:
            raw = json.loads(file.read(_META_BYTES))
    except FileNotFoundError:
        return _migrated(folder)
    except (OSError, ValueError, RecursionError):
        return _migrated(folder)
    if not isinstance(raw, dict):
        return _migrated(folder)
    try:
        meta = SessionMeta.from_file(raw)
    except ValidationError:
        return _migrated(folder)
    return _caught_up(folder, meta) if meta.session_id == folder.name else None


def _caught_up(folder: Path, meta: SessionMeta) -> SessionMeta:
    """Add the turns that a killed server had written into the log only."""
    path = folder / TRAFFIC_FILE
    try:
        size = path.stat().st_size
        if size == meta.log_bytes:
            return meta
        with path.open("rb") as log:
            known = meta.log_bytes if 0 <= meta.log_bytes <= size else 0
            log.seek(known)
            found = [match[1].decode() for line in log if (match := _QUEUED.search(line))]
    except OSError:
        return meta
    turn_ids = (*meta.turn_ids, *found) if known else found
    return meta.model_copy(update={"turn_ids": tuple(dict.fromkeys(turn_ids))})


def write_meta(folder: Path, meta: SessionMeta) -> None:
    """Write it in one step, for its user alone.

    Raises
    ------
    OSError
        The disk is full, or the folder is gone.
    """
    handle, name = tempfile.mkstemp(dir=folder, prefix=".meta-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(meta.to_file())
        Path(name).replace(folder / META_FILE)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _migrated(folder: Path) -> SessionMeta | None:
    """Make what earlier versions did not write, from the log's first line."""
    path = folder / TRAFFIC_FILE
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(_FIRST_LINE_BYTES))
        changed = path.stat().st_mtime
    except (OSError, ValueError, RecursionError):
        return None
    note = read_note(first.get("m")) if isinstance(first, dict) else None
    if not isinstance(note, SessionOpened) or note.session_id != folder.name:
        return None
    at = first.get("t")
    facts = saved_facts(opened_transcript(note, changed).session)
    created = at if isinstance(at, int | float) else None
    meta = SessionMeta(
        facts=facts.model_copy(update={"created_at": created}),
        label=note.title,
        played=note.agent_name.endswith(REPLAYED),
    )
    return _caught_up(folder, meta)


_log = logging.getLogger(__name__)
_LOG_ENDS = "The log ends here."
_MISSING_ENTRIES = frozenset({"log_full", "log_gap"})
_MISSING = (
    "Lines are missing here from the log of this session: it, or the disk, was full. What was "
    "allowed for the session until then is asked again."
)


@dataclass(frozen=True, slots=True)
class Restored:
    """What a log says, up to its end."""

    transcript: Transcript
    reader: TrafficReader
    next_number: int
    spill: SpillFile
    """Where a part of the transcript lies."""


def read_session(folder: Path, meta: SessionMeta, limits: Limits, read_only: str = "") -> Restored:
    """Read a session's log from its start. Blocks: for a thread.

    A line that makes no sense is left out, as it is when it comes; a log without its first line
    is read with what the list knows of the session.
    """
    reader = TrafficReader()
    shelf = SpillFile(limits.spill_bytes)
    number = 0
    transcript = _opened(opening_note_of(meta), meta.facts.created_at or 0.0, meta.facts)
    path = folder / TRAFFIC_FILE
    for entry in read_traffic(path):
        number = max(number, entry.seq)
        if entry.direction == "!" and entry.message.get("note") in _MISSING_ENTRIES:
            transcript = _without_answers(transcript, entry.t)
            continue
        for packet in reader.read(entry):
            if isinstance(packet, SessionOpened):
                transcript = _opened(packet, entry.t, meta.facts)
                continue
            try:
                transcript, events = reduce(transcript, packet, entry.t)
            except Exception:  # noqa: BLE001 - as in the journal: one bad line degrades alone
                _log.exception("line %s of session %s", entry.seq, meta.session_id)
                continue
            transcript = spilled(transcript, events, shelf)
    if lacks_lines(path):
        transcript = _without_answers(transcript, transcript.session.updated_at or 0.0)
    if read_only:
        session = transcript.session.model_copy(update={"read_only": read_only})
        transcript = transcript.changed(session=session)
    return Restored(transcript, reader, number + 1, shelf)


def _opened(note: SessionOpened, at: float, facts: SessionState) -> Transcript:
    """Return the transcript at a log's first line; what that does not say is as it was saved."""
    transcript = opened_transcript(note, at)
    fields_set = transcript.session.model_fields_set
    saved = {name: getattr(facts, name) for name in SAVED_FACTS if name not in fields_set}
    return transcript.changed(session=transcript.session.model_copy(update=saved))


def _without_answers(transcript: Transcript, at: float) -> Transcript:
    """Forget what was allowed: among the lines that are missing may be a no."""
    session = transcript.session
    denied = tuple(rule for rule in session.rules if rule.effect == "deny")
    policy: Policy = session.policy if session.policy in {"deny", "read-only"} else "ask"
    changed = session.model_copy(update={"policy": policy, "rules": denied, "history": "gap"})
    notice = HostNotice(severity="warning", text=_MISSING)
    return reduce(transcript.changed(session=changed), notice, at)[0]


def opening_note_of(meta: SessionMeta) -> SessionOpened:
    """Return the first note of a session's log, from what the list knows of it."""
    facts = meta.facts
    same = {n: getattr(facts, n) for n in SessionOpened.model_fields if hasattr(facts, n)}
    return SessionOpened(**{**same, "title": meta.label, "user": facts.policy_user})


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


def end_open_turns(journal: Journal) -> None:
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
                "Your next message continues from here.",
                reason="server_restarted",
            )
        )
    for waiting in session.queue:
        words = "The Jupyter server stopped before this was sent. Send it again."
        journal.note(TurnFailed(turn_id=waiting.turn_id, message=words, reason="server_restarted"))


def end_imported_turns(journal: Journal, at: float, title: str) -> None:
    """Close what an imported log has left open.

    Parameters
    ----------
    journal
        The imported session's journal.
    at
        Time of the log's last line.
    title
        Of the session, whatever the log calls it.
    """

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
