"""Runs a tool's code inside the cell that waits: time limit, interrupts, event loop, progress.

Code with ``await`` gets an event loop for itself: the kernel's own is held up by the waiting cell.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from asyncio.events import _get_running_loop, _set_running_loop
from asyncio.tasks import _enter_task, _leave_task
from collections.abc import Callable, Coroutine, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypeVar

from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.execution.executor import captured
from acp_jupyter.kernel.execution_context import tool_code
from acp_jupyter.notebook_tools.kernel_runner import RunResult
from acp_jupyter.notebook_tools.outputs import Outputs

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionResult, InteractiveShell


_AGAIN_SECONDS = 2.0
"""Code that catches one interrupt gets another."""
_MOST_INTERRUPTS = 5


def run_nested(
    shell: InteractiveShell, code: str, timeout_seconds: float, report_output: ReportOutput
) -> RunResult:
    """Run code as a cell would, but without a number and a place in the history.

    An interrupt ends the code; it does not leave here. Code with ``await`` has a loop of its own:
    the tasks that it leaves end with it.
    """
    outputs = Outputs()
    result: ExecutionResult | None = None
    interrupted = False
    alarm = _Alarm(timeout_seconds)
    loop = OwnLoop()
    try:
        with (
            OutputReporter(outputs, report_output),
            captured(shell, outputs),
            _awaits_by(shell, loop),
            tool_code(),
            alarm,
        ):
            result = shell.run_cell(code, store_history=False)  # type: ignore[no-untyped-call]
    except KeyboardInterrupt:
        interrupted = True  # it struck between the code's end and ours
    return RunResult(
        status=_status(result, interrupted=interrupted or loop.interrupted, late=alarm.rang),
        outputs=outputs.done(),
        truncated=outputs.truncated,
    )


def _status(
    result: ExecutionResult | None, *, interrupted: bool, late: bool
) -> Literal["ok", "error", "interrupted", "timeout"]:
    error = None if result is None else result.error_before_exec or result.error_in_exec
    if interrupted or isinstance(error, KeyboardInterrupt):
        return "timeout" if late else "interrupted"
    return "ok" if result is not None and error is None else "error"


@contextlib.contextmanager
def _awaits_by(shell: InteractiveShell, loop: OwnLoop) -> Iterator[None]:
    """Have it run what is awaited outside a function, unless the user has chosen another way."""
    earlier: Any = shell.loop_runner
    if str(earlier) == "asyncio":
        shell.loop_runner = loop
    try:
        yield
    finally:
        shell.loop_runner = earlier


class _Alarm:
    """Interrupts the main thread after some time, more than once if it must.

    Parameters
    ----------
    seconds
        Until then.
    """

    def __init__(self, seconds: float) -> None:
        self.rang = False
        self._seconds = seconds
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._watch, name="acp-tool-time", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._over.set()
        with self._lock:  # an interrupt on its way has come when this is free
            pass

    def _watch(self) -> None:
        wait = self._seconds
        for _ in range(_MOST_INTERRUPTS):
            if self._over.wait(wait):
                return
            with self._lock:
                if self._over.is_set():
                    return
                self.rang = True
                interrupt_main()
            wait = _AGAIN_SECONDS


def interrupt_main() -> None:
    """Interrupt what the main thread does; from any thread."""
    if os.name == "posix":
        # A signal of the process: it ends a system call that the main thread waits in.
        os.kill(os.getpid(), signal.SIGINT)
    else:
        import _thread

        _thread.interrupt_main()


_T = TypeVar("_T")
_END_SECONDS = 2.0
"""For tasks that the code leaves behind: they are cancelled."""
_MOST_CANCELS = 2
"""Code that goes on all the same is left where it stands."""


class OwnLoop:
    """A ``loop_runner`` of IPython: each coroutine gets an event loop for itself.

    The kernel's own loop can't run it: it is held up by the cell that waits.
    """

    def __init__(self) -> None:
        self.interrupted = False
        """Whether an interrupt cancelled the code while it awaited something."""

    def __call__(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine to its end."""
        with _set_aside():
            loop = asyncio.new_event_loop()
            try:
                task = loop.create_task(coroutine)
                with self._hearing(loop, task):
                    return loop.run_until_complete(task)
            finally:
                _end(loop)

    @contextlib.contextmanager
    def _hearing(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[_T]) -> Iterator[None]:
        """Let an interrupt end the code, but not strike the loop between two steps of it."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        cancels = 0

        def stop(_signal: int, _frame: object) -> None:
            nonlocal cancels
            if asyncio.current_task(loop) is not None or cancels == _MOST_CANCELS:
                raise KeyboardInterrupt
            cancels += 1
            self.interrupted = True
            loop.call_soon_threadsafe(task.cancel)  # it wakes the loop too

        earlier = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, earlier)


@contextlib.contextmanager
def _set_aside() -> Iterator[None]:
    """Make this thread one without a running loop, as asyncio wants it for another."""
    outer = _get_running_loop()
    if outer is None:
        yield
        return
    task = asyncio.current_task(outer)
    if task is not None:
        _leave_task(outer, task)
    _set_running_loop(None)
    try:
        yield
    finally:
        _set_running_loop(outer)
        if task is not None:
            _enter_task(outer, task)


def _end(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what is left; threads of its executor are not waited for."""
    try:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=_END_SECONDS))
        closing = asyncio.wait_for(loop.shutdown_asyncgens(), _END_SECONDS)
        with contextlib.suppress(TimeoutError):
            loop.run_until_complete(closing)
    finally:
        loop.close()


ReportOutput: TypeAlias = Callable[[str], None]
"""Takes the end of what was printed, in a thread of its own."""

_SECONDS = 1.0
_SHARE = 0.05
"""Of the time that has passed: what runs for hours is told of less often."""


class OutputReporter:
    """Looks from another thread: the main thread is busy with the code.

    Parameters
    ----------
    outputs
        Where the code prints.
    report_output
        Is given their end, where it is another than before.
    """

    def __init__(self, outputs: Outputs, report_output: ReportOutput) -> None:
        self._outputs = outputs
        self._report_output = report_output
        self._over = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._watch, name="acp-tool-printed", daemon=True).start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._over.set()  # what is on its way comes too late, which does no harm

    def _watch(self) -> None:
        told, begun = "", time.monotonic()
        while not self._over.wait(max(_SECONDS, (time.monotonic() - begun) * _SHARE)):
            tail = self._outputs.tail()
            if tail == told:
                continue
            try:
                self._report_output(tail)
            except (AcpError, RuntimeError):
                continue  # the host is busy, or about to end
            told = tail
