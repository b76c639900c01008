"""Agents outside: each client with a key has a session, and its calls are cards in turns.

The session has no agent process. A turn begins with a call, and ends after a time without calls,
so that users can keep and revert its changes as in any other turn.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from acp_jupyter.errors import AcpError, BadRequest, NotAllowed
from acp_jupyter.features.outside.keys import OutsideKey, OutsideKeys
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.notebook_tools.mcp_endpoint import NotebookTools, mcp_server
from acp_jupyter.notebook_tools.outputs import Reply
from acp_jupyter.notebook_tools.session_tools import SessionTools
from acp_jupyter.notebook_tools.tool_permissions import CallCard, ToolPermissions, new_id
from acp_jupyter.notebook_tools.tools import TOOLS, AnyTool
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.objects import Obj, first, obj, text

_MAX_SESSIONS = 8
"""Most sessions of one key at once."""
_NAME_CHARS = 40
_CLIENT_INFO = "clientInfo"
_META_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
_UNNAMED = "Agent"
_TURN_SECONDS = 7 * 24 * 3600.0
_QUIET_SECONDS = 20.0
"""Time without a call after which a turn ends."""


class OutsideAgents:
    """Admits agents by their key. Used on the host's loop only."""

    def __init__(self, host: AgentHost, tools: NotebookTools, keys: OutsideKeys) -> None:
        self._host = host
        self._tools = tools
        self.keys = keys
        self._doors: dict[str, tuple[str, str]] = {}
        self._clients: set[OutsideClient] = set()
        self._sessions: dict[str, dict[str, str]] = {}
        """The sessions of each key: names of clients by ids."""
        self._opening = asyncio.Lock()
        self._ending: set[asyncio.Task[None]] = set()
        keys.on_end(self._end)

    async def id_in(self, secret: str) -> str:
        """Return the id of the key that a secret claims to be; empty if there is none."""
        return self.keys.id_in(secret)

    async def admit(self, secret: str) -> tuple[str, str]:
        """Return the address of the tools, and the first line of a connection."""
        key = self.keys.find(secret)

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._serve(key, reader, writer)

        async with self._opening:
            if key.key_id not in self._doors:
                name = f"outside-{key.key_id}"
                self._doors[key.key_id] = await self._tools.listener.open(name, serve)
            try:
                self.keys.find(secret)
            except AcpError:
                self._end(key.key_id)  # revoked in the meantime
                raise
            return self._doors[key.key_id]

    def session_of(self, key: OutsideKey, name: str) -> Session:
        """Return a session of this key and name that no client uses, or a new one."""
        used = {client.session_id for client in self._clients}
        open_ = self._host.sessions
        known = {i: of for i, of in self._sessions.get(key.key_id, {}).items() if i in open_}
        self._sessions[key.key_id] = known
        for session_id, of in known.items():
            if of == name and session_id not in used:
                return open_[session_id]
        if len(known) >= _MAX_SESSIONS:
            raise BadRequest(
                f"{len(known)} sessions of this key are open. Close some in the panel."
            )
        session = self._host.open_outside(name, key.notebook_path, key.policy, key.user)
        known[session.session_id] = name
        return session

    async def _serve(
        self, key: OutsideKey, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        client = OutsideClient(self, self._host, self._tools, key)
        self._clients.add(client)
        try:
            introduced = IntroducedReader(reader, client.introduce)
            await (await mcp_server()).serve_mcp(client, introduced, writer)
        finally:
            self._clients.discard(client)
            client.close()

    def _end(self, key_id: str) -> None:
        """Close a key's connections; its sessions stay open."""
        self._sessions.pop(key_id, None)
        if self._doors.pop(key_id, None) is not None:
            task = asyncio.create_task(self._tools.listener.shut(f"outside-{key_id}"))
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)


class IntroducedReader:
    """Reads lines, and reports the name that the client gives itself."""

    def __init__(self, reader: asyncio.StreamReader, introduce: Callable[[str], None]) -> None:
        self._reader = reader
        self._introduce = introduce

    async def readuntil(self) -> bytes:
        """Return the next line."""
        line = await self._reader.readuntil()
        if _CLIENT_INFO.encode() in line and (name := client_name(line)):
            self._introduce(name)
        return line


def client_name(line: bytes) -> str:
    """Return the name of the client in an MCP message; empty if there is none.

    ``initialize`` has it, or since MCP's version of 2026-07-28 each request.
    """
    try:
        params = obj(obj(json.loads(line)).get("params"))
    except (ValueError, RecursionError):
        return ""
    info = params.get(_CLIENT_INFO) or obj(params.get("_meta")).get(_META_CLIENT_INFO)
    named = text(first(obj(info), "title", "name"))
    return " ".join(re.sub(r"[^\w.()+-]+", " ", named).split())[:_NAME_CHARS]


class OutsideClient:
    """One connection of an agent outside, as `mcp_server.Tools`."""

    def __init__(
        self, agents: OutsideAgents, host: AgentHost, tools: NotebookTools, key: OutsideKey
    ) -> None:
        self._agents = agents
        self._host = host
        self._notebook_tools = tools
        self._key = key
        self.name = _UNNAMED
        """The name that the client gives itself."""
        self._session: Session | None = None
        self._tools: SessionTools | None = None
        self._turn = OutsideTurn(0)
        self._turn.over = True
        self._beginning = asyncio.Lock()

    @property
    def session_id(self) -> str:
        """Id of its session; empty before its first call."""
        return "" if self._session is None else self._session.session_id

    def introduce(self, name: str) -> None:
        """Store the name that the client gives itself."""
        self.name = name

    @property
    def available(self) -> tuple[type[AnyTool], ...]:
        """All tools; the policy, which may change, decides about each call."""
        return tuple(TOOLS.values())

    async def call(self, name: str, arguments: Obj) -> Reply:
        """Carry out a call; an error gives a reply with a message."""
        try:
            self._agents.keys.use(self._key.key_id)
            async with self._beginning:
                tools, turn = await self._begun()
        except AcpError as error:
            return Reply.failure(error.message)
        with turn.calling():
            return await tools.call(name, arguments)

    def close(self) -> None:
        """End the running turn, as the client has disconnected."""
        self._turn.end()

    async def _begun(self) -> tuple[SessionTools, OutsideTurn]:
        """Return its tools and the turn for a call; start a turn if none runs."""
        session = self._session
        if session is None or self._host.sessions.get(session.session_id) is not session:
            session = self._session = self._agents.session_of(self._key, f"{self.name} (outside)")
            self._tools = self._notebook_tools.in_place(session, OutsideCallCard)
        assert self._tools is not None
        turn = self._turn
        policy = session.policy_for(self._key.user)
        if not turn.over and turn.policy != policy:
            turn.end()  # the user has chosen another policy, which needs a new turn
        if turn.over:
            turn = self._turn = OutsideTurn(_QUIET_SECONDS, policy)
            try:
                turn_id = session.begin_work(turn.run, self._key.user)
                await self._started(session, turn_id, turn)
            except BaseException:
                turn.end()  # else the next call would use a turn that may not have begun
                raise
        return self._tools, turn

    async def _started(self, session: Session, turn_id: str, turn: OutsideTurn) -> None:
        """Wait until a turn has begun."""
        begun = asyncio.ensure_future(turn.begun.wait())
        ended = asyncio.ensure_future(session.journal.wait_turn(turn_id, _TURN_SECONDS))
        try:
            await asyncio.wait((begun, ended), return_when=asyncio.FIRST_COMPLETED)
        finally:
            begun.cancel()
            ended.cancel()
        if not turn.begun.is_set():
            turn.over = True
            words = session.transcript.turns[turn_id].words
            raise NotAllowed(f"Nothing was done, since the turn has ended: {words}")


class OutsideTurn:
    """One turn of an agent outside: it lasts while calls are open, and some time after."""

    def __init__(self, quiet_seconds: float, policy: Policy = "ask") -> None:
        self.policy = policy
        self.begun = asyncio.Event()
        self.over = False
        """Whether calls need another turn now."""
        self._quiet_seconds = quiet_seconds
        self._calls = 0
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Run until the turn ends; stopping the turn cancels this."""
        self.begun.set()
        try:
            while not self.over:
                self._news.clear()
                seconds = None if self._calls else self._quiet_seconds
                try:
                    async with asyncio.timeout(seconds):
                        await self._news.wait()
                except TimeoutError:
                    if not self._calls:
                        return
        finally:
            self.over = True

    def end(self) -> None:
        """End the turn now."""
        self.over = True
        self._news.set()

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Keep the turn open during a call."""
        self._calls += 1
        self._news.set()
        try:
            yield
        finally:
            self._calls -= 1
            self._news.set()


class OutsideCallCard:
    """Shows one call of an agent outside, with its permission request if it makes one."""

    def __init__(self, session: Session, row: type[AnyTool], arguments: Obj, location: str) -> None:
        self.permissions = ToolPermissions(session, new_id())
        self._card = CallCard(self.permissions.write, self.permissions.own_id, own=True)
        self._call: Obj = {
            "title": row.title,
            "kind": "other" if row.changes else "read",
            "rawInput": arguments,
            "locations": [{"path": location}],
        }
        self._is_read = not row.changes
        if self._is_read:
            self._card.begun(self._call)

    def done(self, reply: Reply) -> None:
        """Show the result, unless a request for permission has shown it already."""
        if self.permissions.requested and not reply.failed:
            return
        if not self.permissions.requested and not self._is_read:
            self._card.begun(self._call)  # refused before a request could show it
        self._card.done(failed=reply.failed, text=reply.text)

    def given_up(self) -> None:
        """Show that the call has ended without a result."""
        if self._is_read:
            self._card.done(failed=True)
