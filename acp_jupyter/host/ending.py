"""Sessions that end: put away, to be opened again, or deleted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING

from acp_jupyter.errors import AcpError, NotAllowed
from acp_jupyter.host.session import Session
from acp_jupyter.host.session_store import SessionStore

if TYPE_CHECKING:
    from acp_jupyter.host.host import AgentHost

__all__ = ["Ending"]

_log = logging.getLogger(__name__)


class Ending:
    """Ends sessions of the host. Lives on its loop.

    Parameters
    ----------
    host
        Owner of the sessions.
    store
        The folders.
    """

    def __init__(self, host: AgentHost, store: SessionStore) -> None:
        self._host = host
        self._store = store
        self._closing: dict[str, asyncio.Task[None]] = {}

    async def close(self, session_id: str) -> None:
        """End a session; it is kept, and can be opened again.

        Raises
        ------
        UnknownSession
            It is not open.
        """
        session = self._host.session(session_id)
        del self._host.sessions[session_id]
        await asyncio.shield(self.suspend(session))
        self._host.announce_change()

    async def delete(self, session_id: str) -> None:
        """End a session and remove all that is kept of it.

        An agent that runs is told to delete its own record too, where it can.

        Raises
        ------
        UnknownSession
            No session of that id.
        NotAllowed
            Another server has it.
        """
        await self._host.stored_sessions.wake(session_id)
        session = self._host.session(session_id)
        if words := await self._store.why_not_delete(session):
            raise NotAllowed(f"{words} It can't be deleted from here.")
        del self._host.sessions[session_id]
        await session.close(delete=True)
        await asyncio.to_thread(session.turn_files.forget)
        await self._store.delete(session_id)
        self._host.announce_change()

    def suspend(self, session: Session, *, with_server: bool = False) -> asyncio.Task[None]:
        """Begin to close a session that is among the open ones no more.

        What `with_server` means is told by `Session.close`.
        """

        async def close() -> None:
            await session.close(with_server=with_server)
            await self._store.suspend(session)

        session_id = session.session_id
        task = self._closing[session_id] = asyncio.create_task(close())
        task.add_done_callback(lambda _: self._closing.pop(session_id, None))
        return task

    async def wait_suspended(self, session_id: str) -> None:
        """Wait until a session that is being closed can be opened again."""
        if (task := self._closing.get(session_id)) is not None:
            await asyncio.wait([task])

    async def suspend_all(self, sessions: Iterable[Session], *, with_server: bool = False) -> None:
        """Close these, and wait for those that are being closed already."""
        for session in sessions:
            self.suspend(session, with_server=with_server)
        results = await asyncio.gather(*self._closing.values(), return_exceptions=True)
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, AcpError):
                _log.error("a session did not close", exc_info=result)
