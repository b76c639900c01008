"""Shares one agent between relays: routes messages by request and by session.

The host starts a relay for each folder, and another one where a session must be alone. The agent
has a single connection, as the SDK gives it one, so its conversations outlive each relay.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass
from typing import Any

from acp_jupyter.errors import BadRequest
from acp_jupyter.kernel.serving.agent_thread import LINE_BYTES, AgentThread

_AWAKE_SECONDS = 5.0
_CANCEL_REQUEST = "$/cancel_request"

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that the agent has not answered yet."""

    writer: asyncio.StreamWriter
    request_id: Any
    method: str
    session_id: str


class SharedAgent:
    """Passes messages between an agent and its relays, on the loop that called `begin`."""

    def __init__(self, thread: AgentThread, name: str) -> None:
        self._thread = thread
        self._name = name
        self._to_agent: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self._relays: set[asyncio.StreamWriter] = set()
        self._asked: dict[int, _Asked] = {}
        self._numbers = 0
        self._of_session: dict[str, asyncio.StreamWriter] = {}
        self._questions: dict[Any, asyncio.StreamWriter] = {}
        """The relay of each open request to the agent."""
        self._retired = False
        self.ended = asyncio.Event()

    async def begin(self) -> None:
        """Start the agent."""
        connected = asyncio.wrap_future(self._thread.start())
        if not (await asyncio.wait([connected], timeout=_AWAKE_SECONDS))[0]:
            raise BadRequest(f"{self._blocks()}.")
        await connected
        reader, self._to_agent = await asyncio.open_connection(
            sock=self._thread.connection, limit=LINE_BYTES
        )
        self._reading = asyncio.create_task(self._read_agent(reader))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a relay until it or the agent ends."""
        self._relays.add(writer)
        try:
            with contextlib.suppress(OSError, ValueError):  # it ended, or a line was too long
                while line := await reader.readline():
                    message = json.loads(line)
                    if isinstance(message, dict):
                        await self._from_relay(message, writer)
        finally:
            self._relays.discard(writer)
            await self._gone(writer)
            if self._retired and not self._relays:
                self._end()

    def retire(self) -> None:
        """Accept no new relay, and end when the last one ends."""
        self._retired = True
        if not self._relays:
            self._end()

    def _end(self) -> None:
        if self._to_agent is not None:
            self._to_agent.close()

    # -- from the host to the agent ----------------------------------------

    async def _from_relay(self, message: Message, writer: asyncio.StreamWriter) -> None:
        method, params = message.get("method"), _params(message)
        session_id = str(params.get("sessionId", ""))
        if "id" not in message or method is None:
            if method == _CANCEL_REQUEST:
                return  # the SDK does not know it, and would print an error
            if method is None:
                self._questions.pop(message.get("id"), None)
            await self._tell_agent(message)
            return
        own = await self._own_answer(method)
        if own is not None:
            await _send(writer, {"jsonrpc": "2.0", "id": message["id"], **own})
            return
        if session_id:
            self._of_session[session_id] = writer
        self._numbers += 1
        self._asked[self._numbers] = _Asked(writer, message["id"], method, session_id)
        await self._tell_agent({**message, "id": self._numbers})

    async def _own_answer(self, method: str) -> Message | None:
        """Return an answer for an agent that is blocked or lacks the method; else None."""
        if method == "initialize" and not await self._thread.answers_within(_AWAKE_SECONDS):
            return {"error": {"code": -32603, "message": self._blocks()}}
        result = self._thread.default_result(method)
        return None if result is None else {"result": result}

    def _blocks(self) -> str:
        return (
            f"{self._name} blocks its event loop: a method of it waits without await, as "
            "time.sleep does. Use await asyncio.sleep or await asyncio.to_thread there, and run "
            "the cell that serves it again"
        )

    async def _tell_agent(self, message: Message) -> None:
        if self._to_agent is not None:
            await _send(self._to_agent, message)

    async def _gone(self, writer: asyncio.StreamWriter) -> None:
        """Cancel the turns that an ended relay started, and refuse its open requests."""
        for number, asked in tuple(self._asked.items()):
            if asked.writer is writer:
                del self._asked[number]
                if asked.method == "session/prompt":
                    cancel = {"sessionId": asked.session_id}
                    await self._tell_agent(
                        {"jsonrpc": "2.0", "method": "session/cancel", "params": cancel}
                    )
        for session_id, owner in tuple(self._of_session.items()):
            if owner is writer:
                del self._of_session[session_id]
        for request_id, owner in tuple(self._questions.items()):
            if owner is writer:
                await self._refuse(request_id)

    # -- from the agent to the host ----------------------------------------

    async def _read_agent(self, reader: asyncio.StreamReader) -> None:
        try:
            with contextlib.suppress(OSError, ValueError):
                while line := await reader.readline():
                    await self._from_agent(line, json.loads(line))
        finally:
            for writer in tuple(self._relays):
                writer.close()
            self.ended.set()

    async def _from_agent(self, line: bytes, message: Message) -> None:
        if "method" not in message:
            await self._pass_answer(message)
            return
        params = _params(message)
        if message["method"] == _CANCEL_REQUEST:
            writer = self._questions.get(params.get("requestId"))
        else:
            writer = self._of_session.get(str(params.get("sessionId", "")))
            if writer is None and "sessionId" not in params:
                writer = next(iter(self._relays), None)
        if "id" in message:
            if writer is None:
                await self._refuse(message["id"])
                return
            self._questions[message["id"]] = writer
        if writer is not None:
            await _send(writer, line)

    async def _pass_answer(self, message: Message) -> None:
        asked = self._asked.pop(message.get("id", 0), None)
        if asked is None:
            return
        result = message.get("result")
        if isinstance(result, dict) and isinstance(result.get("sessionId"), str):
            self._of_session[result["sessionId"]] = asked.writer
        await _send(asked.writer, {**message, "id": asked.request_id})

    async def _refuse(self, request_id: Any) -> None:
        self._questions.pop(request_id, None)
        error = {"code": -32603, "message": "Nobody is connected who could answer this."}
        await self._tell_agent({"jsonrpc": "2.0", "id": request_id, "error": error})


def _params(message: Message) -> Message:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


async def _send(writer: asyncio.StreamWriter, message: Message | bytes) -> None:
    line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
    with contextlib.suppress(OSError):  # the reader notices the end
        writer.write(line)
        await writer.drain()
