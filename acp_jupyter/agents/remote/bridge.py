"""Passes messages between stdio and a remote agent, and reconnects if necessary.

When a connection is lost, the host's open requests are answered with an error, since no other
connection will answer them. Before a turn ends this way, what the agent sent of it in the meantime
is fetched.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import sys
from collections import Counter, deque
from collections.abc import Mapping
from typing import Any

from acp_jupyter.agents.remote.address import Address
from acp_jupyter.agents.remote.folders import Folders
from acp_jupyter.agents.remote.http_link import HttpLink
from acp_jupyter.agents.remote.link import AgentLink, Json, LinkLost, Refused, Unreachable
from acp_jupyter.agents.remote.missed import is_prompt
from acp_jupyter.agents.remote.sessions import RemoteSession, RemoteSessions, update_of
from acp_jupyter.agents.remote.websocket_link import WebSocketLink
from acp_jupyter.agents.rpc import INTERNAL_ERROR, Stdio, encode

_DELAYS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0)
"""Seconds before each attempt to reconnect; a minute in total."""
_QUIET_SECONDS = 0.3
"""A replay has ended once nothing has come for this long after the response."""
_LOAD_SECONDS = 60.0
_LOOK_SECONDS = 5.0
_HELD_LINES = 100
_OURS = "acp-remote-"


class Bridge:
    """One host on stdio, and one remote agent."""

    def __init__(self, address: Address, environment: Mapping[str, str]) -> None:
        self._address = address
        self._headers = address.headers(environment)
        self._folders = Folders(address.folders)
        self._stdio = Stdio(self._take_line, self._host_gone)
        self._lines: deque[bytes] = deque()
        self._line_there = asyncio.Event()
        self._gone = asyncio.Event()
        self._cookies: dict[str, str] = {}
        self._client = None if address.websocket else HttpLink.new_client(address)
        self._link: AgentLink | None = None
        self._ready = asyncio.Event()
        self._next: asyncio.Task[Json] | None = None
        self._initialize: Json = {}
        self._sessions = RemoteSessions()
        self._requests: dict[str, Json] = {}
        """The host's open requests, by their ids as JSON."""
        self._asked: Counter[str] = Counter()
        """The agent's open requests, by their ids as JSON."""
        self._ids = itertools.count(1)

    async def serve(self) -> int:
        """Pass messages on until the host ends, or the agent can't be reached."""
        self._stdio.start()
        tasks: list[asyncio.Task[Any]] = [
            asyncio.create_task(self._pass_to_agent()),
            asyncio.create_task(self._pass_to_host()),
            asyncio.create_task(self._gone.wait()),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if (error := task.exception()) is not None:
                    await self._give_up(str(error))
                    if not isinstance(error, (LinkLost, Unreachable)):
                        raise error
                    return 1
            return 0
        finally:
            for task in (*tasks, *filter(None, (self._next,))):
                task.cancel()
            if self._link is not None:
                await self._link.close()
            if self._client is not None:
                await self._client.aclose()

    async def _give_up(self, why: str) -> None:
        """Answer the host's open requests with an error that says why the agent is gone."""
        for request in list(self._requests.values()):
            self._fail(request, why)
        sys.stderr.write(f"{why}\n")
        await self._stdio.drain(0)

    # From the host to the agent.

    def _take_line(self, line: bytes) -> None:
        self._lines.append(line)
        self._line_there.set()
        if len(self._lines) >= _HELD_LINES:
            self._stdio.pause()

    def _host_gone(self) -> None:
        self._gone.set()

    async def _pass_to_agent(self) -> None:
        while True:
            while not self._lines:
                self._line_there.clear()
                await self._line_there.wait()
            line = self._lines.popleft()
            if not self._lines:
                self._stdio.resume()
            message = json.loads(line) if line.strip() else None
            if isinstance(message, dict):
                await self._to_agent(self._folders.to_agent(message))

    async def _to_agent(self, message: Json) -> None:
        if message.get("method") == "initialize":
            await self._open_first(message)
            return
        await self._ready.wait()
        key = json.dumps(message.get("id"))
        if "method" not in message:
            if not self._asked[key]:
                return  # the request of a connection that is lost
            self._asked[key] -= 1
        if "method" in message and "id" in message:
            self._requests[key] = message
        self._sessions.note_request(message)
        assert self._link is not None
        try:
            await self._link.send(message)
        except Refused as error:
            self._fail(message, str(error))
        except LinkLost:
            pass  # the receiving task sees it too, and answers open requests

    # From the agent to the host.

    async def _pass_to_host(self) -> None:
        await self._ready.wait()
        while True:
            try:
                await self._to_host(await self._receive(_LOOK_SECONDS))
            except LinkLost as lost:
                await self._reconnect(str(lost))
            except TimeoutError:
                if self._link is not None and self._sessions.overdue(self._link.gaps):
                    await self._reconnect("Nothing more came after a break")

    async def _receive(self, seconds: float | None) -> Json:
        """Return the next message."""
        assert self._link is not None
        self._next = self._next or asyncio.create_task(self._link.receive())
        await asyncio.wait((self._next,), timeout=seconds)
        if not self._next.done():
            raise TimeoutError
        received, self._next = self._next, None
        return received.result()

    async def _to_host(self, message: Json) -> None:
        key = json.dumps(message.get("id"))
        if "method" not in message:
            request = self._requests.get(key)
            if request is not None:
                await self._fetch_missed_before(request)
                self._sessions.note_answer(self._requests.pop(key), message)
        elif "id" in message:
            self._asked[key] += 1
        elif self._link is not None and self._sessions.hold(message, self._link.gaps):
            return
        else:
            self._sessions.note_update(message)
        await self._write(message)

    async def _write(self, message: Json) -> None:
        self._stdio.put((encode(self._folders.from_agent(message)) + "\n").encode())
        await self._stdio.drain()

    def _fail(self, request: Json, why: str) -> None:
        """Answer one of the host's requests with an error."""
        self._requests.pop(json.dumps(request.get("id")), None)
        error = {"code": INTERNAL_ERROR, "message": why}
        answer = {"jsonrpc": "2.0", "id": request.get("id"), "error": error}
        self._sessions.note_answer(request, answer)
        self._stdio.put((encode(answer) + "\n").encode())

    # Connections.

    def _new_link(self) -> AgentLink:
        if self._client is None:
            return WebSocketLink(self._address, self._headers, self._cookies)
        return HttpLink(self._address, self._headers, self._client)

    async def _open_first(self, initialize: Json) -> None:
        self._initialize = initialize
        self._link = self._new_link()
        self._requests[json.dumps(initialize.get("id"))] = initialize
        answer = await self._link.open(initialize)
        self._requests.pop(json.dumps(initialize.get("id")))
        self._sessions.note_initialize(answer)
        await self._write(answer)
        self._ready.set()

    async def _reconnect(self, why: str) -> None:
        """Reconnect, reopen every session, then answer the open requests."""
        self._ready.clear()
        sys.stderr.write(f"{why}. Connecting again.\n")
        for key in self._asked.elements():
            params: Json = {"requestId": json.loads(key)}
            await self._write({"jsonrpc": "2.0", "method": "$/cancel_request", "params": params})
        self._asked.clear()
        for request in [r for r in self._requests.values() if r.get("method") != "session/prompt"]:
            self._fail(request, f"The connection to {self._address.shown} was lost. Try again.")
        for delay in _DELAYS:
            await asyncio.sleep(delay)
            try:
                await self._open_again()
            except LinkLost as lost:
                why = str(lost)
                continue
            for request in list(self._requests.values()):
                self._fail(request, f"The connection to {self._address.shown} was lost.")
            self._ready.set()
            return
        raise LinkLost(f"The connection to {self._address.shown} is lost: {why}.")

    async def _open_again(self) -> None:
        if self._link is not None:
            await self._link.close()
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self._link = self._new_link()
        await self._link.open({**self._initialize, "id": f"{_OURS}{next(self._ids)}"})
        for session_id, session in self._sessions:
            session.held.clear()
            turn = session.turn
            if turn is None and self._sessions.can("resume"):
                await self._call("session/resume", session_id, session.params)
            elif self._sessions.can("load"):
                replayed = await self._call("session/load", session_id, session.params)
                await self._send_missed(session_id, session, replayed)
            elif self._sessions.can("resume"):
                await self._call("session/resume", session_id, session.params)
            else:
                raise Unreachable(
                    f"The connection to {self._address.shown} was lost, and the agent can't take "
                    "up a session again."
                )
            if turn is not None:
                self._fail(
                    self._requests.get(json.dumps(turn.request_id), {"id": turn.request_id}),
                    f"The connection to {self._address.shown} was lost during the turn, and is "
                    "back. What the agent sent until now is here. Send a message to go on.",
                )

    async def _fetch_missed_before(self, request: Json) -> None:
        """Fetch what broken streams have lost of a turn, before reporting its end."""
        session_id, session = self._sessions.of(request)
        link = self._link
        if request.get("method") != "session/prompt" or link is None or session is None:
            return
        if session_id not in link.gaps:
            return
        del link.gaps[session_id]
        held, session.held = session.held, []
        if self._sessions.can("load"):
            try:
                replayed = await self._call("session/load", session_id, session.params)
                held = [] if await self._send_missed(session_id, session, replayed) else held
            except Unreachable as error:
                sys.stderr.write(f"{error}\n")
        for message in held:
            await self._to_host(message)

    async def _send_missed(
        self, session_id: str, session: RemoteSession, replayed: list[Json]
    ) -> list[Json]:
        """Send the host what it has missed of the session's turn, and return that."""
        missed = [] if session.turn is None else list(session.turn.missed(replayed))
        for update in missed:
            params: Json = {"sessionId": session_id, "update": update}
            message: Json = {"jsonrpc": "2.0", "method": "session/update", "params": params}
            self._sessions.note_update(message)
            await self._write(message)
        return missed

    async def _call(self, method: str, session_id: str, params: Json) -> list[Json]:
        """Reopen a session; return the updates that the agent replays."""
        assert self._link is not None
        request_id = f"{_OURS}{next(self._ids)}"
        full: Json = {**params, "sessionId": session_id}
        with contextlib.suppress(Refused):
            await self._link.send(
                {"jsonrpc": "2.0", "id": request_id, "method": method, "params": full}
            )
        replayed: list[Json] = []
        answered = False
        loop = asyncio.get_running_loop()
        end = loop.time() + _LOAD_SECONDS
        while loop.time() < end:
            try:
                seconds = _QUIET_SECONDS if answered else end - loop.time()
                message = await self._receive(seconds)
            except TimeoutError:
                break
            updated, update = update_of(message)
            if message.get("id") == request_id and "method" not in message:
                if "error" in message:
                    raise Unreachable(
                        f"{self._address.shown} refused {method} after a lost connection."
                    )
                answered = True
            elif updated == session_id and update is not None:
                if replayed and is_prompt(update) and not is_prompt(replayed[-1]):
                    replayed.clear()  # the last turn is enough
                replayed.append(update)
            else:
                await self._to_host(message)
        if not answered:
            raise Unreachable(f"{self._address.shown} did not answer {method} in time.")
        return replayed
