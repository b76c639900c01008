"""The host of all agents: sessions on a loop and a thread of their own."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import os
import threading
import uuid
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from acp_jupyter.errors import AcpError, BadRequest, HostClosed, UnknownSession, UnknownTurn
from acp_jupyter.host.checkpoints_store import CheckpointStore
from acp_jupyter.host.documents import Documents, NoDocuments
from acp_jupyter.host.journal import Journal, Reader
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.pool import AgentPool
from acp_jupyter.host.recording_sessions import Records
from acp_jupyter.host.recording_wish import RecordWish
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.session import Session
from acp_jupyter.host.traffic_log import TrafficLog
from acp_jupyter.packets.notes import SessionOpened
from acp_jupyter.transcript.events import Policy
from acp_jupyter.transcript.redact import Redactor

__all__ = ["AgentHost", "HostConfig"]

T = TypeVar("T")

_log = logging.getLogger(__name__)
_STOP_SECONDS = 15.0


@dataclass(frozen=True)
class HostConfig:
    """What a host works with."""

    registry: Registry
    root: Path
    """Below it lie the folders that sessions of notebooks work in."""
    data_dir: Path
    """Where session folders are kept."""
    documents: Documents = field(default_factory=NoDocuments)
    limits: Limits = field(default_factory=Limits)
    policy: Policy = "ask"


class AgentHost:
    """Owns all sessions. Its own thread and asyncio loop keep bursts of updates off Jupyter's.

    What may be called from other threads stands first; the rest is for that loop.
    """

    def __init__(self, config: HostConfig) -> None:
        self.config = config
        self.sessions: dict[str, Session] = {}
        self._records = Records(config.root, config.limits)
        self.checkpoints = CheckpointStore(config.data_dir, config.limits)
        self._pool = AgentPool(config.limits)
        self._listeners: set[Callable[[], None]] = set()
        self._reads: dict[Reader, Session] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="acp-host", daemon=True)
        self._stopped = False

    # -- from any thread -------------------------------------------------

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Run a coroutine on the host's loop.

        Raises
        ------
        HostClosed
            The host is shutting down.
        """
        if self._stopped:
            work.close()
            raise HostClosed("The agent host is shutting down.")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        """End all sessions and their processes, then the thread. Blocks some seconds at most."""
        if self._stopped:
            return
        closing = self.submit(self._close())
        self._stopped = True
        try:
            closing.result(_STOP_SECONDS)
        except (TimeoutError, concurrent.futures.TimeoutError):
            _log.warning(
                "Sessions did not end within %s s; their agents are killed.", _STOP_SECONDS
            )
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_STOP_SECONDS)

    def unsubscribe(self, reader: Reader) -> None:
        """Let ``reader`` follow no more; it may get a last event or two."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._forget, reader)

    def on_sessions_changed(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener``, in the host's thread, when any session's state has changed.

        Returns
        -------
        Callable
            Stops it.
        """
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    # -- on the host's loop ----------------------------------------------

    def session(self, session_id: str) -> Session:
        """Return a session.

        Raises
        ------
        UnknownSession
            No session of that id.
        """
        try:
            return self.sessions[session_id]
        except KeyError:
            raise UnknownSession(
                f"There is no session {session_id!r}. It may have been closed, or the server was "
                "restarted since."
            ) from None

    def session_of_turn(self, turn_id: str) -> Session:
        """Return the session that a turn belongs to.

        Raises
        ------
        UnknownTurn
            No turn of that id.
        """
        for session in self.sessions.values():
            if turn_id in session.transcript.turns:
                return session
        raise UnknownTurn(
            "This turn is not known here. Its session may have been closed, or the server was "
            "restarted since."
        )

    def find(
        self, agent: str, notebook_path: str, label: str, record: RecordWish | None = None
    ) -> Session | None:
        """Return the newest session of that agent, notebook and label that suits the wish."""
        for session in reversed(self.sessions.values()):
            key = (session.spec.id, session.state.notebook_path, session.label)
            if key == (agent, notebook_path, label) and session.suits(record):
                return session
        return None

    def open(
        self,
        agent: str,
        cwd: Path,
        *,
        notebook_path: str = "",
        label: str = "",
        kernel_id: str = "",
        policy: Policy | None = None,
        record: RecordWish | None = None,
    ) -> Session:
        """Make a session; its agent starts when first needed.

        Raises
        ------
        UnknownAgent
            No agent of that id is configured.
        BadRequest
            Too many sessions are open.
        RecordMissing
            It shall be played from a record that is not there.
        """
        kept = self._records.prepare(agent, label, notebook_path, record) if record else None
        spec = (kept.player if kept else None) or self.config.registry.get(agent)
        limits = self.config.limits
        self.check_room()
        session_id = uuid.uuid4().hex
        opening = SessionOpened(
            session_id=session_id,
            agent_id=spec.id,
            agent_name=spec.name,
            cwd=str(cwd),
            folder=_for_people(cwd),
            policy=policy or self.config.policy,
            title=label,
            notebook_path=notebook_path,
        )
        redactor = Redactor.of_environments(os.environ, spec.env)
        log = TrafficLog(self.traffic_path(session_id), limits, redactor)
        journal = Journal.begin(opening, log, limits, self.announce_change)
        session = Session(spec, journal, self._pool, self.config.documents, limits)
        session.redactor = redactor
        session.label = label
        session.kernel_id = kernel_id
        if kept is not None:
            self._records.begin(session, kept, self.traffic_path(session_id))
        self.adopt(session)
        return session

    def check_room(self) -> None:
        """Make sure that one more session may be opened.

        Raises
        ------
        BadRequest
            Too many are open.
        """
        most = self.config.limits.sessions
        if len(self.sessions) >= most:
            raise BadRequest(f"{most} sessions are open. Close some first.")

    def adopt(self, session: Session) -> None:
        """Take in a session that is ready to be used."""
        session.turn_files.keep(self.checkpoints, self.config.root)
        self.sessions[session.session_id] = session
        self.announce_change()

    async def close_session(self, session_id: str) -> None:
        """End a session; its log stays."""
        session = self.session(session_id)
        del self.sessions[session_id]
        await session.close()
        self.announce_change()

    def traffic_path(self, session_id: str) -> Path:
        """Return where a session's traffic is kept."""
        return self.config.data_dir / "sessions" / session_id / "traffic.ndjson"

    async def subscribe(
        self, session_id: str, reader: Reader, after: int | None = None, epoch: str = ""
    ) -> None:
        """Let ``reader`` follow a session; its questions then wait for an answer.

        Raises
        ------
        UnknownSession
            No session of that id.
        """
        session = self.session(session_id)
        session.attach()
        session.journal.add_reader(reader, after, epoch)
        self._reads[reader] = session

    def _forget(self, reader: Reader) -> None:
        session = self._reads.pop(reader, None)
        if session is not None:
            session.journal.remove_reader(reader)

    def announce_change(self) -> None:
        """Tell the listeners that a session's state has changed."""
        for listener in tuple(self._listeners):
            listener()

    async def _close(self) -> None:
        sessions, self.sessions = list(self.sessions.values()), {}
        results = await asyncio.gather(*_closings(sessions), return_exceptions=True)
        await self._pool.close()
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, AcpError):
                _log.error("a session did not close", exc_info=result)


def _closings(sessions: Iterable[Session]) -> list[Coroutine[Any, Any, None]]:
    return [session.close() for session in sessions]


def _for_people(folder: Path) -> str:
    """Shorten the home folder to ``~``."""
    try:
        return f"~/{folder.relative_to(Path.home()).as_posix()}".removesuffix("/.")
    except ValueError:
        return str(folder)
