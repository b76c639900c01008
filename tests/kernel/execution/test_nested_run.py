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


def interrupted(coroutine: Coroutine[Any, Any, _T], *after: float) -> tuple[OwnLoop, float]:
    """Run something that is interrupted after these times; tell how long it took."""
    loop = OwnLoop()
    timers = [threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)) for seconds in after]

    took: list[float] = []

    def run() -> None:
        begun = time.monotonic()
        for timer in timers:
            timer.start()
        with pytest.raises((KeyboardInterrupt, asyncio.CancelledError)):
            loop(coroutine)
        took.append(time.monotonic() - begun)

    handler = signal.getsignal(signal.SIGINT)
    # The last interrupt may come when the loop has ended.
    with contextlib.suppress(KeyboardInterrupt):
        held_up(run)
    with contextlib.suppress(KeyboardInterrupt):
        for timer in timers:
            timer.cancel()
            timer.join()
    assert signal.getsignal(signal.SIGINT) is handler
    return loop, took[0]


def test_it_runs_inside_a_loop_that_is_held_up() -> None:
    async def code() -> list[str]:
        await asyncio.sleep(0)
        by_thread = await asyncio.to_thread(lambda: "thread")
        return [by_thread, *await asyncio.gather(*(asyncio.sleep(0, name) for name in "ab"))]

    assert held_up(lambda: OwnLoop()(code())) == ["thread", "a", "b"]
    assert OwnLoop()(code()) == ["thread", "a", "b"], "and where there is none"


def test_what_it_leaves_behind_is_cancelled() -> None:
    ended: list[str] = []

    async def left() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("task")

    async def deaf() -> None:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                ended.append("deaf")

    async def code() -> str:
        tasks.extend((asyncio.create_task(left()), asyncio.create_task(deaf())))
        await asyncio.sleep(0)
        return "done"

    tasks: list[asyncio.Task[None]] = []
    begun = time.monotonic()
    assert held_up(lambda: OwnLoop()(code())) == "done"
    assert sorted(ended)[:2] == ["deaf", "task"]
    assert time.monotonic() - begun < 10


def test_an_interrupt_ends_what_awaits() -> None:
    loop, took = interrupted(asyncio.sleep(60), 0.1)
    assert loop.interrupted
    assert took < 10


def test_an_interrupt_ends_what_computes() -> None:
    async def busy() -> None:
        await asyncio.sleep(0)
        compute(60)

    compute = time.sleep
    loop, took = interrupted(busy(), 0.1)
    assert not loop.interrupted, "it was raised in the code itself"
    assert took < 10


def test_what_will_not_be_cancelled_is_left() -> None:
    async def deaf() -> None:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                continue

    _, took = interrupted(deaf(), 0.1, 0.2, 0.3)
    assert took < 20
