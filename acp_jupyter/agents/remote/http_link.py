"""A connection over HTTP: a POST per message, an event stream for the connection and per session.

ACP: Streamable HTTP transport. The SDK's client opens each stream only once, breaks characters that
are split across two chunks, and buffers without a limit, so httpx is used.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Mapping

import httpx

from acp_jupyter.agents.remote.address import Address
from acp_jupyter.agents.remote.link import (
    CLOSE_SECONDS,
    MESSAGE_BYTES,
    OPEN_SECONDS,
    Json,
    LinkLost,
    Refused,
    Unreachable,
)
from acp_jupyter.dialects.onyx.event_stream import SseDecoder, SseEvent

_CONNECTION = "Acp-Connection-Id"
_SESSION = "Acp-Session-Id"
_EVENTS = "text/event-stream"
_GONE = frozenset({401, 403, 404, 410})
"""Statuses that end the connection."""
_LATER = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_REOPENING = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each attempt to reopen a stream."""
_SILENT_SECONDS = 120.0
"""Servers send something every 15 s: a stream that is silent for longer is reopened."""
_HELD = 256
"""Messages that are buffered until they are read; then the streams wait."""
_SHOWN_BODY = 300


class HttpLink:
    """One connection of the HTTP transport.

    Parameters
    ----------
    client
        Holds the cookies; `new_client` makes one.
    """

    def __init__(
        self, address: Address, headers: Mapping[str, str], client: httpx.AsyncClient
    ) -> None:
        self.gaps: dict[str, float] = {}
        self._address = address
        self._headers = dict(headers)
        self._client = client
        self._inbox: asyncio.Queue[Json] = asyncio.Queue(_HELD)
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._streams: dict[str, _Stream] = {}
        self._requests: dict[str, str] = {}
        """Sessions of the agent's open requests, by their ids as JSON."""

    @staticmethod
    def new_client(address: Address) -> httpx.AsyncClient:
        """Return a client for all connections to one address."""
        return httpx.AsyncClient(
            http2=True,
            # A proxy of the environment would get the headers of a local address.
            trust_env=not address.is_here,
            # A compressed body may expand to any size.
            headers={"Accept-Encoding": "identity"},
            verify=ssl.create_default_context(),
            timeout=httpx.Timeout(30.0, connect=OPEN_SECONDS, pool=None),
            limits=httpx.Limits(max_connections=None),
            follow_redirects=False,
        )

    async def open(self, initialize: Json) -> Json:
        """Send ``initialize``, open the connection's stream, and return the response."""
        response, body = await self._post(initialize, {})
        if response.status_code in _LATER:
            raise LinkLost(f"{self._address.shown} answered {response.status_code}")
        if response.status_code != httpx.codes.OK:
            raise Unreachable(self._address.explain(response.status_code))
        connection = response.headers.get(_CONNECTION, "")
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        if not connection or not isinstance(answer, dict):
            kind = response.headers.get("content-type", "no content type")
            raise Unreachable(
                f"{self._address.shown} answered initialize with {kind}, and is not an agent by "
                "HTTP. Check the address of this agent."
            )
        self._headers[_CONNECTION] = connection
        await self._stream("")
        return answer

    async def send(self, message: Json) -> None:
        """Send one message, after opening the stream of its session."""
        session = self._session_of(message)
        headers = {}
        if session:
            await self._stream(session)
            headers[_SESSION] = session
        response, answer = await self._post(message, headers)
        status = response.status_code
        if response.is_success:
            return
        if status in _GONE or 300 <= status < 400:
            self._disconnect(f"{self._address.shown} answered {status}")
            raise LinkLost(f"{self._address.shown} answered {status}")
        if "id" in message and "method" in message:
            body = answer[:_SHOWN_BODY].decode(errors="replace").strip()
            raise Refused(f"{self._address.shown} answered {status}{f': {body}' * bool(body)}")
        self._disconnect(f"{self._address.shown} answered {status}")
        raise LinkLost(f"{self._address.shown} answered {status}")

    async def receive(self) -> Json:
        """Return the next message of any stream."""
        getting = asyncio.ensure_future(self._inbox.get())
        try:
            await asyncio.wait((getting, self._lost), return_when=asyncio.FIRST_COMPLETED)
            if getting.done():
                return getting.result()
            raise LinkLost(self._lost.result())
        finally:
            getting.cancel()

    async def close(self) -> None:
        """End the streams and the connection."""
        for stream in self._streams.values():
            stream.task.cancel()
        tasks = [stream.task for stream in self._streams.values()]
        await asyncio.gather(*tasks, return_exceptions=True)
        if _CONNECTION in self._headers:
            with contextlib.suppress(httpx.HTTPError, TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self._client.delete(self._address.url, headers=self._headers)

    async def _post(
        self, message: Json, headers: Mapping[str, str]
    ) -> tuple[httpx.Response, bytes]:
        """Send a message; return the response and its body."""
        try:
            async with self._client.stream(
                "POST",
                self._address.url,
                content=json.dumps(message, separators=(",", ":")).encode(),
                headers={"Content-Type": "application/json", **self._headers, **headers},
            ) as response:
                return response, await self._body(response)
        except httpx.HTTPError as error:
            words = f"{self._address.shown} can't be reached: {_reason(error)}"
            if isinstance(error.__cause__ or error.__context__, ssl.SSLCertVerificationError):
                raise Unreachable(words) from None
            self._disconnect(words)
            raise LinkLost(words) from None

    async def _body(self, response: httpx.Response) -> bytes:
        """Read a body as it was sent, up to the size of one message."""
        body = bytearray()
        async for chunk in _as_sent(response):
            body += chunk
            if len(body) > MESSAGE_BYTES:
                raise httpx.RemoteProtocolError("the answer is too large", request=response.request)
        return bytes(body)

    def _session_of(self, message: Json) -> str:
        """Return the session of a message to the agent; a response has that of its request."""
        params = message.get("params")
        if "method" in message:
            session = params.get("sessionId") if isinstance(params, dict) else None
            return session if isinstance(session, str) else ""
        return self._requests.pop(json.dumps(message.get("id")), "")

    async def _stream(self, session: str) -> None:
        """Open the stream of a session or of the connection, unless it is open."""
        stream = self._streams.get(session)
        if stream is None:
            stream = self._streams[session] = _Stream()
            stream.task = asyncio.create_task(self._read(session, stream))
        ready = asyncio.ensure_future(stream.open.wait())
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                await asyncio.wait((ready, self._lost), return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            words = (
                f"The event stream of {self._address.shown} did not open within "
                f"{OPEN_SECONDS:g} s. A proxy may hold it back: try its address for WebSocket"
            )
            self._disconnect(words)
        finally:
            ready.cancel()
        if self._lost.done():
            raise LinkLost(self._lost.result())

    async def _read(self, session: str, stream: _Stream) -> None:
        """Read a stream until the connection ends; reopen it if it breaks."""
        attempt = 0
        while attempt < len(_REOPENING):
            await asyncio.sleep(_REOPENING[attempt])
            attempt += 1
            try:
                async for event in self._events(session, stream):
                    attempt = 0
                    await self._take(session, event)
            except _Ended as error:
                self._disconnect(str(error))
                return
            except httpx.HTTPError as error:
                stream.why = _reason(error)
                if stream.open.is_set():
                    # What was in transit when the stream broke is not sent again.
                    self.gaps[session] = asyncio.get_running_loop().time()
        self._disconnect(stream.why or "the event stream ends at once, each time")

    async def _events(self, session: str, stream: _Stream) -> AsyncIterator[SseEvent]:
        headers = {**self._headers, "Accept": _EVENTS}
        if session:
            headers[_SESSION] = session
        if stream.last_id:
            headers["Last-Event-ID"] = stream.last_id
        timeout = httpx.Timeout(OPEN_SECONDS, read=_SILENT_SECONDS, pool=None)
        request = self._client.stream("GET", self._address.url, headers=headers, timeout=timeout)
        async with request as response:
            status = response.status_code
            if status in _LATER:
                stream.why = f"{self._address.shown} answered {status} for an event stream"
                return
            kind = response.headers.get("content-type", "")
            if status != httpx.codes.OK or not kind.startswith(_EVENTS):
                raise _Ended(f"{self._address.shown} answered {status} for an event stream")
            stream.open.set()
            decoder = SseDecoder()
            async for chunk in _as_sent(response):
                for event in decoder.feed(chunk):
                    if event.id and event.id == stream.last_id:
                        continue
                    stream.last_id = event.id
                    yield event

    async def _take(self, session: str, event: SseEvent) -> None:
        try:
            message = json.loads(event.data)
        except (ValueError, RecursionError):
            return
        if not isinstance(message, dict) or len(event.data) > MESSAGE_BYTES:
            return
        params, result = message.get("params"), message.get("result")
        named = params.get("sessionId") if isinstance(params, dict) else None
        if session and isinstance(named, str) and named != session:
            return  # of another session: it has a stream of its own
        if session and "method" in message and "id" in message:
            self._requests[json.dumps(message["id"])] = session
        await self._inbox.put(message)
        opened = result.get("sessionId") if isinstance(result, dict) else None
        if not session and isinstance(opened, str) and opened not in self._streams:
            self._streams[opened] = stream = _Stream()
            stream.task = asyncio.create_task(self._read(opened, stream))

    def _disconnect(self, why: str) -> None:
        if not self._lost.done():
            self._lost.set_result(why)


class _Stream:
    """One event stream."""

    task: asyncio.Task[None]

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.last_id = ""
        self.why = ""


class _Ended(Exception):
    """The connection has ended: its streams can't be reopened."""


def _as_sent(response: httpx.Response) -> AsyncIterator[bytes]:
    """Return a body's bytes; a compressed one was not requested, and is refused."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise httpx.DecodingError("the answer is compressed", request=response.request)
    return response.aiter_raw()


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__
