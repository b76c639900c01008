"""Calls of the host's thread, interrupted wherever an interrupt can strike."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

from acp_jupyter.errors import ServerUnreachable
from acp_jupyter.host.host_thread import HostThread
from tests.support.wait import PATIENCE_SECONDS


@pytest.fixture
def host() -> Iterator[HostThread]:
    host = HostThread()
    host.start()
    yield host
    host.stop()


async def answer() -> str:
    await asyncio.sleep(0)
    return "answered"


class Interrupting:
    """Raises KeyboardInterrupt before one of the instructions of this thread."""

    def __init__(self, place: int) -> None:
        self.left = place

    def __call__(self, frame: FrameType, event: str, _: Any) -> Interrupting:
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self


@pytest.mark.filterwarnings("ignore:coroutine 'answer' was never awaited")
def test_an_interrupt_leaves_the_host_working_wherever_it_strikes(host: HostThread) -> None:
    before, place = sys.gettrace(), 0
    while True:
        place += 1
        interrupting = Interrupting(place)
        try:
            sys.settrace(interrupting)
            host.call(answer(), 5)
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        assert host.call(answer(), 5) == "answered", place
        if interrupting.left > 0:
            break
    assert place > 50


def test_what_does_not_answer_is_given_up(host: HostThread) -> None:
    ended = asyncio.Event()

    async def never() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)  # a cleanup may have to wait, too
            ended.set()

    with pytest.raises(ServerUnreachable, match="did not answer within 0 s"):
        host.call(never(), 0)

    async def has_ended() -> bool:
        return await asyncio.wait_for(ended.wait(), PATIENCE_SECONDS)

    assert host.call(has_ended(), 10)


def test_an_error_of_the_work_is_the_callers(host: HostThread) -> None:
    async def fail() -> None:
        raise ValueError("odd")

    with pytest.raises(ValueError, match="odd"):
        host.call(fail(), 5)


def test_no_task_is_left_at_the_end(caplog: pytest.LogCaptureFixture) -> None:
    """Not even what a task starts when it is cancelled, or one that takes no cancellation."""
    host = HostThread()
    host.start()

    async def starts_another() -> None:
        try:
            await asyncio.sleep(600)
        finally:
            asyncio.get_running_loop().create_task(asyncio.sleep(600))

    async def is_stubborn() -> None:
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(600)

    for work in (starts_another(), is_stubborn()):
        host.submit(work)
    host.call(answer(), 5)
    host.stop()
    gc.collect()
    assert "destroyed" not in caplog.text
