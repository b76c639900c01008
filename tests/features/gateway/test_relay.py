"""Requests that come by a kernel's channels: bounded, done once, and none left behind."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from tornado.web import Application, RequestHandler

from acp_jupyter.api import kernel_auth
from acp_jupyter.features.gateway import relay as relaying
from acp_jupyter.features.gateway.kernel_requests import COMM_ID, PART_BYTES, AnswerPart
from acp_jupyter.features.gateway.kernels import GatewayKernels
from acp_jupyter.features.gateway.relay import Relay
from tests.support.wait import PATIENCE_SECONDS

pytestmark = pytest.mark.asyncio


class _Slow(RequestHandler):
    """Gives a write up that nobody reads in time."""

    def initialize(self, gave_up: asyncio.Event) -> None:
        self._gave_up = gave_up

    async def get(self) -> None:
        for _ in range(2):
            self.write(b"a" * PART_BYTES)
        await self.flush()  # by now the first part is sent
        self.write(b"b")
        with suppress(TimeoutError):
            await asyncio.wait_for(self.flush(), 0.01)
        self._gave_up.set()


class _Length(RequestHandler):
    async def post(self) -> None:
        self.write(str(len(self.request.body)))


class _Kernel:
    """Sends to a relay as a kernel does, and keeps what comes."""

    def __init__(self) -> None:
        self.gave_up = asyncio.Event()
        slow: Any = ("/acp-jupyter/api/slow", _Slow, {"gave_up": self.gave_up})
        self.came: list[AnswerPart] = []
        self.more = asyncio.Event()
        self.relay = Relay(
            Application([slow, ("/acp-jupyter/api/length", _Length)]), "/", "k", self._keep
        )

    async def _keep(self, part: AnswerPart) -> None:
        self.came.append(part)
        self.more.set()

    def ask(self, request_id: str, number: int = 0, **fields: Any) -> None:
        """Send a part of a request."""
        head = {"method": "GET", "path": "/acp-jupyter/api/slow", "last": True}
        headers = {kernel_auth.KERNEL_HEADER: "k"}
        body = base64.b64encode(fields.pop("body", b"")).decode()
        part = {"kind": "request", "request_id": request_id, "number": number, "body": body}
        self.relay.receive({**head, "headers": headers, **part, **fields})

    def tell(self, kind: str, request_id: str, **fields: Any) -> None:
        self.relay.receive({"kind": kind, "request_id": request_id, **fields})

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not holds():
                self.more.clear()
                await self.more.wait()


async def test_a_write_that_was_given_up_leaves_no_request_behind() -> None:
    kernel = _Kernel()
    for number in range(relaying._MAX_REQUESTS + 1):
        request_id = f"request-{number}"
        kernel.came.clear()
        kernel.gave_up.clear()
        kernel.ask(request_id)
        await asyncio.wait_for(kernel.gave_up.wait(), PATIENCE_SECONDS)
        kernel.tell("next", request_id, number=1)
        await kernel.until(lambda: len(kernel.came) == 2)
        kernel.tell("stop", request_id)
        await asyncio.sleep(0)
    assert [(part.status, part.number) for part in kernel.came] == [(200, 0), (200, 1)]


async def test_a_long_request_of_which_a_part_was_lost_is_done_once() -> None:
    kernel = _Kernel()
    lost = 1
    for sent in range(3):
        for number in range(3):
            if sent or number != lost:
                head = {"method": "POST", "path": "/acp-jupyter/api/length"}
                kernel.ask("request-0", number, body=b"ab", last=number == 2, **head)
    await kernel.until(lambda: kernel.came)
    assert [(part.status, part.body) for part in kernel.came] == [(200, b"6")]


async def test_a_request_that_is_too_long_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaying, "REQUEST_BYTES", 1024**2)
    kernel = _Kernel()
    for number in range(3):
        kernel.ask("request-0", number, body=b"a" * 600_000, last=number == 2)
    await kernel.until(lambda: kernel.came)
    (refusal,) = kernel.came
    assert refusal.status == 413
    assert json.loads(refusal.body) == {"message": "What this kernel sent is longer than 1 MiB."}


async def test_more_requests_at_once_than_are_taken_are_answered() -> None:
    kernel = _Kernel()
    for number in range(relaying._MAX_REQUESTS + 1):
        kernel.ask(f"request-{number}", last=False)
    await kernel.until(lambda: kernel.came)
    (refusal,) = kernel.came
    assert (refusal.request_id, refusal.status) == ("request-64", 503)
    kernel.tell("stop", "request-0")
    await asyncio.sleep(0)
    kernel.ask("request-64", path="/acp-jupyter/api/length")
    await kernel.until(lambda: len(kernel.came) == 2)
    assert kernel.came[1].status == 405
    kernel.relay.stop()


@pytest.mark.parametrize(
    "text", ["<html>", "[" * 100_000, "[]", "{}", '{"content": ["acp-jupyter"]}']
)
async def test_a_message_that_is_none_of_jupyters_is_left_alone(text: str) -> None:
    kernel = _Kernel()
    GatewayKernels._take(kernel.relay, text)
    data = {"kind": "request", "request_id": 5}
    content = {"comm_id": COMM_ID, "data": data}
    message = {"msg_type": "comm_msg", "channel": "iopub", "content": content}
    GatewayKernels._take(kernel.relay, json.dumps(message))
    assert not kernel.came
