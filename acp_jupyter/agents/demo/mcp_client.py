"""A stdio client of the notebook tools' MCP server, with as much JSON-RPC as tools need."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from acp_jupyter.agents.rpc import Json, encode

_PROTOCOL_VERSION = "2025-06-18"
_START_SECONDS = 30.0
_MAX_LINE_BYTES = 64 * 1024 * 1024


class McpError(Exception):
    """A server can't be reached, or refuses; the message says why."""


@dataclass(frozen=True, slots=True)
class StdioServer:
    """How a server is started (ACP: an entry of mcpServers)."""

    name: str
    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]

    @classmethod
    def read(cls, entries: object) -> tuple[StdioServer, ...]:
        """Return the entries that are stdio servers."""
        found = map(_read, entries) if isinstance(entries, list) else ()
        return tuple(server for server in found if server is not None)


def _read(entry: object) -> StdioServer | None:
    match entry:
        case {"name": str(name), "command": str(command), "args": list(args), "env": list(pairs)}:
            env: dict[str, str] = {}
            for pair in pairs:
                match pair:
                    case {"name": str(variable), "value": str(value)}:
                        env[variable] = value
                    case _:
                        return None
            return StdioServer(name, command, tuple(map(str, args)), env)
        case _:
            return None


class McpClient:
    """A running server. It ends when its stdin is closed: with this process at the latest."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Json]] = {}
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, server: StdioServer) -> McpClient:
        """Start a server and initialize it."""
        try:
            # In this agent's process group, so that whoever ends the group ends it too.
            process = await asyncio.create_subprocess_exec(
                server.command,
                *server.args,
                env=os.environ | dict(server.env),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_MAX_LINE_BYTES,
            )
        except (OSError, ValueError) as error:
            raise McpError(
                f"they could not be started: {getattr(error, 'strerror', None) or error}"
            ) from error
        client = cls(process)
        hello: Json = {
            "protocolVersion": _PROTOCOL_VERSION,
            "capabilities": {},
            "clientInfo": {"name": "demo", "version": "1"},
        }
        try:
            async with asyncio.timeout(_START_SECONDS):
                await client.request("initialize", hello)
        except BaseException as error:
            client.end()
            if isinstance(error, TimeoutError):
                raise McpError(f"they did not answer within {_START_SECONDS:g} s") from error
            raise
        client._send({"method": "notifications/initialized"})
        return client

    @property
    def alive(self) -> bool:
        """Whether it is running."""
        return not self._reading.done()

    async def request(self, method: str, params: Json) -> Json:
        """Send a request and wait for the response; a permission may take the user a long time."""
        if not self.alive:
            raise McpError("they have ended")
        request_id = next(self._ids)
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._pending[request_id] = future
        try:
            self._send({"id": request_id, "method": method, "params": params})
            return await future
        except asyncio.CancelledError:
            self._send({"method": "notifications/cancelled", "params": {"requestId": request_id}})
            raise
        finally:
            del self._pending[request_id]

    def end(self) -> None:
        """End the server."""
        self._reading.cancel()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _send(self, message: Json) -> None:
        if self._process.stdin is not None:
            with contextlib.suppress(OSError, RuntimeError):
                line = encode({"jsonrpc": "2.0", **message}) + "\n"
                self._process.stdin.write(line.encode())

    async def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            # A line that is too long raises ValueError, and ends the server.
            while line := await self._process.stdout.readline():
                self._settle(line)
        except (OSError, ValueError):
            pass
        finally:
            for future in self._pending.values():
                if not future.done():
                    future.set_exception(McpError("they have ended"))

    def _settle(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return
        match message:
            case {"id": int(request_id), "result": dict(result)}:
                answer: Json | McpError = result
            case {"id": int(request_id), "error": dict(error)}:
                answer = McpError(str(error.get("message", "they answered with an error")))
            case _:
                return  # a notification, or a request that nothing here can answer
        future = self._pending.get(request_id)
        if future is None or future.done():
            return
        if isinstance(answer, McpError):
            future.set_exception(answer)
        else:
            future.set_result(answer)


def texts(content: object) -> Sequence[str]:
    """Return the texts of a tool's result."""
    parts = content if isinstance(content, list) else ()
    found = (part.get("text") for part in parts if isinstance(part, dict))
    return [text for text in found if isinstance(text, str)]


SERVER_NAME = "notebook"
NO_TOOLS = (
    "There are no notebook tools in this session, so this agent can't look into a kernel or a "
    "notebook. They come with a notebook that is open in JupyterLab or Notebook 7 with the "
    "acp-jupyter server extension; `--no-tools` turns them off.\n"
)


@dataclass(frozen=True, slots=True)
class Picture:
    """An image in a result, as base64."""

    data: str
    mime_type: str


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The result of a tool."""

    text: str
    pictures: tuple[Picture, ...]
    failed: bool


@dataclass(slots=True)
class Toolbox:
    """Starts the server of the notebook tools on first use."""

    servers: tuple[StdioServer, ...]
    _client: McpClient | None = field(default=None, repr=False)

    @property
    def available(self) -> bool:
        """Whether the session has notebook tools."""
        return any(server.name == SERVER_NAME for server in self.servers)

    async def call(self, tool: str, arguments: Json) -> ToolAnswer:
        """Call a tool."""
        server = next((each for each in self.servers if each.name == SERVER_NAME), None)
        if server is None:
            raise McpError("there are none in this session")
        if self._client is None or not self._client.alive:
            self._client = await McpClient.start(server)
        result = await self._client.request("tools/call", {"name": tool, "arguments": arguments})
        content = result.get("content")
        parts = content if isinstance(content, list) else []
        return ToolAnswer(
            text="\n".join(texts(parts)),
            pictures=tuple(found for found in map(_picture, parts) if found is not None),
            failed=result.get("isError") is True,
        )

    def end(self) -> None:
        """End the server, if it was started."""
        if self._client is not None:
            self._client.end()


def _picture(part: object) -> Picture | None:
    match part:
        case {"type": "image", "data": str(data), "mimeType": str(mime_type)}:
            return Picture(data, mime_type)
        case _:
            return None
