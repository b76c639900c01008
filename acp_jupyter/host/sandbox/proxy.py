"""The proxy of a sandbox: the only way out of a limited network, on the host's loop.

It speaks HTTP (``CONNECT`` and whole addresses) and SOCKS 5 at one place. A host that is named is
reached, about another one somebody is asked. Names are looked up here, once: the connection goes to
an address that was looked at, and never to one of this machine or its networks, unless the list
names that host with its port. Behind a company's proxy, that is asked for the name.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import ipaddress
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import h11
import psutil

from acp_jupyter.host.sandbox.hosts import (
    Destination,
    destination_of,
    is_address,
    is_public,
    naming,
)
from acp_jupyter.host.sandbox.outer_proxy import OuterProxy, RefusedByProxy

Ask = Callable[[Destination], Awaitable[str]]
"""Returns why a host may not be reached, in a sentence; empty where it may."""
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a host; raises ``OSError``."""

_USER = "agent"
_READ_BYTES = 16 * 1024
_MAX_WAITING = 32 * 1024
"""Bytes of a connection that are written and not yet sent."""
_MAX_ADDRESSES = 4
_LAST_BYTES_SECONDS = 5.0
_LOOKUPS_AT_ONCE = 4
_FORBIDDEN = 403
_MAX_REFUSED = 50
_NOT_IN_ITS_HEAD = (
    *(b"connection", b"proxy-connection", b"proxy-authorization", b"keep-alive", b"upgrade"),
    *(b"host", b"te"),
)
"""Fields of a request that are for the proxy, or that it writes itself."""


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """How much a proxy does at once, and how long it waits."""

    connections: int = 128
    head_bytes: int = 64 * 1024
    head_seconds: float = 30.0
    """Until a client has said where it wants to go."""
    connect_seconds: float = 30.0
    question_seconds: float = 300.0
    """How long a connection waits for an answer; the question stays."""
    idle_seconds: float = 900.0
    """Longest time in which nothing goes either way."""


class _Refused(Exception):
    """There is no connection; the message is a sentence for the agent."""

    def __init__(self, words: str, status: int = _FORBIDDEN, reply: int = 2) -> None:
        super().__init__(words)
        self.status = status
        self.reply = reply
        """In SOCKS 5."""


class Proxy:
    """Carries the connections of one sandbox. Used on the host's loop only.

    Parameters
    ----------
    resolve
        Looks up a name; by default as this machine does.
    """

    def __init__(
        self,
        hosts: Sequence[str],
        ask: Ask,
        key: str = "",
        limits: ProxyLimits | None = None,
        resolve: Resolve | None = None,
    ) -> None:
        self._hosts = tuple(hosts)
        self._ask = ask
        self._key = key
        self._limits = limits or ProxyLimits()
        self._resolve = resolve or _addresses
        self._lookups = asyncio.Semaphore(_LOOKUPS_AT_ONCE)
        self._server: asyncio.Server | None = None
        self._path: Path | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.refused: dict[Destination, None] = {}
        """Hosts that nobody has allowed, those asked for last at the end."""

    async def listen_at(self, path: Path) -> None:
        """Listen at a Unix socket."""
        self._path = path
        if sys.platform != "win32":  # which has no level that needs it
            self._server = await asyncio.start_unix_server(self._serve, path, limit=_READ_BYTES)

    async def listen_on_port(self) -> int:
        """Listen on a port of this machine alone; return which."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_READ_BYTES)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def close(self) -> None:
        """End all connections; nobody gets out any more. May be called again."""
        if self._server is not None:
            self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= self._limits.connections:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        _bound(writer)
        try:
            # A client that goes away, or breaks the rules, is left.
            with contextlib.suppress(OSError, EOFError, TimeoutError):
                await self._answer(reader, writer)
        finally:
            try:
                await _end(writer)
            finally:
                self._connections.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(self._limits.head_seconds):
            first = await reader.readexactly(1)
            client: _HttpClient | _SocksClient
            if first == b"\x05":
                client = _SocksClient(reader, writer, self._key)
            else:
                client = _HttpClient(reader, writer, self._key, self._limits.head_bytes, first)
            try:
                wanted = await client.wanted()
            except _Refused as refused:
                await client.refuse(refused)
                return
            if wanted is None:
                return
        self.refused.pop(wanted, None)
        try:
            outer = await self._reach(wanted)
        except _Refused as refused:
            if refused.status == _FORBIDDEN:
                self.refused[wanted] = None
                if len(self.refused) > _MAX_REFUSED:
                    del self.refused[next(iter(self.refused))]
            await client.refuse(refused)
            return
        _bound(outer[1])
        try:
            await client.welcome(outer[1])
            await self._carry((reader, writer), outer)
        finally:
            await _end(outer[1])

    async def _reach(
        self, wanted: Destination
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        named = naming(self._hosts, wanted)
        inside = f"{wanted.words} is this machine or in its network, which the sandbox closes."
        if named != "port" and is_address(wanted.host) and not is_public(wanted.host):
            raise _Refused(inside)
        if not named:
            await self._permit(wanted)
        outer = OuterProxy.to(wanted)
        try:
            async with asyncio.timeout(self._limits.connect_seconds), self._lookups:
                addresses = await self._resolve(wanted.host, wanted.port)
        except OSError:
            if outer is not None:  # which may know more names
                return await self._through(outer, wanted)
            raise _Refused(f"{wanted.words} was not found.", 502, 4) from None
        if named != "port":
            own = await asyncio.to_thread(_own_addresses)
            addresses = [each for each in addresses if is_public(each, own)]
            if not addresses:
                raise _Refused(inside)
        if outer is not None:
            return await self._through(outer, wanted)
        for address in addresses[:_MAX_ADDRESSES]:
            with contextlib.suppress(OSError):
                async with asyncio.timeout(self._limits.connect_seconds):
                    return await asyncio.open_connection(address, wanted.port, limit=_READ_BYTES)
        raise _Refused(f"{wanted.words} can't be reached.", 502, 5)

    async def _through(
        self, outer: OuterProxy, wanted: Destination
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            async with asyncio.timeout(self._limits.connect_seconds):
                return await outer.connect(wanted, _READ_BYTES)
        except RefusedByProxy as error:
            why = f"{wanted.words} can't be reached: the proxy {outer.host} answered: {error}."
            raise _Refused(why, 502, 5) from None
        except OSError:
            why = f"{wanted.words} can't be reached: the proxy {outer.host} can't be."
            raise _Refused(why, 502, 5) from None

    async def _permit(self, wanted: Destination) -> None:
        try:
            async with asyncio.timeout(self._limits.question_seconds):
                why = await self._ask(wanted)
        except TimeoutError:
            why = f"Whether {wanted.words} may be reached was not answered yet. Try again later."
        if why:
            raise _Refused(why)

    async def _carry(
        self,
        inner: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        outer: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        """Carry bytes both ways until both have ended, or nothing comes for long."""
        loop = asyncio.get_running_loop()

        async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while data := await reader.read(_READ_BYTES):
                idle.reschedule(loop.time() + self._limits.idle_seconds)
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()
            else:  # TLS has no half of a connection
                writer.close()

        try:
            async with asyncio.timeout(self._limits.idle_seconds) as idle:
                async with asyncio.TaskGroup() as both:
                    both.create_task(pump(inner[0], outer[1]))
                    both.create_task(pump(outer[0], inner[1]))
        except* OSError:
            pass  # one of the two has broken it off


class _HttpClient:
    """A client that speaks HTTP, and what it has asked for."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        key: str,
        head_bytes: int,
        first: bytes,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._expected = base64.b64encode(f"{_USER}:{key}".encode()) if key else b""
        self._connection = h11.Connection(h11.SERVER, max_incomplete_event_size=head_bytes)
        self._connection.receive_data(first)
        self._onward = b""
        """What goes to the host before all else."""
        self._tunnel = False

    async def wanted(self) -> Destination | None:
        """Read where it wants to go; None where it left."""
        try:
            while (event := self._connection.next_event()) is h11.NEED_DATA:
                data = await self._reader.read(_READ_BYTES)
                if not data:
                    return None
                self._connection.receive_data(data)
        except h11.RemoteProtocolError as error:
            raise _Refused("This is no request.", error.error_status_hint) from None
        if not isinstance(event, h11.Request):
            return None
        shown = next((v for n, v in event.headers if n == b"proxy-authorization"), b"")
        if self._expected and not _is_key(shown, self._expected):
            raise _Refused("Only programs of the sandbox may use this proxy.", 407)
        rest = bytes(self._connection.trailing_data[0])
        target = event.target.decode("ascii")
        if event.method == b"CONNECT":
            self._tunnel = True
            self._onward = rest
            return _destination(f"//{target}", 443)
        parts = _parts(target)
        if parts.scheme != "http":
            raise _Refused("A proxy is asked by CONNECT, or for an address with http://.", 400)
        path = parts.path or "/"
        line = f"{event.method.decode('ascii')} {path}{'?' * bool(parts.query)}{parts.query}"
        fields = [
            (b"Host", parts.netloc.rpartition("@")[2].encode("ascii")),
            # The next request may be for another host.
            (b"Connection", b"close"),
            *((name, value) for name, value in event.headers if name not in _NOT_IN_ITS_HEAD),
        ]
        head = b"".join(name + b": " + value + b"\r\n" for name, value in fields)
        self._onward = f"{line} HTTP/1.1\r\n".encode("ascii") + head + b"\r\n" + rest
        return _destination(target, 80)

    async def welcome(self, outer: asyncio.StreamWriter) -> None:
        """Say that it is connected, and pass on what it has sent already."""
        if self._tunnel:
            self._writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        outer.write(self._onward)
        await outer.drain()

    async def refuse(self, refused: _Refused) -> None:
        """Say why there is no connection; many programs show the first line alone."""
        words = str(refused)
        ask = "Proxy-Authenticate: Basic realm=sandbox\r\n" if refused.status == 407 else ""
        body = f"{words}\n".encode()
        head = (
            f"HTTP/1.1 {refused.status} {words.encode('ascii', 'replace').decode()}\r\n{ask}"
            f"Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
            "Connection: close\r\n\r\n"
        )
        self._writer.write(head.encode("ascii") + body)
        await self._writer.drain()


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        raise _Refused("This is no address.", 400) from None


def _destination(url: str, usual_port: int) -> Destination:
    parts = _parts(url)
    try:
        port = usual_port if parts.port is None else parts.port
    except ValueError:
        port = 0
    found = destination_of(parts.hostname or "", port)
    if found is None:
        raise _Refused("This is no address.", 400)
    return found


def _is_key(shown: bytes, expected: bytes) -> bool:
    scheme, _, value = shown.partition(b" ")
    return scheme.lower() == b"basic" and hmac.compare_digest(value.strip(), expected)


class _SocksClient:
    """A client that speaks SOCKS 5 (RFC 1928, RFC 1929), and what it has asked for."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: str
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._key = key

    async def wanted(self) -> Destination | None:
        """Read where it wants to go; None where it has no key, or offers no way to show it."""
        methods = await self._field()
        chosen = 2 if self._key else 0
        if chosen not in methods:
            self._writer.write(b"\x05\xff")
            await self._writer.drain()
            return None
        self._writer.write(bytes((5, chosen)))
        if self._key and not await self._shows_key():
            return None
        _, command, _, kind = await self._reader.readexactly(4)
        match kind:
            case 1:
                host = str(ipaddress.IPv4Address(await self._reader.readexactly(4)))
            case 3:
                host = (await self._field()).decode("ascii", "replace")
            case 4:
                host = str(ipaddress.IPv6Address(await self._reader.readexactly(16)))
            case _:
                raise _Refused("This is no address.", reply=8)
        port = int.from_bytes(await self._reader.readexactly(2), "big")
        if command != 1:
            raise _Refused("Only connections are made.", reply=7)
        found = destination_of(host, port)
        if found is None:
            raise _Refused("This is no address.", reply=1)
        return found

    async def _shows_key(self) -> bool:
        await self._reader.readexactly(1)
        await self._field()  # the user's name
        right = hmac.compare_digest(await self._field(), self._key.encode())
        self._writer.write(b"\x01\x00" if right else b"\x01\x01")
        await self._writer.drain()
        return right

    async def _field(self) -> bytes:
        (length,) = await self._reader.readexactly(1)
        return await self._reader.readexactly(length)

    async def welcome(self, outer: asyncio.StreamWriter) -> None:
        """Say that it is connected."""
        del outer
        await self._reply(0)

    async def refuse(self, refused: _Refused) -> None:
        """Say that there is no connection; there is no place for why."""
        await self._reply(refused.reply)

    async def _reply(self, code: int) -> None:
        self._writer.write(bytes((5, code, 0, 1)) + bytes(6))
        await self._writer.drain()


def _bound(writer: asyncio.StreamWriter) -> None:
    writer.transport.set_write_buffer_limits(_MAX_WAITING)


async def _end(writer: asyncio.StreamWriter) -> None:
    """Close a connection; who does not take the rest is cut off."""
    writer.close()
    try:
        async with asyncio.timeout(_LAST_BYTES_SECONDS):
            await writer.wait_closed()
    except (OSError, TimeoutError):
        return
    finally:
        writer.transport.abort()


async def _addresses(host: str, port: int) -> list[str]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def _own_addresses() -> frozenset[str]:
    every = (each for group in psutil.net_if_addrs().values() for each in group)
    return frozenset(each.address for each in every if each.family in _INTERNET)


_INTERNET = (socket.AF_INET, socket.AF_INET6)


def proxy_variables(address: str) -> dict[str, str]:
    """Return the variables by which programs find a proxy."""
    # By HTTP for all: many libraries fail at an address of SOCKS that they have no package for.
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    proxy = f"http://{address}"
    direct = "localhost,127.0.0.1,::1"
    every = {**dict.fromkeys(names, proxy), "NO_PROXY": direct}
    return {
        **every,
        **{name.lower(): value for name, value in every.items()},
        "NODE_USE_ENV_PROXY": "1",
    }


def keyed(key: str, port: int) -> str:
    """Return the address of a proxy on a port of this machine that wants a key."""
    return f"{_USER}:{key}@127.0.0.1:{port}"
