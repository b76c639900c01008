"""Serving an `acp.Agent` on this process's stdin and stdout.

What is written there without the SDK are whole lines, between those of the SDK.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeAlias, cast

import acp
from acp.connection import StreamDirection, StreamEvent
from acp.stdio import stdio_streams
from pydantic import BaseModel

Json: TypeAlias = dict[str, object]

INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

_MAX_LINE_BYTES = 64 * 1024 * 1024


def encode(message: object) -> str:
    """Return JSON in ASCII: a lone surrogate from a prompt must not break the encoding."""
    return json.dumps(message, separators=(",", ":"))


def plain(model: BaseModel) -> Json:
    """Return what a model says as JSON."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class Out:
    """The stdout of this process."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def put(self, lines: bytes) -> None:
        """Write whole lines, behind what was sent before."""
        self._writer.write(lines)

    def notify(self, method: str, params: Json) -> None:
        """Send a notification that the SDK has no model for."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.put(encode(message).encode() + b"\n")

    async def drain(self) -> None:
        """Wait until all is written. A client that has gone reads nothing."""
        with contextlib.suppress(ConnectionError):
            await self._writer.drain()


class BundledAgent(acp.Agent, Protocol):
    """An agent that comes with acp-jupyter."""

    def answered(self, result: Json) -> None:
        """Take notice of the answer to a request, which has been sent."""

    async def end(self) -> None:
        """End what is left; the client has gone."""


async def open_stdio() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return stdin and stdout; what is drained there is written."""
    reader, writer = await stdio_streams(limit=_MAX_LINE_BYTES)
    writer.transport.set_write_buffer_limits(0)
    return reader, writer


async def serve(make: Callable[[Out], BundledAgent]) -> None:
    """Serve an agent until stdin ends or SIGTERM comes."""
    serving = asyncio.current_task()
    assert serving is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    reader, writer = await open_stdio()
    agent = make(Out(writer))

    def observe(event: StreamEvent) -> None:
        result = event.message.get("result")
        if event.direction is StreamDirection.OUTGOING and isinstance(result, dict):
            agent.answered(result)

    try:
        # Before 0.12 the SDK raises at the end what handlers raised.
        with contextlib.suppress(asyncio.CancelledError, acp.RequestError):
            await acp.run_agent(
                cast(acp.Agent, _OwnMethods(agent)),
                writer,
                reader,
                use_unstable_protocol=True,
                observers=[observe],
            )
    finally:
        await agent.end()


class _OwnMethods:
    """What an agent has itself: what it inherits from `acp.Agent` would answer with nothing."""

    def __init__(self, agent: BundledAgent) -> None:
        self._agent = agent

    def __getattr__(self, name: str) -> Any:
        if name in vars(type(self._agent)):
            return getattr(self._agent, name)
        raise AttributeError(name)


class Background:
    """Requests to the client whose answers nobody waits for."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, request: Coroutine[Any, Any, object]) -> None:
        """Make a request; an error in its answer is nobody's."""

        async def make() -> None:
            with contextlib.suppress(acp.RequestError, ConnectionError, ValueError):
                await request

        task = asyncio.get_running_loop().create_task(make())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
