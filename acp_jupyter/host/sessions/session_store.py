"""The folders of all sessions: listed, saved, read again and deleted.

Several servers may share one data folder: sessions that others add, change or delete are found,
and a session that another server has taken is read-only here.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from acp_jupyter.errors import DiskRefused, NotAllowed, plain_reason
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.metadata import (
    META_VERSION,
    TRAFFIC_FILE,
    SessionMeta,
    read_meta,
    write_meta,
)
from acp_jupyter.host.store.ownership import ELSEWHERE, Ownership
from acp_jupyter.host.store.restore import Restored, read_session
from acp_jupyter.host.workspace.copied_folders import remove_folder
from acp_jupyter.protocol.host_events.notes import HostNotice, is_replayed
from acp_jupyter.transcript.model.session_state import saved_facts

_logger = logging.getLogger(__name__)
COPY = "copy"
"""The place of the copy that the agent works in, in the session's folder."""
_SAVE_SECONDS = 0.5
_LISTED_SESSIONS = 1000
"""Newest ended sessions that are listed."""
_TURN_IDS = 5000
_TITLE_CHARS = 1000
_LESS_AT_END = 16
"""A session that closes saves its state if its log grew by this fraction of `resume_bytes`."""
_CLOCK_NS = 2 * 10**9
"""Some disks give two changes within this time the same timestamp."""
_DELETED = (
    "The folder that acp-jupyter keeps sessions in was deleted while the server ran. This session "
    "was written again in full. The record of what turns changed is lost, and so are sessions that "
    "were not open."
)
_NEWER = "This session was written by a newer version of acp-jupyter. It can be read here."


class _Found(NamedTuple):
    """The result of a scan of the folders."""

    changed: int
    """When folders were last added or removed; 0 for just now."""
    times: Mapping[str, int]
    """When each folder was last changed, by its name; 0 for just now."""
    metas: list[SessionMeta]
    """Metadata of new and changed sessions."""


class SessionStore:
    """Stores sessions on disk. Lives on the host's loop, and uses the disk in threads."""

    def __init__(
        self,
        data_dir: Path,
        limits: Limits,
        live: Callable[[], Iterable[Session]],
        reopen: Callable[[Session], Awaitable[None]],
    ) -> None:
        self.stored: dict[str, SessionMeta] = {}
        """The sessions that are on disk and not open, the newest last."""
        self._sessions = data_dir / "sessions"
        self._limits = limits
        self._live = live
        self.ownership = self._ownership = Ownership(data_dir, limits)
        self._saved: dict[str, SessionMeta] = {}
        self._writing: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """A lock per session, so that a prompt waits only for its own session's metadata."""
        self._watch: asyncio.Task[None] | None = None
        self._reopen = reopen
        self._unlisted: set[str] = set()
        """Sessions whose metadata could not be written; each change tries again."""
        self._looking = asyncio.Lock()
        self._changed = 0
        self._looked = -float("inf")
        self._times: dict[str, int] = {}
        """When the folders of ``stored`` were last changed, as of the last scan."""
        self._held: frozenset[str] = frozenset()
        """Sessions that were created or deleted here, and that a scan must not add."""
        self._save: asyncio.Task[None] | None = None

    def folder(self, session_id: str) -> Path:
        """Return the folder of a session."""
        return self._sessions / session_id

    async def make_place(self, session_id: str) -> Path:
        """Own the folder of a session that is about to be created; return the place of its copy."""
        self.hold(session_id)
        folder = self.folder(session_id)
        place = folder / COPY

        def make() -> Path:
            try:
                folder.mkdir(mode=0o700, parents=True)
                # Owned first: a server that starts removes the copies that nobody owns.
                if words := self._ownership.take(folder):
                    raise DiskRefused(words.rstrip("."))
                place.mkdir(mode=0o700)
            except OSError as error:
                raise DiskRefused(plain_reason(error)) from None
            return Path(os.path.realpath(place))

        return await asyncio.to_thread(make)

    def remove_orphans(self) -> None:
        """Remove the folders of servers that were killed while they copied one. Blocks."""
        try:
            with os.scandir(self._sessions) as entries:
                folders = [Path(entry.path) for entry in entries if entry.is_dir()]
        except OSError:
            return
        for folder in folders:
            begun = (folder / COPY).is_dir() and not (folder / TRAFFIC_FILE).exists()
            if begun and folder.name not in self._held and self.is_free(folder.name):
                remove_folder(folder)

    def hold(self, session_id: str) -> None:
        """Keep scans from adding a session that is just being created."""
        self._held |= {session_id}

    async def ready(self, *, again: bool = True) -> None:
        """Bring ``stored`` up to date, with sessions of other servers, too.

        Parameters
        ----------
        again
            Whether to look for folders that were added or deleted just now. Otherwise, as for
            changes by other servers, once per heartbeat must do.
        """
        if again or self._is_late():
            async with self._looking:
                await self._read_folders()

    def _is_late(self) -> bool:
        return time.monotonic() - self._looked >= self._limits.heartbeat_seconds

    def changed(self) -> None:
        """Save the changes of open sessions soon."""
        if self._save is None or self._save.done():
            self._save = asyncio.create_task(self._save_soon(), name="acp-save-sessions")

    def owns(self, session_id: str) -> bool:
        """Return whether no other server has taken a session. Blocks; in any thread."""
        return self._ownership.owns(self.folder(session_id))

    def is_free(self, session_id: str) -> bool:
        """Return whether no running server owns a session, and it is writable. Blocks."""
        return not self._ownership.why_not_delete(self.folder(session_id))

    async def save(self, session: Session) -> bool:
        """Save a session's log and metadata; return whether both are on disk."""
        written = await session.journal.flushed()
        session.journal.check_log()
        await self._write(session)
        return written and session.session_id not in self._unlisted

    async def read(self, meta: SessionMeta) -> Restored:
        """Read a stored session; read-only if another server has it or a newer one wrote it."""
        folder = self.folder(meta.session_id)
        words = _NEWER if meta.version > META_VERSION else ""
        words = words or await asyncio.to_thread(self._ownership.take, folder)
        self._begin_watch()
        return await asyncio.to_thread(read_session, folder, meta, words)

    async def suspend(self, session: Session) -> None:
        """Save a session that was closed, and list it as stored."""
        meta = _meta(session)
        folder = self.folder(session.session_id)
        if not session.state.read_only:
            if await asyncio.to_thread(self._ownership.owns, folder):
                await self._write(session, self._limits.resume_bytes // _LESS_AT_END)
            await asyncio.to_thread(self._ownership.release, folder)
        self._saved.pop(session.session_id, None)
        self._writing.pop(session.session_id, None)
        self._times[session.session_id] = await asyncio.to_thread(_changed_at, folder)
        self.stored[session.session_id] = meta
        self._held -= {session.session_id}

    async def why_not_delete(self, session: Session) -> str:
        """Return why a read-only session can't be deleted, in words; empty if it can.

        A full disk is no reason, as deleting makes room.
        """
        words = session.state.read_only
        if words in {"", _NEWER}:
            return words
        folder = self.folder(session.session_id)
        return await asyncio.to_thread(self._ownership.why_not_delete, folder)

    async def delete(self, session_id: str) -> None:
        """Delete the folder of a session that is not open."""
        folder = self.folder(session_id)
        words = await asyncio.to_thread(self._ownership.take, folder)
        words = words and await asyncio.to_thread(self._ownership.why_not_delete, folder)
        if words:
            raise NotAllowed(f"{words} It can't be deleted from here.")
        self._held |= {session_id}
        self.stored.pop(session_id, None)
        self._writing.pop(session_id, None)
        await asyncio.to_thread(remove_folder, folder)
        self._ownership.release(folder)

    async def close(self) -> None:
        """Stop saving, and give up ownership of all folders."""
        for task in (self._save, self._watch):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        await asyncio.to_thread(self._ownership.close)

    async def _read_folders(self) -> None:
        known = dict(self._times)
        changed = 0 if self._is_late() else self._changed
        found = await asyncio.to_thread(self._find, changed, known, self._not_sought())
        if found is None:
            return
        self._looked, self._changed = time.monotonic(), found.changed
        metas = {meta.session_id: meta for meta in found.metas}
        for name in self._not_sought():
            metas.pop(name, None)
        for name in found.times.keys() | known.keys():
            if self._times.get(name) != known.get(name):
                metas.pop(name, None)  # the session was closed here meanwhile
            elif name in found.times:
                self._times[name] = found.times[name]
            else:
                del self._times[name]
                self.stored.pop(name, None)
        if metas:
            everything = {**self.stored, **metas}.values()
            ordered = sorted(everything, key=lambda meta: meta.facts.updated_at or 0.0)
            self.stored = {meta.session_id: meta for meta in ordered}

    def _not_sought(self) -> frozenset[str]:
        return self._held.union(session.session_id for session in self._live())

    def _find(
        self, changed: int, known: Mapping[str, int], skipped: Collection[str]
    ) -> _Found | None:
        """Scan the folders; return None if none was added or removed, or if the scan failed."""
        try:
            now = _changed_at(self._sessions)
            if changed and now == changed:
                return None
            with os.scandir(self._sessions) as entries:
                names = [entry.name for entry in entries if entry.is_dir()]
        except FileNotFoundError:
            return _Found(0, {}, [])
        except OSError:
            return None
        all_times = {name: _changed_at(self._sessions / name) for name in names}
        ordered = sorted(all_times, key=all_times.__getitem__, reverse=True)
        times = {name: all_times[name] for name in ordered[:_LISTED_SESSIONS]}
        new = [n for n, at in times.items() if n not in skipped and at != known.get(n)]
        read = (read_meta(self._sessions / name) for name in new)
        metas = [meta for meta in read if meta is not None]
        past = time.time_ns() - _CLOCK_NS
        settled = {name: at if at < past else 0 for name, at in times.items()}
        return _Found(now if now < past else 0, settled, metas)

    def _begin_watch(self) -> None:
        if self._watch is None:
            self._watch = asyncio.create_task(self._refresh(), name="acp-owned-sessions")

    async def _refresh(self) -> None:
        """Check with each heartbeat what other servers did to the folders of open sessions.

        Idle sessions are moved out of memory at the same time.
        """
        while True:
            await asyncio.sleep(self._limits.heartbeat_seconds)
            lost, gone = await asyncio.to_thread(self._ownership.read_marks)
            for session in tuple(self._live()):
                folder = self.folder(session.session_id)
                try:
                    if folder in lost or await self._is_left(session):
                        await self._reopen(session)
                    elif folder in gone:
                        await self._recreate(session)
                    session.journal.check_log()
                    session.journal.rest()
                except Exception:
                    _logger.exception("The folder of session %s", session.session_id)

    async def _is_left(self, session: Session) -> bool:
        """Return whether a session is read-only because of a server that has ended by now."""
        if session.state.read_only != ELSEWHERE:
            return False
        return await asyncio.to_thread(self.is_free, session.session_id)

    async def _recreate(self, session: Session) -> None:
        log = session.journal.log
        if not await asyncio.to_thread(log.path.exists):
            await asyncio.to_thread(log.recreate)
            session.journal.note(HostNotice(severity="warning", text=_DELETED))
        self._saved.pop(session.session_id, None)
        await self._write(session)

    async def _save_soon(self) -> None:
        await asyncio.sleep(_SAVE_SECONDS)
        for session in tuple(self._live()):
            await self._write(session)

    async def _write(self, session: Session, least: int | None = None) -> None:
        """Write changed metadata, and a resume point if the log has grown by ``least`` bytes."""
        async with self._writing[session.session_id]:
            meta, saved = _meta(session), self._saved.get(session.session_id)
            if not session.state.read_only and not _is_saved(meta, saved, session):
                await self._write_now(session.session_id, meta)
            if not session.state.read_only:
                await session.journal.save_state(
                    self._limits.resume_bytes if least is None else least
                )

    async def _write_now(self, session_id: str, meta: SessionMeta) -> None:
        folder = self.folder(session_id)
        words = ""
        if session_id not in self._saved:
            words = await asyncio.to_thread(self._ownership.take, folder)
            self._begin_watch()
        if words == ELSEWHERE:
            self._ownership.mark_lost(folder)  # the next heartbeat makes the session read-only
        try:
            if not words:
                await asyncio.to_thread(write_meta, folder, meta)
        except OSError as error:
            words = plain_reason(error)
        if words:
            if session_id not in self._unlisted:
                _logger.warning("Session %s is not listed: %s", session_id, words)
            self._unlisted.add(session_id)
            return
        self._unlisted.discard(session_id)
        self._saved[session_id] = meta


def _is_saved(meta: SessionMeta, saved: SessionMeta | None, session: Session) -> bool:
    """Return whether the saved metadata suffices; while a turn runs, its times don't count."""
    if saved is None or session.state.active_turn_id is None:
        return meta == saved
    facts = meta.facts.model_copy(update={"updated_at": saved.facts.updated_at})
    return meta.model_copy(update={"facts": facts, "log_bytes": saved.log_bytes}) == saved


def _meta(session: Session) -> SessionMeta:
    state = session.state
    log_bytes = session.journal.log.size  # first, so that the transcript has all of it
    turn_ids = session.transcript.turn_order[-_TURN_IDS:]
    title = session.redactor.redact_text(state.title[:_TITLE_CHARS])
    return SessionMeta(
        facts=saved_facts(state).model_copy(update={"title": title}),
        label=session.label,
        turn_ids=tuple(turn_ids),
        log_bytes=log_bytes,
        played=is_replayed(state.agent_name),
        notebook_inode=session.turn_files.notebook_inode,
        day=session.day_use.day,
        use_before=session.day_use.before,
    )


def _changed_at(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0
