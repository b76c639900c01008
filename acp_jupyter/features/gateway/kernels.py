"""The kernels of a gateway: a key for each launch, and a connection for the kernel's requests."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from jupyter_server.gateway.gateway_client import gateway_request
from tornado.escape import json_decode

from acp_jupyter.features.gateway.connection import (
    UNREACHABLE,
    UNREADABLE,
    GatewayChannels,
    GatewayConnection,
    message_of,
)
from acp_jupyter.features.gateway.kernel_requests import (
    ANSWER_TYPE,
    BASE_VARIABLE,
    COMM_ID,
    KEY_VARIABLE,
    AnswerPart,
)
from acp_jupyter.features.gateway.relay import Relay
from acp_jupyter.notebook_tools.kernel_runner import KernelError

if TYPE_CHECKING:
    from jupyter_server.services.kernels.kernelmanager import MappingKernelManager
    from tornado.web import Application

_logger = logging.getLogger(__name__)
_IDLE_SECONDS = 300.0
"""How long a connection is kept without a request and without a page.

The gateway does not cull a kernel as idle that somebody is connected to.
"""
_LOOK_SECONDS = 5.0
_ASK_SECONDS = 60.0
"""Interval of requests to the gateway for the clients of an idle kernel."""
_FIRST_WAIT_SECONDS = 0.5
_MAX_WAIT_SECONDS = 30.0


class _Key(str):
    """A key without a readable repr, as jupyter_server logs a kernel's start arguments."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'…'"


class GatewayKernels:
    """`RemoteKernels`: makes a key for each kernel that is started, and receives its requests."""

    def __init__(
        self, kernels: MappingKernelManager, application: Application, base_url: str
    ) -> None:
        self._kernels: Any = kernels
        self._application = application
        self._base_url = base_url
        self._keys: dict[str, bytes] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._connections: dict[str, GatewayConnection] = {}
        self._stopping: set[str] = set()
        self._restarts: Counter[str] = Counter()
        """How often each kernel was restarted."""

    def begin(self) -> None:
        """Give a key to each kernel that is started from now on."""
        start: Any = self._kernels.start_kernel

        async def start_kernel(**options: Any) -> str:
            key = _Key(secrets.token_hex(32))
            own = {KEY_VARIABLE: key, BASE_VARIABLE: self._base_url}
            options["env"] = {**(options.get("env") or {}), **own}
            kernel_id: str = await start(**options)
            # A kernel that already runs keeps the key of its launch.
            if options.get("kernel_id") is None:
                self._keys[kernel_id] = key.encode()
                listening = self._listen(kernel_id)
                self._tasks[kernel_id] = asyncio.create_task(listening, name="acp-gateway-kernel")
            return kernel_id

        self._kernels.start_kernel = start_kernel
        for name in ("shutdown_kernel", "restart_kernel"):
            setattr(self._kernels, name, self._noting(getattr(self._kernels, name)))

    def _noting(self, stop: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def stop_kernel(kernel_id: str, *arguments: Any, **options: Any) -> None:
            self._stopping.add(kernel_id)
            try:
                await stop(kernel_id, *arguments, **options)
            finally:
                self._stopping.discard(kernel_id)
                if kernel_id in self._kernels:
                    self._restarts[kernel_id] += 1

        return stop_kernel

    def key(self, kernel_id: str) -> bytes:
        """Return the key of a kernel's launch; empty if this server did not start it."""
        return self._keys.get(kernel_id, b"")

    def is_stopping(self, kernel_id: str) -> bool:
        """Return whether a kernel is being shut down or restarted."""
        return kernel_id in self._stopping

    def process(self, kernel_id: str) -> object:
        """Return a value that changes with each restart, as a gateway names no processes."""
        return self._restarts[kernel_id]

    async def is_alive(self, kernel_id: str) -> bool:
        """Ask the gateway whether a kernel runs."""
        try:
            alive: bool = await self._kernels.get_kernel(kernel_id).is_alive()
        except UNREADABLE:
            raise KernelError("no_kernel", UNREACHABLE) from None
        return alive

    def channels(self, kernel_id: str) -> GatewayChannels:
        """Return a kernel's channels, over a connection of their own."""
        return GatewayChannels(kernel_id)

    async def others(self, kernel_id: str) -> int:
        """Return how many clients other than this server are connected to a kernel."""
        if kernel_id not in self._kernels:
            return 0
        try:
            manager = self._kernels.get_kernel(kernel_id)
            # Without a model, jupyter_server requests one, and warns about each missing kernel.
            answer = await gateway_request(manager.kernel_url, method="GET")
            model = await manager.refresh_model(json_decode(answer.body))
            connections = int((model or {}).get("connections", 0))
        except UNREADABLE:
            return 0
        return max(0, connections - (kernel_id in self._connections))

    async def stop(self) -> None:
        """Close all connections."""
        tasks = tuple(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen(self, kernel_id: str) -> None:
        """Receive a kernel's requests for as long as the server has the kernel."""
        relay = Relay(
            self._application, self._base_url, kernel_id, lambda part: self._send(kernel_id, part)
        )
        wait = _FIRST_WAIT_SECONDS
        try:
            while kernel_id in self._kernels:
                if relay.idle_seconds > _IDLE_SECONDS and not await self._is_used(kernel_id):
                    break
                try:
                    await self._receive(kernel_id, relay)
                    wait = _FIRST_WAIT_SECONDS
                except KernelError as error:
                    _logger.info("kernel %s: %s", kernel_id, error.message)
                    wait = min(2 * wait, _MAX_WAIT_SECONDS)
                except Exception:
                    _logger.exception("kernel %s: the connection failed; trying again", kernel_id)
                    wait = _MAX_WAIT_SECONDS
                await asyncio.sleep(wait)
        finally:
            relay.stop()
            del self._tasks[kernel_id]
            self._keys.pop(kernel_id, None)
            self._restarts.pop(kernel_id, None)

    async def _is_used(self, kernel_id: str) -> bool:
        """Wait until a client connects to an idle kernel; False when the kernel is gone.

        Open pages make the server list its kernels every few seconds; that list shows connections
        without another request.
        """
        asked, known = 0.0, None
        while kernel_id in self._kernels:
            manager = self._kernels.get_kernel(kernel_id)
            listed = manager.kernel is not known and (manager.kernel or {}).get("connections")
            if listed or not asked or time.monotonic() - asked > _ASK_SECONDS:
                asked = time.monotonic()
                if await self.others(kernel_id):
                    return True
                known = manager.kernel
            await asyncio.sleep(_LOOK_SECONDS)
        return False

    async def _send(self, kernel_id: str, part: AnswerPart) -> None:
        connection = self._connections.get(kernel_id)
        if connection is not None:
            message = connection.message(ANSWER_TYPE, part.model_dump(mode="json"))
            with contextlib.suppress(KernelError):  # the kernel asks again
                await connection.send("control", message)

    async def _receive(self, kernel_id: str, relay: Relay) -> None:
        """Receive the kernel's requests until the connection ends or no client uses it."""
        connection = GatewayConnection(kernel_id)
        await connection.open()
        self._connections[kernel_id] = connection
        reading = asyncio.ensure_future(connection.read())
        asked = time.monotonic()
        try:
            while kernel_id in self._kernels:
                await asyncio.wait({reading}, timeout=_LOOK_SECONDS)
                if reading.done():
                    text = reading.result()
                    if text is None:
                        return
                    if COMM_ID in text:
                        self._take(relay, text)
                    reading = asyncio.ensure_future(connection.read())
                    continue
                if relay.idle_seconds > _IDLE_SECONDS and time.monotonic() > asked + _ASK_SECONDS:
                    asked = time.monotonic()
                    if not await self.others(kernel_id):
                        return
        finally:
            reading.cancel()
            del self._connections[kernel_id]
            connection.close()

    @staticmethod
    def _take(relay: Relay, text: str) -> None:
        """Pass a message to the relay if it is a request."""
        message = message_of(text)
        content = message.get("content", {})
        ours = message.get("msg_type") == "comm_msg" and content.get("comm_id") == COMM_ID
        if ours and message.get("channel") == "iopub":
            relay.receive(content.get("data"))
