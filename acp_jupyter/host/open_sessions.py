"""The open sessions of a host, and the services that they share.

`stored_sessions` opens stored sessions and closes them; `host` opens new ones.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from acp_jupyter.errors import AcpError, BadRequest, UnknownSession
from acp_jupyter.host.config import HostConfig, environments
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.rpc.pool import AgentPool
from acp_jupyter.host.sandbox.sandboxes import Sandboxes
from acp_jupyter.host.session.build import HostServices
from acp_jupyter.host.session.session import Session
from acp_jupyter.host.session_store import SessionStore
from acp_jupyter.host.store.changed_turns import ChangedTurns
from acp_jupyter.host.store.permission_stores import PermissionStores
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import CheckpointStore
from acp_jupyter.host.workspace.running_turns import RunningTurns
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.redactor import KnownSecrets, Redactor

_log = logging.getLogger(__name__)


class OpenSessions:
    """Holds the open sessions, and notifies listeners of changes. Lives on the host's loop.

    Parameters
    ----------
    by_id
        The open sessions, the oldest first; changed here.
    """

    def __init__(
        self,
        config: HostConfig,
        by_id: dict[str, Session],
        store: SessionStore,
        permission_stores: PermissionStores,
        checkpoints: CheckpointStore,
        running_turns: RunningTurns,
    ) -> None:
        self.config = config
        self.by_id = by_id
        self.secrets = KnownSecrets()
        """Secrets that all redactors of this host know, also later ones. For any thread."""
        runtime = () if config.runtime_folder is None else (config.runtime_folder,)
        hidden = (config.data_dir, *runtime)
        self.sandboxes = Sandboxes(hidden, Path.home(), resolve=config.resolve)
        self.pool = AgentPool(config.limits, self.sandboxes, self.redactor)
        self.services = HostServices(
            self.pool,
            config.documents,
            permission_stores,
            checkpoints,
            running_turns,
            config.root,
            config.mcp_servers,
            self.sandboxes,
            config.tools,
            config.limits,
            config.bounds,
            config.registry.served,
        )
        self.changed_turns = ChangedTurns(self._transcript_of)
        self._store = store
        self._listeners: set[Callable[[], None]] = set()
        self._closing: dict[str, asyncio.Task[None]] = {}

    def get(self, session_id: str) -> Session:
        """Return an open session; `StoredSessions.wake` opens a stored one."""
        try:
            return self.by_id[session_id]
        except KeyError:
            raise UnknownSession(
                f"There is no session {session_id!r}. It may have been deleted."
            ) from None

    def _transcript_of(self, session_id: str) -> Transcript | None:
        session = self.by_id.get(session_id)
        return None if session is None else session.transcript

    def add(self, session: Session) -> None:
        """Add a session that is ready to be used."""
        self.by_id[session.session_id] = session
        self.changed_turns.add_session(session.session_id)
        readers = (*self.config.observers, self.changed_turns, session.turns.walls_met)
        session.journal.observe(readers)
        self.announce_change()

    def is_here(self, cwd: str) -> bool:
        """Return whether a session's folder is below this server's root folder.

        Servers with other roots share the data folder, and may have notebooks of the same path.
        """
        return Path(cwd).is_relative_to(self.config.root.resolve())

    def redactor(self, spec: AgentSpec | None) -> Redactor:
        """Return a redactor that knows the secrets of the host's and the agent's environment."""
        own = {} if spec is None else spec.env
        known = (os.environ, own, *environments(self.config.mcp_servers))
        return Redactor.of_environments(*known, shared=self.secrets)

    def make_room(self) -> None:
        """Make room for one more session; suspend one that is not in use if need be."""
        most = self.config.limits.sessions
        if len(self.by_id) < most:
            return
        dormant = next((s for s in self.by_id.values() if s.dormant), None)
        if dormant is None:
            raise BadRequest(f"{most} sessions are open. Close some first.")
        del self.by_id[dormant.session_id]
        self.suspend(dormant)

    def suspend(self, session: Session, *, with_server: bool = False) -> asyncio.Task[None]:
        """Start closing a session that was removed from ``by_id``.

        See `Session.close` for ``with_server``.
        """

        async def close() -> None:
            await session.close(with_server=with_server)
            await self._store.suspend(session)

        session_id = session.session_id
        task = self._closing[session_id] = asyncio.create_task(close())
        task.add_done_callback(lambda _: self._closing.pop(session_id, None))
        return task

    async def wait_suspended(self, session_id: str) -> None:
        """Wait until a session that is closing can be opened again."""
        if (task := self._closing.get(session_id)) is not None:
            await asyncio.wait([task])

    async def suspend_all(self, sessions: Iterable[Session], *, with_server: bool = False) -> None:
        """Close sessions, and wait for these and all that are already closing."""
        for session in sessions:
            self.suspend(session, with_server=with_server)
        results = await asyncio.gather(*self._closing.values(), return_exceptions=True)
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, AcpError):
                _log.error("a session did not close", exc_info=result)

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` when any session's state changes; return a function that stops it."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def announce_change(self) -> None:
        """Notify the listeners that a session's state has changed, and save it soon."""
        self._store.changed()
        for listener in tuple(self._listeners):
            listener()
