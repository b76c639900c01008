"""Runs a tool's code inside a waiting cell: time limit, interrupts, event loop, captured outputs.

Code with ``await`` gets an event loop of its own: the waiting cell blocks the kernel's loop.
Streams, displays, results and errors are captured, and do not show in the cell.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
import time
from asyncio.events import _get_running_loop, _set_running_loop
from asyncio.tasks import _enter_task, _leave_task
from collections.abc import Callable, Coroutine, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypeVar

from IPython.core.displaypub import DisplayPublisher

from acp_jupyter.errors import AcpError
from acp_jupyter.kernel.execution_context import kernel_of, tool_code
from acp_jupyter.notebook_tools.kernel_runner import RunResult
from acp_jupyter.notebook_tools.outputs import Outputs, Stream

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionResult, InteractiveShell


_AGAIN_SECONDS = 2.0
"""Interval of interrupts, for code that catches one."""
_MAX_INTERRUPTS = 5


def run_nested(
    shell: InteractiveShell, code: str, timeout_seconds: float, report_output: ReportOutput
) -> RunResult:
    """Run code as a cell would, but without an execution count and history entry.

    An interrupt ends the code and is not passed on. Code with ``await`` gets its own event loop,
    whose remaining tasks are cancelled at the end.
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
        ):
            try:
                alarm.start()
                result = shell.run_cell(code, store_history=False)  # type: ignore[no-untyped-call]
            finally:
                alarm.stop()
    except KeyboardInterrupt:
        alarm.stop()  # an interrupt that came just before has kept it from that
        interrupted = True
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
    """Run top-level ``await`` on ``loop``, unless the user chose another runner."""
    earlier: Any = shell.loop_runner
    if str(earlier) == "asyncio":
        shell.loop_runner = loop
    try:
        yield
    finally:
        shell.loop_runner = earlier


class _Alarm:
    """Interrupts the main thread after some time, repeatedly if needed."""

    def __init__(self, seconds: float) -> None:
        self.rang = False
        self._seconds = seconds
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._watch, name="acp-tool-time", daemon=True)

    def start(self) -> None:
        """Count the time from now. The first interrupt may come before this returns."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the timer; may be called twice."""
        self._over.set()
        with self._lock:  # when this is free, a running interrupt has arrived
            pass

    def _watch(self) -> None:
        wait = self._seconds
        for _ in range(_MAX_INTERRUPTS):
            if self._over.wait(wait):
                return
            with self._lock:
                if self._over.is_set():
                    return
                self.rang = True
                interrupt_main()
            wait = _AGAIN_SECONDS


def interrupt_main() -> None:
    """Interrupt the main thread; called from any thread."""
    if os.name == "posix":
        # A signal to the process ends a blocking system call of the main thread.
        os.kill(os.getpid(), signal.SIGINT)
    else:
        import _thread

        _thread.interrupt_main()


_T = TypeVar("_T")
_END_SECONDS = 2.0
"""Time for cancelled tasks of the code to end."""
_MAX_CANCELS = 2
"""Cancels of code that keeps running; then it is abandoned."""


class OwnLoop:
    """A ``loop_runner`` of IPython that gives each coroutine an event loop of its own.

    The kernel's own loop can't run it: the waiting cell blocks that.
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
                with self._interruptible_task(loop, task):
                    return loop.run_until_complete(task)
            finally:
                _end(loop)

    @contextlib.contextmanager
    def _interruptible_task(
        self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[_T]
    ) -> Iterator[None]:
        """Turn an interrupt into a cancel of the task, so that it does not hit the loop itself."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        cancels = 0

        def stop(_signal: int, _frame: object) -> None:
            nonlocal cancels
            if asyncio.current_task(loop) is not None or cancels == _MAX_CANCELS:
                raise KeyboardInterrupt
            cancels += 1
            self.interrupted = True
            loop.call_soon_threadsafe(task.cancel)  # wakes the loop, too

        earlier = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, earlier)


@contextlib.contextmanager
def _set_aside() -> Iterator[None]:
    """Hide the thread's running loop: asyncio allows only one."""
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
    """Cancel remaining tasks; threads of the loop's executor are not waited for."""
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
"""Called with the end of the printed output, in a thread of its own."""

_SECONDS = 1.0
_SHARE = 0.05
"""Interval of reports as a share of the running time."""


class OutputReporter:
    """Reports printed output from another thread, while the main thread runs the code."""

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
        self._over.set()  # a report that is under way comes late, which does no harm

    def _watch(self) -> None:
        reported, begun = "", time.monotonic()
        while not self._over.wait(max(_SECONDS, (time.monotonic() - begun) * _SHARE)):
            tail = self._outputs.tail()
            if tail == reported:
                continue
            try:
                self._report_output(tail)
            except (AcpError, RuntimeError):
                continue  # the host is busy or shutting down
            reported = tail


_LAST_ERROR = ("last_type", "last_value", "last_traceback", "last_exc")


@contextlib.contextmanager
def captured(shell: InteractiveShell, outputs: Outputs) -> Iterator[None]:
    """Send streams, displays, results and errors to ``outputs``.

    The code can't ask for input and can't exit the kernel.

    The kernel keeps the last error of the user's own code, for ``%debug`` and ``%acp fix``.
    """
    show = _error_taker(outputs)
    hook = _ResultTaker(shell, outputs)
    with contextlib.ExitStack() as stack:
        put = stack.enter_context(_Replaced())
        put(sys, "stdout", Stream("stdout", outputs))
        put(sys, "stderr", Stream("stderr", outputs))
        put(sys, "displayhook", hook)
        put(shell.display_trap, "hook", hook)
        put(shell, "display_pub", _Publisher(outputs, shell=shell))
        for name, method in (("_showtraceback", show), ("ask_exit", _stay)):
            stack.callback(vars(shell).pop, name, None)
            vars(shell)[name] = method
        if (kernel := kernel_of(shell)) is not None:
            put(kernel, "_allow_stdin", False)
        for name in _LAST_ERROR:
            put(sys, name, getattr(sys, name, None))
        yield


class _Replaced(contextlib.AbstractContextManager["_Replaced"]):
    """Replaces attributes, and restores them at the end."""

    def __init__(self) -> None:
        self._earlier: list[tuple[object, str, object]] = []

    def __call__(self, owner: object, name: str, value: object) -> None:
        self._earlier.append((owner, name, getattr(owner, name, _ABSENT)))
        setattr(owner, name, value)

    def __exit__(self, *_exception: object) -> None:
        while self._earlier:
            owner, name, earlier = self._earlier.pop()
            if earlier is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, earlier)


_ABSENT = object()


class _Publisher(DisplayPublisher):
    """Replaces the shell's display publisher."""

    def __init__(self, outputs: Outputs, **more: Any) -> None:
        super().__init__(**more)  # type: ignore[no-untyped-call]
        self._taken = outputs

    def publish(
        self,
        data: dict[str, Any],
        metadata: dict[str, Any] | None = None,
        source: object = None,
        *,
        transient: dict[str, Any] | None = None,
        update: bool = False,
        **_more: object,
    ) -> None:
        """Add a display to the outputs."""
        name = (transient or {}).get("display_id", "")
        self._taken.display(data, metadata, display_id=str(name), update=update)

    def clear_output(self, wait: bool = False) -> None:
        """Clear the outputs."""
        self._taken.clear(wait=wait)


class _ResultTaker:
    """A display hook that adds the value of the last expression to the outputs."""

    def __init__(self, shell: InteractiveShell, outputs: Outputs) -> None:
        self._shell = shell
        self._outputs = outputs

    def __call__(self, result: object = None) -> None:
        formatter = self._shell.display_formatter
        if result is None or formatter is None:
            return
        data, metadata = formatter.format(result)  # type: ignore[no-untyped-call]
        # The next execution count belongs to the user's next cell: this code has none.
        self._outputs.display(data, metadata)


def _stay() -> None:
    print("An agent's code can't end the kernel.", file=sys.stderr)  # noqa: T201 - it is captured


def _error_taker(outputs: Outputs) -> Any:
    def show(etype: type[BaseException], evalue: BaseException, frames: list[str]) -> None:
        outputs.error(etype.__name__, str(evalue), [str(frame) for frame in frames])

    return show
