"""The WebSocket of a page, and the packets of a session as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from jupyter_server.auth.decorator import ws_authenticated
from tornado.web import HTTPError, authenticated
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from acp_jupyter.api.channel import Channel
from acp_jupyter.api.packet_stream import DIALECTS, PacketStream, StreamDialect
from acp_jupyter.dialects.onyx.event_stream import format_event
from acp_jupyter.errors import AcpError, BadRequest
from acp_jupyter.host.store.log_reader import read_entry
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.server.auth import OwnOrigin, authorize_user, is_program
from acp_jupyter.server.backend import Backend
from acp_jupyter.server.following import FollowingHandler

_MESSAGE_BYTES = 32 * 1024 * 1024
_FRAME_WRITE_SECONDS = 30.0
"""How long a page may take to read one frame before its WebSocket is closed."""
_PING_SECONDS = 30.0
_PACKET_PAUSE_SECONDS = 0.033
"""Pause between two reads for one packet stream."""


class StreamHandler(OwnOrigin, WebSocketHandler):
    """The WebSocket: passes frames to and from the channel, which handles them.

    It doesn't use Jupyter's mixin, which passes milliseconds where tornado expects seconds.
    """

    def initialize(self, *, backend: Backend) -> None:
        """Store the arguments of the route list."""
        self._backend = backend
        self._channel: Channel | None = None
        self._life: asyncio.Task[None] | None = None

    @property
    def max_message_size(self) -> int:
        """Largest frame in bytes; room for a prompt with images or an unsaved notebook."""
        return _MESSAGE_BYTES

    @property
    def ping_interval(self) -> float:
        """Seconds between pings; a peer that misses one counts as gone at the next."""
        return float(self.settings.get("websocket_ping_interval") or _PING_SECONDS)

    @property
    def ping_timeout(self) -> float:
        """Seconds to wait for a pong."""
        return self.ping_interval

    def get_compression_options(self) -> dict[str, Any]:
        """Compress at a fast level: frames repeat their names, which then cost almost nothing."""
        return {"compression_level": 1}

    async def prepare(self) -> None:  # type: ignore[override] # as APIHandler does
        """Authenticate the caller; only users are accepted."""
        await super().prepare(_redirect_to_login=False)
        try:
            self._caller = await authorize_user(self, "execute")
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
        backend = self._backend
        self._channel = Channel(
            backend.host,
            backend.dispatcher,
            backend.pages,
            self._caller,
            self._write,
            None if is_program(self) else self._is_own_key,
            backend,
        )
        self._life = asyncio.create_task(self._live(self._channel), name="acp-stream")
        self._backend.streams.add(self)

    async def on_message(self, message: str | bytes) -> None:
        """Handle a frame before the next is read."""
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
        """Close the socket because the server stops."""
        self.close(1001, "The server is shutting down.")
        if self._life is not None:
            self._life.cancel()
            await asyncio.wait([self._life])

    async def _is_own_key(self, key: str) -> bool:
        """Return whether the page has sent its own key."""
        if self._backend.page_keys.is_good(key, self._caller.person):
            return True
        # Later frames of this connection also wait.
        await self._backend.key_throttle.refuse(f"{self.request.remote_ip} page")
        return False

    async def _live(self, channel: Channel) -> None:
        try:
            await channel.run()
        except (WebSocketClosedError, TimeoutError):
            self.log.info("acp_jupyter: closing a stream that takes no more")
        except Exception:
            self.log.exception("acp_jupyter: a stream has failed")
        finally:
            self.close()

    async def _write(self, frame: bytes) -> None:
        """Write one frame; a page that reads nothing for too long counts as gone."""
        await asyncio.wait_for(self.write_message(frame), _FRAME_WRITE_SECONDS)


T = TypeVar("T")

_MAX_DIGITS = 15
_RETRY = b"retry: 1000\n\n"
_FULL = b": the log of this session is full, and this stream ends with it\nretry: 600000\n\n"


class PacketsHandler(FollowingHandler):
    """Follows a session's log; a packet always has the same number.

    The stream waits for a slow reader, as its packets stay in the log.
    """

    content_type = "text/event-stream"
    ping = b": ping\n\n"
    readers = "programs"

    @authenticated
    async def get(self, session_id: str) -> None:
        """Send the packets after ``Last-Event-ID`` or ``?after=`` until the session is closed."""
        stream = PacketStream(session_id, self._dialect(), self._after())
        log = await self.backend.traffic_log(session_id, self.caller)
        self.check_number()
        self.set_header("X-Accel-Buffering", "no")
        await self.follow(self._follow(log, stream))

    # -- the request -------------------------------------------------------------

    def _dialect(self) -> StreamDialect:
        asked = self.get_query_argument("dialect", DIALECTS[0])
        for dialect in DIALECTS:
            if dialect == asked:
                return dialect
        raise BadRequest(f"There is no dialect of that name. There are: {', '.join(DIALECTS)}.")

    def _after(self) -> int:
        """Return the number of the last packet that the reader has.

        The header wins: an ``EventSource`` that reconnects sends it with its first URL.
        """
        asked = self.request.headers.get("Last-Event-ID") or self.get_query_argument("after", "0")
        if not (asked.isascii() and asked.isdigit() and len(asked) <= _MAX_DIGITS):
            raise BadRequest(
                "The number of the last packet (after, Last-Event-ID) is not a number."
            )
        return int(asked)

    # -- the stream --------------------------------------------------------------

    async def _follow(self, log: TrafficLog, stream: PacketStream) -> None:
        more, wake = self.event_and_wake()
        tail = await self._blocking(lambda: PacketTail(log.path, stream))
        log.watch(wake)
        try:
            await self.send(_RETRY)
            await self._send_all(log, stream, tail, more)
        finally:
            log.unwatch(wake)
            tail.close()

    async def _send_all(
        self, log: TrafficLog, stream: PacketStream, tail: PacketTail, more: asyncio.Event
    ) -> None:
        """Write packets until the session is closed."""
        while True:
            # Check this before the read: a log that has ended is complete.
            ended = log.ended
            more.clear()
            batch = await self._blocking(tail.read)
            if batch.events:
                await self.send(batch.events)
            if stream.full:
                await self.send(_FULL)
                return
            if batch.more:
                continue
            if ended:
                return
            await asyncio.sleep(_PACKET_PAUSE_SECONDS)
            await self.wait(more)

    async def _blocking(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.backend.log_readers, work)


_SENT_BYTES = 256 * 1024
_READ_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class EventBatch:
    """The result of one read.

    Attributes
    ----------
    events
        The encoded events; may be empty.
    more
        Whether the file already has more.
    """

    events: bytes
    more: bool


class PacketTail:
    """Reads a log from its start, and continues at each call. Blocks, so use it in a thread.

    Its memory doesn't grow with the log.
    """

    def __init__(self, path: Path, stream: PacketStream) -> None:
        self._stream = stream
        self._file = path.open("rb")
        self._torn = b""

    def read(self) -> EventBatch:
        """Return the next events, up to a size that is good to send at once."""
        events: list[bytes] = []
        size = taken = 0
        while size < _SENT_BYTES and taken < _READ_BYTES:
            line = self._file.readline()
            if not line.endswith(b"\n") or self._stream.full:
                self._torn += line  # the writer has not finished the line
                return EventBatch(b"".join(events), more=False)
            line, self._torn = self._torn + line, b""
            taken += len(line)
            entry = read_entry(line)
            for packet in () if entry is None else self._stream.read(entry):
                events.append(format_event(packet.data, packet.seq))
                size += len(packet.data)
        return EventBatch(b"".join(events), more=True)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
