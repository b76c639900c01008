"""The WebSocket of an agent outside: it carries MCP, and only accepts a key.

It passes lines to and from the tools' socket, as the relay of a local agent does. Cookies and
tokens don't count here, and the key counts nowhere else.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from jupyter_server import CallContext
from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.base.handlers import JupyterHandler
from tornado.web import HTTPError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from acp_jupyter.errors import AcpError, NotAllowed
from acp_jupyter.features.outside.agents import OutsideAgents
from acp_jupyter.features.outside.command_line import KEY_HEADER, REVOKED
from acp_jupyter.features.outside.keys import OutsideKeys
from acp_jupyter.host.host import AgentHost
from acp_jupyter.notebook_tools.mcp_endpoint import NotebookTools
from acp_jupyter.server.backend import Backend
from acp_jupyter.server.part import ServerContext, ServerPart
from acp_jupyter.system.private_socket import connect

_MESSAGE_BYTES = 8 * 1024 * 1024
_PING_SECONDS = 30.0
_WRITE_SECONDS = 30.0
"""How long a client may take to read one line."""


class OutsideOnServer(ServerPart):
    """The keys of a server's agents outside, and who connects with them."""

    def __init__(self, context: ServerContext) -> None:
        super().__init__(context)
        self.keys = OutsideKeys()
        self._agents: OutsideAgents | None = None

    def agents(self, host: AgentHost) -> OutsideAgents | None:
        """Return what admits agents outside; None where agents get no notebook tools."""
        tools = host.config.tools
        if self._agents is None and isinstance(tools, NotebookTools):
            self._agents = OutsideAgents(host, tools, self.keys)
        return self._agents


class OutsideHandler(JupyterHandler, WebSocketHandler):
    """Connects one agent outside to the tools of its key's notebook."""

    def initialize(self, *, backend: Backend) -> None:
        """Store the arguments of the route list."""
        self._backend = backend
        self._writer: asyncio.StreamWriter | None = None
        self._life: asyncio.Task[None] | None = None

    @property
    def max_message_size(self) -> int:
        """Longest line, in bytes."""
        return _MESSAGE_BYTES

    @property
    def ping_interval(self) -> float:
        """Seconds between pings; a client that misses one counts as gone at the next."""
        return _PING_SECONDS

    @property
    def ping_timeout(self) -> float:
        """Seconds to wait for a pong."""
        return _PING_SECONDS

    async def prepare(self) -> None:  # type: ignore[override] # as APIHandler does
        """Check the key alone, and ignore the server's own authentication."""
        CallContext.set(CallContext.JUPYTER_HANDLER, self)
        self.current_user = self._jupyter_current_user = None
        if not self.check_host() or self.get_origin() is not None:
            raise HTTPError(403, "Only programs connect here, not pages.")
        host = self._backend.host
        part: OutsideOnServer = host.config.parts["outside"]
        try:
            agents = part.agents(host)
            if agents is None:
                raise HTTPError(404, "The notebook tools are turned off on this server.")
            key = self.request.headers.get(KEY_HEADER, "")
            self._opened = await self._admit(agents, key)
        except AcpError as error:
            raise HTTPError(error.status, error.message) from None

    async def _admit(self, agents: OutsideAgents, key: str) -> tuple[str, str]:
        backend = self._backend
        # An attacker who guesses keys knows no key's id, so it delays no real agent.
        source = f"{self.request.remote_ip} {await backend.host.run(agents.id_in(key))}"
        backend.key_throttle.admit(source)
        try:
            return await backend.host.run(agents.admit(key))
        except NotAllowed:
            await backend.key_throttle.refuse(source)
            raise

    @allow_unauthenticated
    async def get(self, *args: Any, **kwargs: Any) -> None:
        """Open the socket; the key was checked before."""
        await super().get(*args, **kwargs)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Send the error as plain text, for a program to show."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        words = error.log_message if isinstance(error, HTTPError) else None
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(words or "The request failed.")

    async def open(self, *args: str, **kwargs: str) -> None:
        """Connect to the tools."""
        self.set_nodelay(True)
        address, greeting = self._opened
        reader, self._writer = await connect(address, _LINE_BYTES)
        self._writer.write(f"{greeting}\n".encode())
        self._life = asyncio.create_task(self._live(reader), name="acp-outside")
        self._backend.streams.add(self)

    async def on_message(self, message: str | bytes) -> None:
        """Pass a line to the tools before the next is read."""
        assert self._writer is not None  # Tornado reads only after `open` has returned
        line = message.encode() if isinstance(message, str) else message
        with contextlib.suppress(OSError):
            self._writer.write(line.replace(b"\n", b" ") + b"\n")
            await self._writer.drain()

    def on_close(self) -> None:
        """End the connection to the tools with its socket."""
        self._backend.streams.discard(self)
        if self._writer is not None:
            self._writer.close()
        if self._life is not None:
            self._life.cancel()

    async def stop(self) -> None:
        """Close the socket because the server stops."""
        self.close(1001, "The Jupyter server is shutting down.")
        if self._life is not None:
            self._life.cancel()
            await asyncio.wait([self._life])

    async def _live(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                text = line.decode().rstrip("\n")
                await asyncio.wait_for(self.write_message(text), _WRITE_SECONDS)
            self.close(1008, REVOKED)
        except (WebSocketClosedError, TimeoutError, OSError, ValueError):
            self.close()


_LINE_BYTES = 64 * 1024 * 1024
"""Longest line of the tools: pictures are in it."""

ROUTES = {"outside": OutsideHandler}
