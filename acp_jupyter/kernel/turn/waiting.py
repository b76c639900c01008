"""Waits for a turn in coroutines and threads: where requests are asked, and what interrupts do.

The main thread asks with `input`. In a program at a terminal other threads ask, too; their question
ends with the turn. In a notebook a coroutine asks in its loop's thread, as a cell does; elsewhere
in the waiting thread. In a notebook and in IPython a thread that the user started can't ask, as
the input might belong to another cell by then. In Voilà and in a marimo app a user can't type,
and clicks don't arrive while a cell runs, so requests of a waiting cell are refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Literal, Protocol

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.execution_context import (
    Frontend,
    current_shell,
    execution_context,
    kernel_of,
)
from acp_jupyter.notebook_tools.kernel_work import PrintedSoFar

Asks = Literal["asks", "leaves", "defers", "refuses"]
"""What a waiting thread does about a request of the agent.

It ``leaves`` it to somebody else, or ``defers`` to somebody else if there is one.
"""

_END_SECONDS = 1.0
_WAKE_SECONDS = 0.2
"""Longest sleep of a loop: ipykernel notices an interrupt when its loop wakes up."""


class _Turn(Protocol):
    """The part of `Turn` that is used here."""

    _frontend: Frontend

    @property
    def _asks_here(self) -> bool: ...

    def cancel(self) -> None: ...

    def _wait(
        self,
        timeout: float | None,
        watch: Callable[[TurnDetail], None] | None,
        asks: Asks | None = None,
    ) -> None: ...

    def _answer_requests(self) -> None: ...


def in_main_thread() -> bool:
    """Return whether this is the main thread."""
    return threading.current_thread() is threading.main_thread()


def thread_asks(frontend: Frontend) -> Asks:
    """Return what the calling thread does about requests."""
    cell = execution_context()
    if cell.frontend == "marimo" or (cell.frontend == "voila" and in_main_thread()):
        # Clicks don't arrive while a cell runs.
        return "asks" if cell.can_type else "refuses"
    return "asks" if in_main_thread() or frontend == "script" else "defers"


async def wait_in_loop(turn: _Turn, seconds: float | None = None) -> bool:
    """Wait for the end without blocking the loop; return whether the turn has ended.

    Cancelling the task stops the turn, and so does an interrupt.
    """
    try:
        with _interruptible():
            if turn._asks_here and turn._frontend in {"notebook", "voila", "marimo"}:
                return await _wait_in_cell(turn, seconds)
            return await _in_thread(turn, seconds, "asks")
    except asyncio.CancelledError as error:
        # IPython shows only this: a traceback inside this package doesn't help.
        error._render_traceback_ = lambda: ["CancelledError: The turn was stopped."]  # type: ignore[attr-defined]
        await asyncio.to_thread(turn.cancel)
        raise


async def _wait_in_cell(turn: _Turn, seconds: float | None) -> bool:
    loop = asyncio.get_running_loop()
    end = None if seconds is None else loop.time() + seconds
    asks = thread_asks(turn._frontend)
    while not await _in_thread(turn, _WAKE_SECONDS, "leaves" if asks == "asks" else asks):
        if asks == "asks":
            _ask(turn)
        if end is not None and loop.time() > end:
            return False
    return True


async def _in_thread(turn: _Turn, seconds: float | None, asks: Asks) -> bool:
    waiting = asyncio.ensure_future(asyncio.to_thread(_has_ended, turn, seconds, asks))
    try:
        while not waiting.done():
            await asyncio.wait({waiting}, timeout=_WAKE_SECONDS)
    except asyncio.CancelledError:
        await asyncio.to_thread(turn.cancel)
        # A question that is still open there would read the next typed line.
        await asyncio.wait({waiting}, timeout=_END_SECONDS)
        raise
    return await waiting


def _has_ended(turn: _Turn, seconds: float | None, asks: Asks) -> bool:
    try:
        turn._wait(seconds, None, asks)
    except TimeoutError:
        return False
    return True


def _ask(turn: _Turn) -> None:
    """Ask open requests while the loop is blocked; interrupting a question stops the turn."""
    in_kernel = kernel_of(current_shell()) is not None  # its handler doesn't interrupt `input`
    before = signal.signal(signal.SIGINT, signal.default_int_handler) if in_kernel else None
    try:
        turn._answer_requests()
    except KeyboardInterrupt:
        raise asyncio.CancelledError from None
    finally:
        if in_kernel:
            signal.signal(signal.SIGINT, before)


_interrupted: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[object]]] = []
"""The tasks that an interrupt cancels."""


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Make an interrupt cancel the running task, if it would end the whole loop instead.

    Needed in IPython at a terminal: `asyncio.run` and ipykernel have handlers of their own.
    """
    task = asyncio.current_task()
    handler = signal.getsignal(signal.SIGINT)
    ours = handler is signal.default_int_handler or handler is _cancel_tasks
    if task is None or not in_main_thread() or not ours:
        yield
        return
    waiting = (asyncio.get_running_loop(), task)
    _interrupted.append(waiting)
    signal.signal(signal.SIGINT, _cancel_tasks)
    try:
        yield
    finally:
        _interrupted.remove(waiting)
        if not _interrupted:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _cancel_tasks(_number: int, _frame: FrameType | None) -> None:
    for loop, task in _interrupted:
        loop.call_soon_threadsafe(task.cancel)


def follow_only(client: HostClient, turn_id: str, seconds: float) -> TurnDetail | None:
    """Return a turn at its end or after some time."""
    return client.turn(turn_id, seconds)


def follow_and_work(client: HostClient, turn_id: str, seconds: float) -> TurnDetail | None:
    """Return a turn as `follow_only` does, or do one piece of work on the main thread."""
    followed = client.follow(turn_id, seconds)
    if followed.work is None:
        return None if followed.detail is None else client.whole(followed.detail)
    from acp_jupyter.kernel.code_runner import do_work  # IPython's parts, when needed

    work_id = followed.work.work_id

    def tell(tail: str) -> None:
        client.print(PrintedSoFar(work_id=work_id, text=tail))

    finished = do_work(current_shell(), followed.work, tell)
    by_tool = client.finish(finished)
    ran = finished.ran
    if ran is not None and ran.status == "interrupted" and not by_tool:
        raise KeyboardInterrupt
    return None
