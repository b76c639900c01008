"""When code that the server sends to a kernel counts as late."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from queue import Empty
from typing import Any, cast

import pytest

from acp_jupyter.notebook_tools.kernel_runner import KernelError, RunResult
from acp_jupyter.server.kernel import channel
from acp_jupyter.server.kernel.channel import KernelChannel
from tests.support.virtual_loop import in_virtual_time


class _Kernel:
    """Stands where a kernel's channels are.

    Parameters
    ----------
    begins
        After so many seconds it begins what it is sent.
    lasts
        So long that takes, unless it is interrupted.
    heeds
        Which interrupt it heeds, counted from one.
    """

    def __init__(self, begins: float, lasts: float, heeds: int = 1) -> None:
        self._begins = begins
        self._lasts = lasts
        self._heeds = heeds
        self._published: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._replies: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._interrupted = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    async def open(self) -> None:
        pass

    def close(self) -> None:
        if self._work is not None:
            self._work.cancel()

    async def send(self, channel: str, kind: str, content: Mapping[str, Any], mark: str) -> str:
        if channel == "control":
            self._publish("status", "pinged", execution_state="busy")
        else:
            self._work = asyncio.create_task(self._run())
        return "code"

    async def receive(self, channel: str, seconds: float) -> dict[str, Any]:
        queue = self._replies if channel == "shell" else self._published
        try:
            return await asyncio.wait_for(queue.get(), seconds)
        except TimeoutError:
            raise Empty from None

    async def interrupt_kernel(self) -> None:
        self._heeds -= 1
        if not self._heeds:
            self._interrupted.set()

    async def _run(self) -> None:
        await asyncio.sleep(self._begins)
        self._publish("status", "code", execution_state="busy")
        try:
            await asyncio.wait_for(self._interrupted.wait(), self._lasts)
            reply = {"status": "error", "ename": "KeyboardInterrupt"}
        except TimeoutError:
            reply = {"status": "ok"}
        self._publish("status", "code", execution_state="idle")
        self._replies.put_nowait({"parent_header": {"msg_id": "code"}, "content": reply})

    def _publish(self, kind: str, parent: str, **content: str) -> None:
        header = {"msg_id": parent}
        self._published.put_nowait({"msg_type": kind, "parent_header": header, "content": content})


async def _ran(monkeypatch: pytest.MonkeyPatch, kernel: _Kernel, seconds: float) -> RunResult:
    monkeypatch.setattr(channel, "_OwnChannels", lambda _manager: kernel)
    async with KernelChannel(cast("Any", kernel)) as sending:
        return await sending.run(
            "1", seconds=seconds, store_history=False, on_printed=lambda _tail: None
        )


@pytest.mark.parametrize(("lasts", "status"), [(0.9, "ok"), (1.1, "timeout")])
@in_virtual_time
async def test_its_time_counts_from_when_it_begins(
    monkeypatch: pytest.MonkeyPatch, lasts: float, status: str
) -> None:
    assert (await _ran(monkeypatch, _Kernel(3.0, lasts), 1.0)).status == status


@in_virtual_time
async def test_code_that_does_not_begin_is_behind_other_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(KernelError, match="started other code first"):
        await _ran(monkeypatch, _Kernel(60.0, 0.1), 1.0)


@in_virtual_time
async def test_code_that_stops_at_the_last_interrupt_is_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert (await _ran(monkeypatch, _Kernel(0.0, 60.0, heeds=4), 1.0)).status == "timeout"


@in_virtual_time
async def test_code_that_heeds_no_interrupt_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KernelError, match="does not stop when it is interrupted"):
        await _ran(monkeypatch, _Kernel(0.0, 60.0, heeds=5), 1.0)
