"""The proxy of a sandbox, as its programs use it: HTTP and SOCKS, well and badly."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ipaddress
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from acp_jupyter.host.sandbox.hosts import Destination
from acp_jupyter.host.sandbox.proxy import Proxy, ProxyLimits
from tests.support.virtual_loop import in_virtual_time
from tests.support.wait import PATIENCE_SECONDS, eventually_async

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
KEY = "k" * 20
TARGET = "model.example"


@dataclass
class Outside:
    """What lies outside of the sandbox: a server that answers each line, names, a user."""

    port: int = 0
    answers: Callable[[Destination], Awaitable[str]] | None = None
    addresses: dict[str, Sequence[str]] = field(default_factory=dict)
    asked: list[Destination] = field(default_factory=list)
    heard: list[bytes] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while line := await reader.readline():
                self.heard.append(line)
                writer.write(b"heard " + line)
                await writer.drain()
        writer.close()

    async def ask(self, wanted: Destination) -> str:
        self.asked.append(wanted)
        return "No." if self.answers is None else await self.answers(wanted)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return self.addresses.get(host, ["127.0.0.1"])
        return [host]


@contextlib.asynccontextmanager
async def opened(
    folder: Path, limits: ProxyLimits | None = None, key: str = ""
) -> AsyncIterator[tuple[Outside, Proxy, Callable[[], Awaitable[Stream]]]]:
    """Have a proxy that names `TARGET` with the port of the server outside."""
    outside = Outside()
    server = await asyncio.start_server(outside.serve, "127.0.0.1", 0)
    outside.port = server.sockets[0].getsockname()[1]
    hosts = (f"{TARGET}:{outside.port}", "web.example")
    proxy = Proxy(hosts, outside.ask, key, limits, outside.resolve)
    path = folder / "proxy"
    await proxy.listen_at(path)
    writers: list[asyncio.StreamWriter] = []

    async def client() -> Stream:
        reader, writer = await asyncio.open_unix_connection(path)
        writers.append(writer)
        return reader, writer

    try:
        yield outside, proxy, client
    finally:
        for writer in writers:
            writer.transport.abort()
        await proxy.close()
        server.close()


async def said(stream: Stream, data: bytes) -> bytes:
    """Send something; return all that comes until the other side ends it."""
    reader, writer = stream
    with contextlib.suppress(OSError):
        writer.write(data)
        await writer.drain()
        return await asyncio.wait_for(reader.read(), PATIENCE_SECONDS)
    return b""


def connect(host: str, port: int, *fields: str) -> bytes:
    lines = (f"CONNECT {host}:{port} HTTP/1.1", f"Host: {host}:{port}", *fields, "", "")
    return "\r\n".join(lines).encode()


def socks(kind: int, host: bytes, port: int) -> bytes:
    return b"\x05\x01\x00\x05\x01\x00" + bytes((kind,)) + host + port.to_bytes(2, "big")


async def talks(stream: Stream, greeting: bytes) -> None:
    """Expect that a connection leads to the server outside, both ways."""
    reader, writer = stream
    assert await reader.readexactly(len(greeting)) == greeting
    writer.write(b"hello\n")
    assert await reader.readline() == b"heard hello\n"
    writer.write_eof()
    assert await reader.read() == b""


CONNECTED = b"HTTP/1.1 200 Connected\r\n\r\n"
SOCKS_CONNECTED = b"\x05\x00" + b"\x05\x00\x00\x01" + bytes(6)


@pytest.mark.asyncio
async def test_a_named_host_is_reached_by_connect_and_by_socks(tmp_path: Path) -> None:
    async with opened(tmp_path) as (outside, _, client):
        name = TARGET.encode()
        for request, greeting in (
            (connect(TARGET, outside.port), CONNECTED),
            (connect(TARGET.upper() + ".", outside.port), CONNECTED),
            (socks(3, bytes((len(name),)) + name, outside.port), SOCKS_CONNECTED),
        ):
            stream = await client()
            stream[1].write(request)
            await talks(stream, greeting)
        assert outside.asked == []


@pytest.mark.asyncio
async def test_a_whole_address_is_asked_of_its_own_host_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as (outside, _, client):
        stream = await client()
        stream[1].write(
            f"GET http://{TARGET}:{outside.port}/a?b=c HTTP/1.1\r\nHost: other.example\r\n"
            "Proxy-Authorization: Basic secret\r\nConnection: keep-alive\r\nAccept: */*\r\n"
            "Content-Length: 6\r\n\r\nbody\r\n".encode()
        )
        await eventually_async(lambda: b"body\r\n" in outside.heard)
        host = f"Host: {TARGET}:{outside.port}\r\n".encode()
        assert outside.heard[:3] == [b"GET /a?b=c HTTP/1.1\r\n", host, b"Connection: close\r\n"]
        assert not any(b"secret" in line or b"keep-alive" in line for line in outside.heard)


@pytest.mark.asyncio
async def test_about_another_host_somebody_is_asked(tmp_path: Path) -> None:
    async def answer(wanted: Destination) -> str:
        return "" if wanted.host == "yes.example" else f"{wanted.words} was refused."

    async with opened(tmp_path) as (outside, _, client):
        outside.answers = answer
        outside.addresses["yes.example"] = ["127.0.0.1", "10.1.2.3"]
        refused = await said(await client(), connect("no.example", 443))
        assert refused.startswith(b"HTTP/1.1 403 no.example was refused.\r\n")
        # Yes is for a name: that it leads into this machine's network was not said.
        inside = await said(await client(), connect("yes.example", 8000))
        assert b"403 yes.example:8000 is this machine or in its network" in inside
        assert await said(await client(), socks(3, b"\x0ano.example", 443)) == (
            b"\x05\x00\x05\x02\x00\x01" + bytes(6)
        )
        assert [each.words for each in outside.asked] == [
            "no.example",
            "yes.example:8000",
            "no.example",
        ]


INSIDE = ["127.0.0.1", "169.254.169.254", "10.0.0.1", "[::1]", "[::ffff:127.0.0.1]"]


@pytest.mark.asyncio
@pytest.mark.parametrize("host", INSIDE)
async def test_about_addresses_of_this_machine_nobody_is_asked(tmp_path: Path, host: str) -> None:
    async with opened(tmp_path) as (outside, _, client):
        answer = await said(await client(), connect(host, outside.port))
        assert answer.startswith(b"HTTP/1.1 403 ")
        assert outside.asked == []
        assert outside.heard == []


@pytest.mark.asyncio
async def test_a_named_host_whose_name_leads_inside_is_not_reached(tmp_path: Path) -> None:
    async with opened(tmp_path) as (outside, _, client):
        for spelling in (["127.0.0.1"], ["::1"], ["::ffff:169.254.169.254"], ["0.0.0.0"]):
            outside.addresses["web.example"] = spelling
            answer = await said(await client(), connect("web.example", 443))
            assert answer.startswith(b"HTTP/1.1 403 web.example is this machine")


@pytest.mark.asyncio
async def test_where_others_reach_it_a_key_is_wanted(tmp_path: Path) -> None:
    def basic(user: str, key: str) -> str:
        both = base64.b64encode(f"{user}:{key}".encode()).decode()
        return f"Proxy-Authorization: Basic {both}"

    async with opened(tmp_path, key=KEY) as (outside, _, client):
        for fields in ((), (basic("agent", "wrong"),), ("Proxy-Authorization: Basic %",)):
            answer = await said(await client(), connect(TARGET, outside.port, *fields))
            assert answer.startswith(b"HTTP/1.1 407 ")
            assert b"Proxy-Authenticate: Basic" in answer
        assert await said(await client(), b"\x05\x01\x00") == b"\x05\xff"
        wrong = b"\x05\x01\x02\x01\x05agent\x05wrong"
        assert await said(await client(), wrong) == b"\x05\x02\x01\x01"
        stream = await client()
        stream[1].write(connect(TARGET, outside.port, basic("agent", KEY)))
        await talks(stream, CONNECTED)
        stream = await client()
        name = bytes((len(TARGET),)) + TARGET.encode() + outside.port.to_bytes(2, "big")
        shown = b"\x01\x05agent" + bytes((len(KEY),)) + KEY.encode()
        stream[1].write(b"\x05\x01\x02" + shown + b"\x05\x01\x00\x03" + name)
        await talks(stream, b"\x05\x02\x01\x00\x05\x00\x00\x01" + bytes(6))


BAD = [
    b"GET / HTTP/1.1\r\nHost: model.example\r\n\r\n",
    b"GET https://model.example/ HTTP/1.1\r\nHost: model.example\r\n\r\n",
    b"CONNECT model.example:0 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"CONNECT model.example:99999 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"CONNECT [::1 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"\x00\x01\x02\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
    b"CONNECT model.example:443 HTTP/1.1\r\nA: " + b"a" * 200_000 + b"\r\n\r\n",
    b"CONNECT model.example:443 HTTP/1.1\r\n" + b"a: b\r\n" * 50_000 + b"\r\n",
]


@pytest.mark.asyncio
@pytest.mark.parametrize("request_bytes", BAD, ids=range(len(BAD)))
async def test_what_is_no_request_is_refused(tmp_path: Path, request_bytes: bytes) -> None:
    async with opened(tmp_path) as (outside, _, client):
        answer = await said(await client(), request_bytes)
        assert answer[:10] in {b"HTTP/1.1 4", b""}
        assert outside.asked == []
        assert outside.heard == []


@pytest.mark.asyncio
async def test_only_connections_are_made_by_socks(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, _, client):
        for command in (2, 3, 200):
            answer = await said(
                await client(), bytes((5, 1, 0, 5, command, 0, 1, 127, 0, 0, 1, 0, 80))
            )
            assert answer[:4] == b"\x05\x00\x05\x07"


@in_virtual_time
async def test_who_speaks_slowly_is_left(tmp_path: Path) -> None:
    async with opened(tmp_path) as (outside, _, client):
        reader, writer = await client()

        async def drip() -> None:
            with contextlib.suppress(OSError):
                for byte in b"CONNECT model.example:443 HTTP/1.1\r\nA: " + b"a" * 100:
                    writer.write(bytes((byte,)))
                    await asyncio.sleep(1.0)

        dripping = asyncio.create_task(drip())
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
        dripping.cancel()
        assert 29 < asyncio.get_running_loop().time() < 40
        assert outside.asked == []


@in_virtual_time
async def test_a_connection_waits_for_an_answer_and_not_for_ever(tmp_path: Path) -> None:
    async def never(_: Destination) -> str:
        await asyncio.Event().wait()
        return ""

    async with opened(tmp_path) as (outside, _, client):
        outside.answers = never
        reader, writer = await client()
        writer.write(connect("other.example", 443))
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 403 Whether other.example may be reached was not")
        assert asyncio.get_running_loop().time() < 400


@pytest.mark.asyncio
async def test_a_thousand_connections_hold_up_nobody(tmp_path: Path) -> None:
    async with opened(tmp_path, ProxyLimits(connections=20)) as (outside, _, client):
        waiting = [await client() for _ in range(1000)]
        ends = [asyncio.create_task(reader.read()) for reader, _ in waiting]
        await eventually_async(lambda: sum(end.done() for end in ends) == 980)
        for (_, writer), end in zip(waiting, ends, strict=True):
            if not end.done():
                writer.transport.abort()
        await asyncio.gather(*ends, return_exceptions=True)

        async def served() -> bool:
            reader, writer = await client()
            with contextlib.suppress(OSError):
                writer.write(connect(TARGET, outside.port))
                return await reader.read(len(CONNECTED)) == CONNECTED
            return False

        async with asyncio.timeout(PATIENCE_SECONDS):
            while not await served():
                pass


@pytest.mark.asyncio
async def test_with_the_proxy_all_that_it_carried_ends(tmp_path: Path) -> None:
    async with opened(tmp_path) as (outside, proxy, client):
        reader, writer = await client()
        writer.write(connect(TARGET, outside.port))
        assert await reader.readexactly(len(CONNECTED)) == CONNECTED
        await proxy.close()
        assert await asyncio.wait_for(reader.read(), PATIENCE_SECONDS) == b""
        with pytest.raises(OSError, match=r".*"):
            await client()


@pytest.mark.asyncio
async def test_who_says_nothing_holds_no_place_for_ever(tmp_path: Path) -> None:
    limits = ProxyLimits(connections=1, idle_seconds=0.2)
    async with opened(tmp_path, limits) as (outside, _, client):
        reader, writer = await client()
        writer.write(connect(TARGET, outside.port))
        assert await reader.readexactly(len(CONNECTED)) == CONNECTED
        second: Stream | None = None
        async with asyncio.timeout(PATIENCE_SECONDS):
            while second is None:
                second = await client()
                second[1].write(connect(TARGET, outside.port))
                with contextlib.suppress(OSError, EOFError):
                    await second[0].readexactly(len(CONNECTED))
                    break
                second = None
