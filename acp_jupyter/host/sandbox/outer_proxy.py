"""The proxy of a company, through which the connections of a sandbox go where there is one.

The server's environment names it, as for any other program: ``HTTPS_PROXY``, ``HTTP_PROXY``,
``ALL_PROXY`` and ``NO_PROXY``.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined] # not in its stubs

from acp_jupyter.host.sandbox.hosts import Destination

__all__ = ["OuterProxy", "RefusedByProxy"]

_PORTS = {"http": 80, "https": 443}
_MAX_HEAD_BYTES = 64 * 1024
_CONNECTED = "200"


class RefusedByProxy(OSError):
    """The company's proxy refused the connection; the message is its status line."""


@dataclass(frozen=True, slots=True)
class OuterProxy:
    """Where the proxy is, and how we log in to it."""

    host: str
    port: int
    tls: bool
    authorization: str
    """For a field of the request; empty if its address has no user."""

    @classmethod
    def to(cls, wanted: Destination) -> Self | None:
        """Return the proxy to a destination; None if it is reached directly."""
        named = getproxies_environment()
        url = named.get("http" if wanted.port == _PORTS["http"] else "https") or named.get("all")
        if not url or proxy_bypass_environment(wanted.host, named):
            return None
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            port = parts.port or _PORTS[parts.scheme]
        except (ValueError, KeyError):  # no address, or one of SOCKS
            return None
        user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode()
        shown = f"Basic {base64.b64encode(user).decode()}" if parts.username else ""
        return cls(parts.hostname or "", port, parts.scheme == "https", shown)

    async def connect(
        self, wanted: Destination, read_bytes: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to a destination by its name.

        Raises
        ------
        OSError
            There is no connection.
        """
        context = ssl.create_default_context() if self.tls else None
        reader, writer = await asyncio.open_connection(
            self.host, self.port, limit=max(read_bytes, _MAX_HEAD_BYTES), ssl=context
        )
        try:
            shown = f"Proxy-Authorization: {self.authorization}\r\n" if self.authorization else ""
            host = f"[{wanted.host}]" if ":" in wanted.host else wanted.host
            place = f"{host}:{wanted.port}"
            head = f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{shown}\r\n"
            writer.write(head.encode("ascii"))
            answer = await reader.readuntil(b"\r\n\r\n")
            status = answer.partition(b"\r\n")[0].decode("latin-1").partition(" ")[2]
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            writer.transport.abort()
            raise RefusedByProxy("no answer") from error
        except BaseException:
            writer.transport.abort()
            raise
        if not status.startswith(_CONNECTED):
            writer.transport.abort()
            raise RefusedByProxy(status.strip())
        return reader, writer
