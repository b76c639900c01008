"""The endpoint of the notebook tools: the socket that agents' relays connect to.

An agent gets the command of `socket_relay.py`, which connects to a private socket of the user with
a key for each session. `mcp_server.py`, imported at the first connection, serves it.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hmac
import importlib
import importlib.metadata
import json
import secrets
import shutil
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from acp_jupyter.host.key_throttle import KeyThrottle
from acp_jupyter.host.recording import Playback
from acp_jupyter.host.rpc.mcp_messages import Notify
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.notebook_tools.context import (
    CallTarget,
    KernelLookup,
    NotebookAccess,
    find_other,
    find_target,
)
from acp_jupyter.notebook_tools.kernel_runner import KernelRunner, RunningCode
from acp_jupyter.notebook_tools.session_tools import SessionTools, ShowCall
from acp_jupyter.notebook_tools.tools import SERVER_NAME, AnyTool
from acp_jupyter.own_programs import script_command
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.system.private_socket import PrivateSocket, listen

_RELAY = Path(__file__).parents[1] / "socket_relay.py"
_VARIABLE = "ACP_NOTEBOOK_TOOLS"


class NotebookTools:
    """A `McpServerProvider` with the notebook tools for every session of a notebook."""

    def __init__(
        self,
        root: Path,
        where: KernelLookup,
        notebooks: NotebookAccess,
        runner: KernelRunner,
    ) -> None:
        self._root = root
        self._where = where
        self._notebooks = notebooks
        self._runner = runner
        self.code = RunningCode(runner)
        """The code that tools run now, by kernel."""
        self.listener = ToolsListener()

    async def servers(self, session: Session) -> Sequence[Mapping[str, Any]]:
        """Return the relay's command with a key for this session."""
        tools = self._tools_of(session)
        if tools is None:
            return ()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await (await mcp_server()).serve_mcp(tools, reader, writer)

        address, greeting = await self.listener.open(session.session_id, serve)
        session.redactor.learn("notebook tools", greeting, greeting.rpartition(" ")[2])
        command, *args = script_command(_RELAY, _VARIABLE)
        environment = {_VARIABLE: address, f"{_VARIABLE}_KEY": greeting}
        return (
            {
                "name": SERVER_NAME,
                "command": command,
                "args": [*args],
                "env": [{"name": name, "value": value} for name, value in environment.items()],
            },
        )

    async def socket_folders(self) -> Sequence[str]:
        """Return the folder of the relays' socket; create it if there is none yet."""
        folder = await self.listener.folder()
        return (folder,) if folder else ()

    def over_acp(self, session: Session) -> ToolsOverAcp | None:
        """Return the same tools without a relay, if the installed MCP SDK is new enough."""
        tools = self._tools_of(session)
        return None if tools is None or _has_older_sdk() else ToolsOverAcp(tools)

    def _tools_of(self, session: Session) -> SessionTools | None:
        if (
            not session.state.notebook_path
            or not session.tools_on
            or isinstance(session.recording, Playback)
        ):
            return None
        if session.state.variant is not None:
            kernel = None if session.copy is None else session.copy.kernel
            tools: SessionTools | None = None if kernel is None else kernel.tools(session)
            return tools
        return self.in_place(session)

    def in_place(self, session: Session, show: ShowCall | None = None) -> SessionTools:
        """Return a session's tools; ``show`` is for an agent that does not show its calls."""

        async def find(call: AnyTool) -> CallTarget:
            if call.notebook is None:
                return await find_target(session, self._root, self._where)
            return await find_other(session, self._root, self._where, call.notebook)

        return SessionTools(session, find, self._notebooks, self._runner, self.code, show)

    async def end(self, session_id: str) -> None:
        """Close the session's connections and revoke its key."""
        await self.listener.shut(session_id)

    async def close(self) -> None:
        """Close all connections and the socket."""
        await self.listener.close()


class ToolsOverAcp:
    """The tools of a session for an agent that sends its requests over ACP."""

    name = SERVER_NAME

    def __init__(self, tools: SessionTools) -> None:
        self._tools = tools

    async def answer(self, request: Obj, notify: Notify) -> Obj:
        """Return the ``result`` or the ``error`` of a request."""
        if len(json.dumps(request)) > _LINE_BYTES:
            return {"error": {"code": -32600, "message": "The request is too large"}}
        answer: Obj = await (await mcp_server()).answer_mcp(self._tools, request, notify)
        return answer


async def mcp_server() -> Any:
    """Return the module of the server.

    Its import takes a second, so a thread does it when the first agent connects.
    """
    return await asyncio.to_thread(importlib.import_module, "acp_jupyter.notebook_tools.mcp_server")


@functools.cache
def _has_older_sdk() -> bool:
    return importlib.metadata.version("mcp").startswith("1.")


_GREETING_SECONDS = 10.0
_GREETING_CHARS = 200
_GREETING_AT_ONCE = 64
"""Connections that may wait for their greeting; one more closes the oldest."""
_LINE_BYTES = 8 * 1024 * 1024
_CONNECTIONS_PER_SESSION = 8

Serve: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Serves one connection to its end."""


@dataclass
class _SessionEntry:
    key: bytes
    serve: Serve
    tasks: set[asyncio.Task[None]] = field(default_factory=set)


class ToolsListener:
    """The listening socket for relays; opened with the first session.

    A connection begins with a line ``SESSION KEY`` and belongs to that session alone.
    """

    def __init__(self) -> None:
        self._doors: dict[str, _SessionEntry] = {}
        self._greeting: dict[asyncio.Task[None], None] = {}
        """Connections without a greeting so far, the oldest first."""
        self._socket: PrivateSocket | None = None
        self._wrong_keys = KeyThrottle()
        self._starting = asyncio.Lock()

    async def open(self, session_id: str, serve: Serve) -> tuple[str, str]:
        """Accept a session's relays; return the address and their greeting."""
        address = (await self._listening()).address
        key = secrets.token_hex(32)
        await self.shut(session_id)
        self._doors[session_id] = _SessionEntry(key.encode(), serve)
        return address, f"{session_id} {key}"

    async def folder(self) -> str:
        """Open the socket and return its folder; empty on Windows."""
        return (await self._listening()).folder

    async def shut(self, session_id: str) -> None:
        """Close a session's connections, and refuse new ones."""
        door = self._doors.pop(session_id, None)
        if door is not None:
            await _end(door.tasks)

    async def close(self) -> None:
        """Close all connections and the socket."""
        if self._socket is not None:
            self._socket.server.close()
        for session_id in tuple(self._doors):
            await self.shut(session_id)
        await _end(self._greeting)
        if self._socket is not None and self._socket.folder:
            await asyncio.to_thread(shutil.rmtree, self._socket.folder, ignore_errors=True)

    async def _listening(self) -> PrivateSocket:
        async with self._starting:
            if self._socket is None:
                self._socket = await listen(self._connected, "tools", _LINE_BYTES)
            return self._socket

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._admit(reader, writer), name="acp-tools")
        self._greeting[task] = None

        def gone(done: asyncio.Task[None]) -> None:
            self._greeting.pop(done, None)
            writer.close()  # a task that was cancelled before its start has not closed it

        task.add_done_callback(gone)
        if len(self._greeting) > _GREETING_AT_ONCE:
            oldest = next(iter(self._greeting))
            del self._greeting[oldest]
            oldest.cancel()

    async def _admit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        try:
            door = await self._greeted(reader)
            if door is None or len(door.tasks) >= _CONNECTIONS_PER_SESSION:
                return
            self._greeting.pop(task, None)
            door.tasks.add(task)
            task.add_done_callback(door.tasks.discard)
            await door.serve(reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _greeted(self, reader: asyncio.StreamReader) -> _SessionEntry | None:
        try:
            async with asyncio.timeout(_GREETING_SECONDS):
                line = await reader.readuntil()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            return None
        if len(line) > _GREETING_CHARS:
            return None
        name, _, key = line.strip().partition(b" ")
        session_id = name.decode("ascii", "replace")
        door = self._doors.get(session_id)
        if door is not None and hmac.compare_digest(door.key, key):
            return door
        await self._wrong_keys.refuse("" if door is None else session_id)
        return None


async def _end(tasks: Iterable[asyncio.Task[None]]) -> None:
    waiting = tuple(tasks)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
