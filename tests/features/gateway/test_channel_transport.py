"""Requests of a kernel behind a gateway, by its own channels."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from acp_jupyter.features.gateway import channel_transport
from acp_jupyter.features.gateway.channel_transport import ChannelTransport
from acp_jupyter.features.gateway.kernel_requests import ANSWER_TYPE, AnswerPart

Json = dict[str, Any]
PARTS = (b"one ", b"two ", b"three")


class Gateway:
    """Answers each message of the kernel at once, and each of its answers comes twice."""

    def __init__(self) -> None:
        self.control_handlers: dict[str, Callable[..., None]] = {}
        self.iopub_socket = None
        self.session = SimpleNamespace(send=self.take)
        self.sent: list[Json] = []

    def get_parent(self, _channel: str) -> Json:
        return {}

    def take(self, _socket: object, kind: str, content: Json, **_more: object) -> None:
        if kind != "comm_msg":
            return
        data = content["data"]
        self.sent.append(data)
        if data["kind"] == "stop" or not data.get("last", True):
            return
        number = data["number"] if data["kind"] == "next" else 0
        part = AnswerPart(
            request_id=data["request_id"],
            number=number,
            status=200,
            body=base64.b64encode(PARTS[number]),
            last=number == len(PARTS) - 1,
        )
        for _ in range(2):
            asyncio.run(self.answer(part.model_dump(mode="json")))

    async def answer(self, content: Json) -> None:
        self.control_handlers[ANSWER_TYPE](None, None, {"content": content})


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Gateway:
    gateway = Gateway()
    shell = SimpleNamespace(events=SimpleNamespace(register=lambda _name, _function: None))
    monkeypatch.setattr(channel_transport, "current_shell", lambda: shell)
    monkeypatch.setattr(channel_transport, "kernel_of", lambda _shell: gateway)
    return gateway


def test_an_answer_comes_part_by_part_and_each_counts_once(gateway: Gateway) -> None:
    transport = ChannelTransport("/base/")
    with transport.answer("GET", "/base/x", b"", {}, 20.0) as answer:
        assert answer.status == 200
        assert answer.read() == b"".join(PARTS)
        assert answer.whole
    assert [data["kind"] for data in gateway.sent] == ["request", "next", "next", "stop"]
