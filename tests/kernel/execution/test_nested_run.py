"""Code with ``await`` that runs inside a loop which is held up."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest

from acp_jupyter.kernel import nested_run
from acp_jupyter.kernel.nested_run import OwnLoop

_T = TypeVar("_T")


def held_up(work: Callable[[], _T]) -> _T:
    """Call something in a task of a running loop, as a cell is called."""

    async def cell() -> _T:
        outer = asyncio.current_task()
        try:
            return work()
        finally:
            assert asyncio.current_task() is outer
            await asyncio.sleep(0)  # the outer loop goes on

    return asyncio.run(cell())


def interrupted(code: Callable[[threading.Event], Coroutine[Any, Any, Any]], times: int) -> OwnLoop:
    """Run code that is interrupted so often, each time when it has set the event."""
    loop, begun = OwnLoop(), threading.Event()

    def interrupt() -> None:
        begun.wait()
        for _ in range(times):
            begun.clear()
            noticed = False
            while not noticed:  # one that comes just before a system call is not
                os.kill(os.getpid(), signal.SIGINT)
                noticed = begun.wait(5)

    def run() -> None:
        with pytest.raises((KeyboardInterrupt, asyncio.CancelledError)):
            loop(code(begun))
        begun.set()

    handler = signal.getsignal(signal.SIGINT)
    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    held_up(run)
    interrupting.join()
    assert signal.getsignal(signal.SIGINT) is handler
    return loop


async def wait_for_ever(waits: threading.Event) -> None:
    """Set the event once nothing else is to be done."""
    asyncio.get_running_loop().call_soon(waits.set)
    await asyncio.Event().wait()


def test_it_runs_inside_a_loop_that_is_held_up() -> None:
    async def code() -> list[str]:
        await asyncio.sleep(0)
        by_thread = await asyncio.to_thread(lambda: "thread")
        return [by_thread, *await asyncio.gather(*(asyncio.sleep(0, name) for name in "ab"))]

    assert held_up(lambda: OwnLoop()(code())) == ["thread", "a", "b"]
    assert OwnLoop()(code()) == ["thread", "a", "b"], "and where there is none"


def test_what_it_leaves_behind_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested_run, "_END_SECONDS", 0.1)
    ended: list[str] = []

    async def left() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("task")

    async def deaf() -> None:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                ended.append("deaf")

    async def code() -> str:
        tasks.extend((asyncio.create_task(left()), asyncio.create_task(deaf())))
        await asyncio.sleep(0)
        return "done"

    tasks: list[asyncio.Task[None]] = []
    assert held_up(lambda: OwnLoop()(code())) == "done"
    assert sorted(ended)[:2] == ["deaf", "task"]


def test_an_interrupt_ends_what_awaits() -> None:
    assert interrupted(wait_for_ever, 1).interrupted


def test_an_interrupt_ends_what_computes() -> None:
    async def busy(computes: threading.Event) -> None:
        await asyncio.sleep(0)
        computes.set()
        compute(600)

    compute = time.sleep
    assert not interrupted(busy, 1).interrupted, "it was raised in the code itself"


def test_what_will_not_be_cancelled_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested_run, "_END_SECONDS", 0.1)

    async def deaf(waits: threading.Event) -> None:
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await wait_for_ever(waits)

    interrupted(deaf, 3)
