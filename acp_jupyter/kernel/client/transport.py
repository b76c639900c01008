"""How a kernel's requests get to its server: over HTTP."""

from __future__ import annotations

import contextlib
import http.client
import ssl
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol
from urllib.parse import urlsplit

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class Answer(Protocol):
    """An answer of the server; its body is read as a file's."""

    @property
    def status(self) -> int:
        """The status of HTTP."""

    def read(self, amount: int | None = None, /) -> bytes:
        """Read a part of the body, or all of it."""

    def readline(self, limit: int = -1, /) -> bytes:
        """Read a line of the body."""


class Transport(Protocol):
    """Carries requests to the server."""

    base_path: str
    """The path of the server's base URL, without a slash at its end."""
    silence: str
    """The message if no answer comes."""
    behind_gateway: bool
    """Whether the kernel runs behind a gateway, where agents may not see its files."""

    def answer(
        self, method: str, target: str, body: bytes, headers: Mapping[str, str], seconds: float
    ) -> AbstractContextManager[Answer]:
        """Send a request and return its answer."""


class HttpTransport:
    """Requests over HTTP, each on a connection of its own."""

    silence = "The Jupyter server did not answer. If it was restarted, restart the kernel too."
    behind_gateway = False

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)
        self.base_path = self._url.path.rstrip("/")

    @contextlib.contextmanager
    def answer(
        self, method: str, target: str, body: bytes, headers: Mapping[str, str], seconds: float
    ) -> Iterator[http.client.HTTPResponse]:
        """Send a request and return its answer."""
        connection = self._connect(seconds)
        try:
            connection.request(method, target, body or None, dict(headers))
            yield connection.getresponse()
        finally:
            connection.close()

    def _connect(self, seconds: float) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "localhost", self._url.port
        if self._url.scheme != "https":
            return http.client.HTTPConnection(host, port, timeout=seconds)
        context = ssl.create_default_context()
        if host in _LOOPBACK:
            # Such certificates are self-signed; the handshake proves the server.
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return http.client.HTTPSConnection(host, port, timeout=seconds, context=context)
