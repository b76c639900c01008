"""`FollowingHandler`: a streamed HTTP response that follows a session."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, ClassVar

from tornado.http1connection import HTTP1Connection
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError

from acp_jupyter.server.auth import AcpHandler

_WRITE_SECONDS = 60.0
"""How long a reader may take to receive data before its response ends."""


class FollowingHandler(AcpHandler):
    """Follows a session for a reader, until the session ends or the reader disconnects."""

    content_type: ClassVar[str]
    ping: ClassVar[bytes]
    """Sent while there is no event."""
    readers: ClassVar[str]
    """Name of such readers, for a message."""

    _following: asyncio.Task[None] | None = None

    async def follow(self, following: Coroutine[Any, Any, None]) -> None:
        """Send the response that ``following`` writes."""
        self.set_header("Content-Type", self.content_type)
        self.set_header("Cache-Control", "no-store")
        self._following = asyncio.create_task(following, name=f"acp-{type(self).__name__}")
        self.backend.streams.add(self)
        try:
            await asyncio.wait([self._following])
            if not self._following.cancelled():
                self._following.result()
            await self.finish(set_content_type=self.content_type)
        except (StreamClosedError, TimeoutError):
            # The reader no longer reads; it can ask for missed events later.
            if isinstance(self.request.connection, HTTP1Connection):
                self.request.connection.close()
        finally:
            self._following.cancel()
            self.backend.streams.discard(self)

    def check_number(self) -> None:
        """Refuse a reader above the limit."""
        most = self.backend.host.config.limits.packet_streams
        if sum(isinstance(other, type(self)) for other in self.backend.streams) >= most:
            raise HTTPError(
                503, f"{most} {self.readers} follow sessions of this server. Close some."
            )

    def on_connection_close(self) -> None:
        """Stop following for a reader that has disconnected."""
        super().on_connection_close()
        if self._following is not None:
            self._following.cancel()

    async def stop(self) -> None:
        """End the response because the server stops."""
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait([self._following])

    @staticmethod
    def event_and_wake() -> tuple[asyncio.Event, Callable[[], None]]:
        """Return an event of this loop, and a function that sets it from any thread."""
        loop, more = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # the server's loop has ended
                loop.call_soon_threadsafe(more.set)

        return more, wake

    async def wait(self, more: asyncio.Event) -> None:
        """Wait until there is more, and send a ping at intervals."""
        seconds = self.backend.host.config.limits.ping_seconds
        while not more.is_set():
            try:
                await asyncio.wait_for(more.wait(), seconds)
            except TimeoutError:
                await self.send(self.ping)

    async def send(self, data: bytes) -> None:
        """Write the data, and wait until the socket has accepted it."""
        self.write(data)
        await asyncio.wait_for(self.flush(), _WRITE_SECONDS)
