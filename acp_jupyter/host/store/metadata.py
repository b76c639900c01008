"""Metadata of a session, ``meta.json``.

The metadata is what the list of sessions shows without reading any log. A folder without that
file, or with a broken one, is read by the first line of its log; turns that a killed server had
only logged are added.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError
from pydantic_core import to_json

from acp_jupyter.host.store.resume_point import replace_file
from acp_jupyter.protocol.host_events.notes import (
    SessionOpened,
    is_replayed,
    read_note,
)
from acp_jupyter.protocol.objects import Model
from acp_jupyter.transcript.model.session_state import (
    SAVED_FACTS,
    SessionState,
    saved_facts,
)
from acp_jupyter.transcript.model.use import Use
from acp_jupyter.transcript.reduce.session_facts import opened_transcript

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
    notebook_inode: int = 0
    """See `TurnFiles`: another file in its place may be another notebook."""

    day: str = ""
    """The last day on which it used something; see `DayUse`."""
    use_before: Use = Use()
    """What it had used before that day."""

    @property
    def session_id(self) -> str:
        """The session's id, and the name of its folder."""
        return self.facts.session_id

    def state(self) -> SessionState:
        """Return what can be said of the session without its log."""
        return self.facts.model_copy(update={"status": "stopped", "stored": True})

    def use_on(self, day: str) -> Use:
        """Return what it used on a day that no later use has followed."""
        return self.facts.use.since(self.use_before) if day == self.day else Use()

    def to_file(self) -> bytes:
        """Return the contents of ``meta.json``, where facts stand beside the rest."""
        facts = self.facts.model_dump(mode="json", include=set(SAVED_FACTS))
        facts["agent_id"], facts["agent_name"] = facts.pop("agent"), facts.pop("agent_info")["name"]
        return to_json({**self.model_dump(mode="json", exclude={"facts"}), **facts})

    @classmethod
    def from_file(cls, raw: Mapping[str, Any]) -> Self:
        """Read what ``to_file`` wrote; what this version does not know is left out."""
        agent = {"agent": raw.get("agent_id")}
        agent["agent_info"] = {"id": raw.get("agent_id"), "name": raw.get("agent_name")}
        facts = {name: value for name, value in raw.items() if name in SAVED_FACTS}
        own = {name: value for name, value in raw.items() if name in cls.model_fields}
        return cls.model_validate({**own, "facts": {**facts, **agent}})


def read_meta(folder: Path) -> SessionMeta | None:
    """Read a session's folder; one of before there was a ``meta.json`` is read by its log."""
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
    """Write it in one step, for its user alone."""
    replace_file(folder / META_FILE, meta.to_file())


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
        played=is_replayed(note.agent_name),
    )
    return _caught_up(folder, meta)


def opening_note_of(meta: SessionMeta) -> SessionOpened:
    """Return the first note of a session's log, from what the list knows of it."""
    facts = meta.facts
    same = {n: getattr(facts, n) for n in SessionOpened.model_fields if hasattr(facts, n)}
    return SessionOpened(**{**same, "title": meta.label, "user": facts.policy_user})
