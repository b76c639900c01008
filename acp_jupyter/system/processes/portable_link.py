"""The way to a supervisor on any system: a connection on this machine, with a key."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import secrets
import socket
import subprocess
from collections.abc import Mapping
from typing import Self

from acp_jupyter.own_programs import module_command
from acp_jupyter.system.processes.tree import ProcessTree

__all__ = ["KEY_VARIABLE", "SocketLink"]

KEY_VARIABLE = "ACP_SUPERVISOR_KEY"
_READ_BYTES = 64 * 1024
_KEY_SECONDS = 5.0
_POLL_SECONDS = 0.05


class SocketLink:
    """A connection that the supervisor makes; see `acp_jupyter.system.processes.links.Link`."""

    descriptors: tuple[int, ...] = ()

    def __init__(self) -> None:
        self._key = secrets.token_hex(16)
        self._tree = ProcessTree()
        self._server: asyncio.Server
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._connected = asyncio.Event()
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._released = False
        self._closed = False

    @classmethod
    async def open(cls) -> Self:
        """Listen for the supervisor."""
        link = cls()
        # In two steps, as one that is cancelled would leave the socket open.
        listener = socket.create_server(("127.0.0.1", 0))
        link._server = await asyncio.start_server(link._accept, sock=listener, start_serving=False)
        try:
            await link._server.start_serving()
        except BaseException:
            link._server.close()
            raise
        return link

    @property
    def variables(self) -> Mapping[str, str]:
        """Variables for the supervisor's environment."""
        return {**self._tree.variables, KEY_VARIABLE: self._key}

    def command(self, eof_seconds: float, term_seconds: float, *, terminal: bool) -> list[str]:
        """Return the command that starts the supervisor; the command that it starts is added."""
        port = self._server.sockets[0].getsockname()[1]
        mark = next(iter(self._tree.variables))
        return [
            *module_command("acp_jupyter.system.processes.supervise_portable", str(port), mark),
            *(str(eof_seconds), str(term_seconds), "terminal" if terminal else "agent"),
        ]

    def started(self, supervisor: subprocess.Popen[bytes] | None) -> None:
        """Note that the supervisor was started, or was not."""
        self._supervisor = supervisor
        if supervisor is None:
            self.close()

    async def read(self) -> bytes:
        """Return the next bytes of its reports, or none once it has ended."""
        while self._reader is None:
            if self._supervisor is None or self._supervisor.poll() is not None:
                return b""
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await self._connected.wait()
        try:
            return await self._reader.read(_READ_BYTES)
        except OSError:
            return b""

    def end_orphans(self, pid: int) -> None:
        """End the command and what it started."""
        self._tree.end(pid)

    def release(self) -> None:
        """Close this direction of the connection."""
        self._released = True
        if self._writer is not None and not self._writer.is_closing():
            with contextlib.suppress(OSError, RuntimeError):
                self._writer.write_eof()

    def close(self) -> None:
        """Close the connection."""
        self._closed = True
        with contextlib.suppress(RuntimeError):
            self._server.close()
            if self._writer is not None:
                self._writer.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take the connection of whoever has the key; there is one."""
        key = b""
        with contextlib.suppress(TimeoutError, ValueError, OSError):
            async with asyncio.timeout(_KEY_SECONDS):
                key = (await reader.readline()).strip()
        if self._closed or self._reader or not hmac.compare_digest(key, self._key.encode()):
            writer.close()
            return
        self._server.close()
        self._reader, self._writer = reader, writer
        self._connected.set()
        if self._released:
            self.release()
