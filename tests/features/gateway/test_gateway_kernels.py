"""When the server is connected with an idle kernel of a gateway, and what it asks meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import pytest
import pytest_asyncio
from jupyter_server.gateway.gateway_client import GatewayClient
from jupyter_server.gateway.managers import GatewayMappingKernelManager
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application, RequestHandler
from tornado.websocket import WebSocketHandler

from acp_jupyter.api.kernel_auth import KERNEL_HEADER
from acp_jupyter.features.gateway import kernels as gateway_kernels
from acp_jupyter.features.gateway.connection import GatewayConnection
from acp_jupyter.features.gateway.kernel_requests import COMM_ID, RequestPart
from acp_jupyter.features.gateway.kernels import GatewayKernels
from tests.support.wait import PATIENCE_SECONDS

pytestmark = pytest.mark.asyncio
MODEL = {"id": "k", "last_activity": "2026-11-27T00:00:00.0Z", "execution_state": "idle"}


class Gateway:
    """Answers as a gateway of one kernel."""

    def __init__(self) -> None:
        self.pages = 0
        self.spoiled: Callable[[RequestHandler], None] | None = None
        self.asked = 0
        self.connected = 0
        self.channels: _Channels | None = None
        self.answered: list[str] = []
        """The requests that were answered."""
        self._changed = asyncio.Event()
        given = {"gateway": self}
        self.application = Application(
            [
                ("/api/kernels", _Kernels, given),
                ("/api/kernels/k", _Kernels, given),
                ("/api/kernels/k/channels", _Channels, given),
            ]
        )

    def changed(self) -> None:
        self._changed.set()

    def say(self, request_id: str, channel: str, comm_id: str) -> None:
        """Send a request of the kernel on one of its channels."""
        part = RequestPart(
            request_id=request_id,
            number=0,
            method="GET",
            path="/acp-jupyter/api/x",
            headers={KERNEL_HEADER: "k"},
            last=True,
        )
        content = {"comm_id": comm_id, "data": part.model_dump(mode="json")}
        message = {"msg_type": "comm_msg", "channel": channel, "content": content}
        assert self.channels is not None
        self.channels.write_message(json.dumps(message))

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not holds():
                self._changed.clear()
                await self._changed.wait()


class _Kernels(RequestHandler):
    def initialize(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def get(self) -> None:
        gateway = self._gateway
        gateway.asked += 1
        gateway.changed()
        if gateway.spoiled is not None:
            gateway.spoiled(self)
        else:
            self.write({**MODEL, "connections": gateway.pages + gateway.connected})

    def post(self) -> None:
        self.write({**MODEL, "connections": 0})


class _Channels(WebSocketHandler):
    def initialize(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def open(self, *_arguments: str) -> None:
        self._gateway.connected += 1
        self._gateway.channels = self
        self._gateway.changed()

    def on_message(self, message: str | bytes) -> None:
        self._gateway.answered.append(json.loads(message)["content"]["request_id"])
        self._gateway.changed()

    def on_close(self) -> None:
        self._gateway.connected -= 1
        self._gateway.changed()


@pytest_asyncio.fixture
async def gateway(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Gateway]:
    monkeypatch.setattr(gateway_kernels, "_IDLE_SECONDS", 0.05)
    monkeypatch.setattr(gateway_kernels, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(gateway_kernels, "_ASK_SECONDS", 0.1)
    monkeypatch.setattr(gateway_kernels, "_FIRST_WAIT_SECONDS", 0.01)
    behind = Gateway()
    socket, port = bind_unused_port()
    server = HTTPServer(behind.application)
    server.add_socket(socket)
    GatewayClient.clear_instance()
    GatewayClient.instance(url=f"http://127.0.0.1:{port}")
    kernels: Any = cast("Any", GatewayMappingKernelManager)()
    own = GatewayKernels(cast("Any", kernels), Application(), "/")
    own.begin()
    await kernels.start_kernel(env={})
    yield behind
    await own.stop()
    server.stop()
    await server.close_all_connections()
    GatewayClient.clear_instance()


async def test_an_idle_kernel_is_heard_while_somebody_is_connected(gateway: Gateway) -> None:
    await gateway.until(lambda: gateway.connected)
    await gateway.until(lambda: not gateway.connected)
    gateway.pages = 1
    await gateway.until(lambda: gateway.connected)
    asked = gateway.asked
    await gateway.until(lambda: gateway.asked >= asked + 2)
    assert gateway.connected


async def test_a_request_comes_by_its_own_comm_and_channel(gateway: Gateway) -> None:
    gateway.pages = 1  # so that the server stays connected
    await gateway.until(lambda: gateway.connected)
    gateway.say("request-0", "shell", COMM_ID)
    gateway.say("request-1", "iopub", "another")
    gateway.say("request-2", "iopub", COMM_ID)
    await gateway.until(lambda: "request-2" in gateway.answered)
    assert gateway.answered == ["request-2"]


async def test_a_connection_that_was_never_opened_can_be_closed() -> None:
    GatewayConnection("k").close()


@pytest.mark.parametrize("answer", ["<html>Sign in", "[5]", "404"])
async def test_a_spoiled_answer_is_passed_over(
    gateway: Gateway, answer: str, caplog: pytest.LogCaptureFixture
) -> None:
    def spoil(handler: RequestHandler) -> None:
        if answer == "404":
            handler.set_status(404)
        handler.write(answer)

    gateway.spoiled = spoil
    await gateway.until(lambda: gateway.connected)
    await gateway.until(lambda: gateway.asked >= 3)
    gateway.spoiled = None
    gateway.pages = 1
    await gateway.until(lambda: gateway.connected)
    assert "Kernel not found" not in caplog.text
