"""Sessions of earlier runs, opened again when somebody asks for them."""

from __future__ import annotations

import asyncio
import time
import uuid
from functools import partial
from typing import TYPE_CHECKING

from acp_jupyter.errors import AcpError, DiskRefused
from acp_jupyter.host.forking import copy_log
from acp_jupyter.host.imported import ImportedSession
from acp_jupyter.host.registry.entries import AgentSpec
from acp_jupyter.host.restoring import Restored, opening_of, resume_journal, settle
from acp_jupyter.host.session import Session
from acp_jupyter.host.session_meta import TRAFFIC_FILE, SessionMeta
from acp_jupyter.host.session_store import SessionStore

if TYPE_CHECKING:
    from acp_jupyter.host.host import AgentHost

__all__ = ["KeptSessions"]


class KeptSessions:
    """Opens what is kept. Lives on the host's loop.

    Parameters
    ----------
    host
        Takes in what is opened.
    store
        The folders.
    """

    def __init__(self, host: AgentHost, store: SessionStore) -> None:
        self._host = host
        self._store = store
        self._waking: dict[str, asyncio.Task[Session]] = {}

    async def stored(self, *, again: bool = True) -> tuple[SessionMeta, ...]:
        """Return the sessions that are kept and not open, the oldest first.

        What ``again`` means is told by `SessionStore.ready`.
        """
        await self._store.ready(again=again)
        return tuple(self._store.stored.values())

    async def wake(self, session_id: str) -> None:
        """Open a session that is kept; its agent starts with its next prompt.

        An id that nobody knows is no error here.
        """
        if session_id in self._host.sessions:
            return
        await self._host.closer.wait_suspended(session_id)
        await self._store.ready()
        task = self._waking.get(session_id)
        if task is None:
            meta = self._store.stored.get(session_id)
            if meta is None:
                return
            task = asyncio.create_task(self._wake(meta), name=f"acp-wake-{session_id}")
            self._waking[session_id] = task
            task.add_done_callback(lambda _: self._waking.pop(session_id, None))
        await asyncio.shield(task)

    async def wake_turn(self, turn_id: str) -> None:
        """Open the kept session of a turn, if there is one."""
        if any(turn_id in session.transcript.turns for session in self._host.sessions.values()):
            return
        for meta in await self.stored():
            if turn_id in meta.turn_ids:
                await self.wake(meta.session_id)

    async def wake_notebook(self, notebook_path: str) -> None:
        """Open the newest kept sessions of a notebook."""
        metas = [m for m in await self.stored() if m.notebook_path == notebook_path]
        for meta in metas[-self._host.config.limits.woken_sessions :]:
            await self.wake(meta.session_id)

    async def find_stored(self, agent: str, notebook_path: str, label: str) -> Session | None:
        """Open the newest kept session of that agent, notebook and label that can be gone on with.

        Only where the agent remembers it: else a new one serves as well.
        """
        if not self._host.config.goes_on or not notebook_path:
            return None
        for meta in reversed(await self.stored()):
            key = (meta.agent_id, meta.notebook_path, meta.label)
            remembered = "resume" in meta.can or "load" in meta.can
            if key == (agent, notebook_path, label) and remembered and not meta.played:
                await self.wake(meta.session_id)
                session = self._host.sessions.get(meta.session_id)
                if session is not None and not session.state.read_only:
                    return session
        return None

    async def fork(self, parent: Session, notebook_path: str = "") -> Session:
        """Make a session whose log holds all that another's does; the agent is told by its caller.

        With ``notebook_path`` it is one of that notebook's sessions.

        Raises
        ------
        BadRequest
            Too many sessions are open.
        DiskRefused
            The other's log is not whole on disk.
        """
        self._host.check_room()
        session_id = uuid.uuid4().hex
        now = time.time()
        state = parent.state
        meta = SessionMeta(
            session_id=session_id,
            agent_id=state.agent,
            agent_name=state.agent_info.name,
            title=state.title,
            label=f"Fork of {state.title}"[:200] if state.title else "Fork",
            cwd=state.cwd,
            folder=state.folder,
            notebook_path=notebook_path,
            policy=state.policy,
            policy_user=state.policy_user,
            created_at=now,
        )
        folder = self._store.folder(session_id)
        self._store.hold(session_id)
        if not await asyncio.to_thread(parent.journal.flush):
            raise DiskRefused(parent.journal.log.why or "it does not answer")
        await asyncio.to_thread(
            copy_log, parent.journal.log.path, folder / TRAFFIC_FILE, opening_of(meta), now
        )
        session = self._revived(meta, await self._store.read(meta))
        session.rename(meta.label)
        self._host.adopt(session)
        return session

    async def _wake(self, meta: SessionMeta) -> Session:
        restored = await self._store.read(meta)
        session = self._revived(meta, restored)
        self._store.stored.pop(meta.session_id, None)
        self._host.adopt(session)
        return session

    def _revived(self, meta: SessionMeta, restored: Restored) -> Session:
        limits = self._host.config.limits
        spec = self._spec(meta.agent_id)
        redactor = self._host.redactor(spec)
        journal = resume_journal(
            self._store.folder(meta.session_id),
            restored,
            limits,
            redactor,
            self._host.announce_change,
            partial(self._store.owns, meta.session_id),
        )
        read_only = bool(journal.transcript.session.read_only)
        if not read_only:
            settle(journal)
        if spec is None or meta.played or read_only:
            session: Session = ImportedSession(journal, limits)
        else:
            documents = self._host.config.documents
            session = Session(
                spec, journal, self._host.pool, documents, limits, self._host.permission_stores
            )
        session.know_secrets(redactor)
        session.label = meta.label
        return session

    def _spec(self, agent_id: str) -> AgentSpec | None:
        """Return an agent that can still be started."""
        try:
            return self._host.config.registry.get(agent_id)
        except AcpError:
            return None
