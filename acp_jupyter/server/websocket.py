"""The WebSocket of a page."""

from __future__ import annotations

import asyncio
from typing import Any

from jupyter_server.auth.decorator import ws_authenticated
from tornado.web import HTTPError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from acp_jupyter.api.access import Caller
from acp_jupyter.api.channel import Channel
from acp_jupyter.errors import AcpError
from acp_jupyter.server.auth import OwnOrigin, authorize_user
from acp_jupyter.server.backend import Backend

_MESSAGE_BYTES = 32 * 1024 * 1024
_WRITE_SECONDS = 30.0
_PING_SECONDS = 30.0


class StreamHandler(OwnOrigin, WebSocketHandler):
    """Frames in and out; what they mean is the channel's business.

    Without Jupyter's mixin: its intervals are milliseconds where tornado reads seconds.
    """

    def initialize(self, *, backend: Backend) -> None:
        """Take the collaborators of the route list."""
        self._backend = backend
        self._channel: Channel | None = None
        self._life: asyncio.Task[None] | None = None

    @property
    def max_message_size(self) -> int:
        """A prompt with images, or an unsaved notebook, fits; more closes the socket."""
        return _MESSAGE_BYTES

    @property
    def ping_interval(self) -> float:
        """Seconds between pings; a peer that does not answer one until the next is gone."""
        return float(self.settings.get("websocket_ping_interval") or _PING_SECONDS)

    @property
    def ping_timeout(self) -> float:
        """Seconds that a pong may take."""
        return self.ping_interval

    def get_compression_options(self) -> dict[str, Any]:
        """Frames repeat their names: packed, those cost next to nothing. Fast before small."""
        return {"compression_level": 1}

    async def prepare(self) -> None:  # type: ignore[override] # as APIHandler does
        """Find out who calls; refuse everybody but users."""
        await super().prepare(_redirect_to_login=False)
        try:
            self._caller: Caller = await authorize_user(self, "execute")
        except AcpError as error:
            raise HTTPError(error.status, error.message) from None

    @ws_authenticated
    async def get(self, *args: Any, **kwargs: Any) -> None:
        """Open the socket; tornado checks the origin here."""
        await super().get(*args, **kwargs)

    def open(self, *args: str, **kwargs: str) -> None:
        """Start the channel."""
        super().open(*args, **kwargs)
        self.set_nodelay(True)
        self._channel = Channel(
            self._backend.host, self._backend.pages, self._backend, self._caller, self._write
        )
        self._life = asyncio.create_task(self._live(self._channel), name="acp-stream")
        self._backend.streams.add(self)

    async def on_message(self, message: str | bytes) -> None:
        """Take a frame; the next is read when this one has been taken."""
        if self._channel is not None:
            await self._channel.receive(message)

    def on_close(self) -> None:
        """End the channel with its socket."""
        super().on_close()
        self._backend.streams.discard(self)
        if self._channel is not None:
            self._channel.close()
        if self._life is not None:
            self._life.cancel()

    async def stop(self) -> None:
        """Close the socket because the server ends."""
        self.close(1001, "The server is shutting down.")
        if self._life is not None:
            self._life.cancel()
            await asyncio.wait([self._life])

    async def _live(self, channel: Channel) -> None:
        try:
            await channel.run()
        except (WebSocketClosedError, TimeoutError):
            self.log.info("acp_jupyter: closing a stream that takes no more")
        except Exception:
            self.log.exception("acp_jupyter: a stream has failed")
        finally:
            self.close()

    async def _write(self, frame: str) -> None:
        """Write one frame; a page that takes nothing for so long counts as gone."""
        await asyncio.wait_for(self.write_message(frame), _WRITE_SECONDS)
