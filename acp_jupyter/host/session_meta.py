"""What the list of sessions needs to know of each, without reading its log."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from pathlib import Path

from pydantic import ValidationError

from acp_jupyter.protocol.host_events.notes import SessionOpened, read_note
from acp_jupyter.protocol.host_events.permissions import Policy
from acp_jupyter.protocol.objects import Model
from acp_jupyter.protocol.session_packets import Ability
from acp_jupyter.transcript.model.session_state import AgentInfo, SessionState, Usage

__all__ = ["META_FILE", "META_VERSION", "TRAFFIC_FILE", "SessionMeta", "read_meta", "write_meta"]

META_FILE = "meta.json"
TRAFFIC_FILE = "traffic.ndjson"
META_VERSION = 1

_QUEUED = re.compile(rb'"note":"turn_queued","turn_id":"([^"]{1,100})"')
_META_BYTES = 4 * 1024 * 1024
_FIRST_LINE_BYTES = 1024 * 1024


class SessionMeta(Model):
    """A session as its folder's ``meta.json`` has it."""

    version: int = META_VERSION
    session_id: str
    agent_id: str
    agent_name: str
    title: str = ""
    label: str = ""
    cwd: str
    folder: str
    notebook_path: str = ""
    policy: Policy = "ask"
    policy_user: str = ""
    agent_session_id: str = ""
    turn_ids: tuple[str, ...] = ()
    log_bytes: int = 0
    """How much of the log these are the turns of; there may be more of it."""
    can: tuple[Ability, ...] = ()
    """What its agent could do with sessions."""
    usage: Usage | None = None
    played: bool = False
    """Whether it was played from a record: no agent may take its place."""
    created_at: float | None = None
    updated_at: float | None = None

    def state(self, read_only: str = "") -> SessionState:
        """Return what can be said of the session without its log."""
        return SessionState(
            session_id=self.session_id,
            title=self.title,
            agent=self.agent_id,
            agent_info=AgentInfo(id=self.agent_id, name=self.agent_name),
            cwd=self.cwd,
            folder=self.folder,
            status="stopped",
            policy=self.policy,
            policy_user=self.policy_user,
            notebook_path=self.notebook_path,
            can=self.can,
            agent_session_id=self.agent_session_id,
            usage=self.usage,
            stored=True,
            read_only=read_only,
            created_at=self.created_at,
            updated_at=self.updated_at,
        )


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
    known = {key: value for key, value in raw.items() if key in SessionMeta.model_fields}
    try:
        meta = SessionMeta.model_validate(known)
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
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(meta.model_dump_json())
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
    meta = SessionMeta(
        session_id=note.session_id,
        agent_id=note.agent_id,
        agent_name=note.agent_name,
        title=note.title,
        label=note.title,
        cwd=note.cwd,
        folder=note.folder,
        notebook_path=note.notebook_path,
        policy=note.policy,
        policy_user=note.user,
        played=note.agent_name.endswith("(replayed)"),
        created_at=at if isinstance(at, int | float) else None,
        updated_at=changed,
    )
    return _caught_up(folder, meta)
