"""A company's network on loopback: a proxy that is the only way out, and a CA of its own."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ssl
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.support.wait import PATIENCE_SECONDS

__all__ = ["Certificates", "CompanyProxy", "made_certificates", "serving_tls"]

_USER = "ada:secret@word"
"""As it is typed; in an address the ``@`` is escaped."""

_AUTHORITY = (
    "basicConstraints=critical,CA:TRUE",
    "keyUsage=critical,keyCertSign,cRLSign",
    "subjectKeyIdentifier=hash",
)
_SERVER = """\
basicConstraints=CA:FALSE
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
subjectAltName={names}
"""


@dataclass(frozen=True)
class Certificates:
    """Of a CA that no system knows, and of a server that it has signed."""

    authority: Path
    server: Path
    key: Path

    @property
    def context(self) -> ssl.SSLContext:
        """What the server has."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.server, self.key)
        return context


def made_certificates(folder: Path, names: Sequence[str]) -> Certificates:
    """Make them for a server of these names."""
    folder.mkdir()
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    extensions = [word for each in _AUTHORITY for word in ("-addext", each)]
    _openssl(
        folder,
        *("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2"),
        *("-subj", "/CN=A company", *extensions),
    )
    request = ("-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=A server")
    _openssl(folder, "req", "-new", *key, *request)
    listed = ",".join(f"DNS:{name}" for name in names)
    (folder / "extensions").write_text(_SERVER.format(names=listed), "utf-8")
    signer = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "extensions")
    paths = ("-in", "server.csr", "-out", "server.pem", "-days", "2")
    _openssl(folder, "x509", "-req", *signer, *paths)
    return Certificates(folder / "ca.pem", folder / "server.pem", folder / "server.key")


def _openssl(folder: Path, *words: str) -> None:
    subprocess.run(("openssl", *words), cwd=folder, check=True, capture_output=True)


class _Listening(AbstractContextManager["_Listening"]):
    """A server on a loop of its own thread."""

    port = 0

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self._context = context
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        self.port = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(
            PATIENCE_SECONDS
        )
        return self

    def __exit__(self, *_exception: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(PATIENCE_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> int:
        self._server = await asyncio.start_server(self._kept, "127.0.0.1", 0, ssl=self._context)
        return int(self._server.sockets[0].getsockname()[1])

    async def _stop(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _kept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(OSError, EOFError):
                await self._serve(reader, writer)
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError


class CompanyProxy(_Listening):
    """Makes connections by ``CONNECT`` for who shows its user.

    Parameters
    ----------
    hosts
        The ports of this machine that names lead to; no other host is reached.
    """

    def __init__(self, hosts: Mapping[str, int]) -> None:
        super().__init__()
        self._hosts = dict(hosts)
        self.asked: list[str] = []
        """Hosts with their ports."""

    @property
    def url(self) -> str:
        name, _, password = _USER.partition(":")
        return f"http://{name}:{password.replace('@', '%40')}@127.0.0.1:{self.port}"

    @property
    def variables(self) -> dict[str, str]:
        """The variables by which programs find it."""
        return {"HTTPS_PROXY": self.url, "https_proxy": self.url, "NO_PROXY": "localhost,127.0.0.1"}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        method, target, *_ = head.split(" ")
        expected = f"proxy-authorization: basic {base64.b64encode(_USER.encode()).decode()}"
        if method != "CONNECT" or expected.lower() not in head.lower().split("\r\n"):
            writer.write(b"HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic\r\n\r\n")
            await writer.drain()
            return
        self.asked.append(target)
        port = self._hosts.get(target.rpartition(":")[0])
        if port is None:
            writer.write(b"HTTP/1.1 403 Not in this company\r\n\r\n")
            await writer.drain()
            return
        outer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await _carry((reader, writer), outer)


class _TlsFront(_Listening):
    """Ends TLS, and passes bytes on to a port."""

    def __init__(self, to: int, context: ssl.SSLContext) -> None:
        super().__init__(context)
        self._to = to

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _carry((reader, writer), await asyncio.open_connection("127.0.0.1", self._to))


@contextlib.contextmanager
def serving_tls(to: int, certificates: Certificates) -> Iterator[int]:
    """Serve a port by TLS; yields the port of that."""
    with _TlsFront(to, certificates.context) as front:
        yield front.port


_Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _carry(one: _Stream, other: _Stream) -> None:
    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()

    pumps = [asyncio.create_task(pump(a[0], b[1])) for a, b in ((one, other), (other, one))]
    try:
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in pumps:
            task.cancel()
        other[1].transport.abort()
