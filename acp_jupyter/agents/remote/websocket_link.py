"""A connection over WebSocket: one text frame per message.

The SDK's client refuses messages over 1 MiB, follows redirects and drops what it can't parse, so
this uses the library below it.
"""

from __future__ import annotations

import contextlib
import json
import ssl
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidMessage,
    InvalidStatus,
    WebSocketException,
)

from acp_jupyter.agents.remote.address import Address
from acp_jupyter.agents.remote.link import (
    CLOSE_SECONDS,
    MESSAGE_BYTES,
    OPEN_SECONDS,
    Json,
    LinkLost,
    Unreachable,
)

_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses of a server that may accept the next connection."""


class _Connect(connect):
    """Follows no redirect: the headers are for one host only."""

    def process_redirect(self, exc: Exception) -> Exception:
        return exc


class WebSocketLink:
    """One WebSocket."""

    def __init__(
        self, address: Address, headers: Mapping[str, str], cookies: dict[str, str]
    ) -> None:
        self.gaps: dict[str, float] = {}
        self._address = address
        self._headers = dict(headers)
        self._cookies = cookies
        self._socket: ClientConnection | None = None

    async def open(self, initialize: Json) -> Json:
        """Connect, send ``initialize`` and return its response."""
        cookie = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        secure = self._address.url.startswith("wss:")
        try:
            self._socket = await _Connect(
                self._address.url,
                additional_headers={**self._headers, **({"Cookie": cookie} if cookie else {})},
                ssl=ssl.create_default_context() if secure else None,
                max_size=MESSAGE_BYTES,
                # A proxy of the environment would get the headers of a local address.
                proxy=None if self._address.is_here else True,
                open_timeout=OPEN_SECONDS,
                close_timeout=CLOSE_SECONDS,
            )
        except InvalidStatus as error:
            status = error.response.status_code
            if status in _LATER:
                raise LinkLost(f"{self._address.shown} answered {status}") from None
            raise Unreachable(self._address.explain(status)) from None
        except InvalidMessage:
            raise LinkLost(f"{self._address.shown} did not answer") from None
        except InvalidHandshake as error:
            raise Unreachable(
                f"{self._address.shown} does not speak WebSocket: {error}. "
                "Check the address of this agent."
            ) from None
        except ssl.SSLCertVerificationError as error:
            raise Unreachable(
                f"The certificate of {self._address.shown} is not valid: {error.verify_message}."
            ) from None
        except (OSError, WebSocketException, TimeoutError) as error:
            raise LinkLost(f"{self._address.shown} can't be reached: {_reason(error)}") from None
        self._keep_cookies(self._socket)
        await self.send(initialize)
        while True:
            message = await self.receive()
            if message.get("id") == initialize.get("id") and "method" not in message:
                return message

    async def send(self, message: Json) -> None:
        """Send one message."""
        assert self._socket is not None
        try:
            await self._socket.send(json.dumps(message, separators=(",", ":")))
        except (ConnectionClosed, OSError) as error:
            raise LinkLost(_reason(error)) from None

    async def receive(self) -> Json:
        """Return the next message; frames that are not JSON objects are skipped."""
        assert self._socket is not None
        while True:
            try:
                frame = await self._socket.recv()
            except (ConnectionClosed, OSError) as error:
                raise LinkLost(_reason(error)) from None
            with contextlib.suppress(ValueError, RecursionError):
                message = json.loads(frame)
                if isinstance(message, dict):
                    return message

    async def close(self) -> None:
        """Close the socket."""
        if self._socket is not None:
            with contextlib.suppress(WebSocketException, OSError):
                await self._socket.close()

    def _keep_cookies(self, socket: ClientConnection) -> None:
        response = socket.response
        for value in response.headers.get_all("Set-Cookie") if response is not None else ():
            with contextlib.suppress(CookieError):
                self._cookies.update(
                    (name, morsel.coded_value) for name, morsel in SimpleCookie(value).items()
                )


def _reason(error: BaseException) -> str:
    if isinstance(error, ConnectionClosed):
        closed = error.rcvd
        if closed is None:
            return "the connection broke"
        return (
            f"the connection was closed ({closed.code}{f' {closed.reason}' * bool(closed.reason)})"
        )
    return str(error) or "no answer in time"
