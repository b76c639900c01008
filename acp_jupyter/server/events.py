"""The events of a session for the widgets of a kernel, one JSON line for each flush."""

from __future__ import annotations

import asyncio
import contextlib

from tornado.http1connection import HTTP1Connection
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, authenticated

from acp_jupyter.api.access import KernelCaller
from acp_jupyter.api.models.frames import EventsFrame
from acp_jupyter.api.subscription import Subscription
from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.session.session import Session
from acp_jupyter.server.auth import AcpHandler

_FLUSH_SECONDS = 0.1
"""At most ten flushes a second: traits need no more."""
_WRITE_SECONDS = 60.0
"""How long a kernel may take to read a flush before its stream ends."""
_NDJSON = "application/x-ndjson"
_PING = b"\n"


class EventsHandler(AcpHandler):
    """Lets a kernel look on at a session, from a snapshot to its end.

    A kernel is nobody who could answer: a session that only kernels follow asks nobody.
    """

    _following: asyncio.Task[None] | None = None

    @authenticated
    async def get(self, session_id: str) -> None:
        """Send what happens in the session until it is closed."""
        caller, host = self.caller, self.backend.host
        if not isinstance(caller, KernelCaller):
            raise NotAllowed("Only kernels ask for this.")
        most = host.config.limits.packet_streams
        if sum(isinstance(other, EventsHandler) for other in self.backend.streams) >= most:
            raise HTTPError(503, f"{most} kernels follow sessions of this server. Close some.")
        loop, more = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # the server's loop has ended
                loop.call_soon_threadsafe(more.set)

        subscription = Subscription(session_id, wake)
        session = await self.backend.look_on(session_id, caller, subscription)
        unwatch = host.on_sessions_changed(wake)
        self.set_header("Content-Type", _NDJSON)
        self.set_header("Cache-Control", "no-store")
        self._following = asyncio.create_task(
            self._follow(session, subscription, more), name="acp-kernel-events"
        )
        self.backend.streams.add(self)
        try:
            await asyncio.wait([self._following])
            if not self._following.cancelled():
                self._following.result()
            await self.finish(set_content_type=_NDJSON)
        except (StreamClosedError, TimeoutError):
            # It reads no more; a new stream begins with a snapshot.
            if isinstance(self.request.connection, HTTP1Connection):
                self.request.connection.close()
        finally:
            unwatch()
            host.unsubscribe(subscription)
            self._following.cancel()
            self.backend.streams.discard(self)

    def on_connection_close(self) -> None:
        """Stop following for a kernel that has gone."""
        super().on_connection_close()
        if self._following is not None:
            self._following.cancel()

    async def stop(self) -> None:
        """End the stream because the server ends."""
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait([self._following])

    async def _follow(
        self, session: Session, subscription: Subscription, more: asyncio.Event
    ) -> None:
        host, session_id = self.backend.host, session.session_id
        seconds = host.config.limits.ping_seconds
        while True:
            ended = host.sessions.get(session_id) is not session
            more.clear()
            if events := subscription.take():
                frame = EventsFrame(session_id=session_id, events=events)
                await self._send(frame.model_dump_json().encode() + b"\n")
            elif ended:
                return
            await asyncio.sleep(_FLUSH_SECONDS)
            try:
                await asyncio.wait_for(more.wait(), seconds)
            except TimeoutError:
                await self._send(_PING)

    async def _send(self, data: bytes) -> None:
        self.write(data)
        await asyncio.wait_for(self.flush(), _WRITE_SECONDS)
