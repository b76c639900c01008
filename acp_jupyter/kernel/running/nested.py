"""Runs code inside the cell that waits, on the main thread."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from acp_jupyter.kernel.running.capture import captured
from acp_jupyter.kernel.running.guard import tool_code
from acp_jupyter.kernel.running.own_loop import OwnLoop
from acp_jupyter.kernel.running.telling import Tell, Telling
from acp_jupyter.notebook_tools.kernel_runner import RunResult
from acp_jupyter.notebook_tools.outputs import Outputs

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionResult, InteractiveShell

__all__ = ["interrupt_main", "run_nested"]

_AGAIN_SECONDS = 2.0
"""Code that catches one interrupt gets another."""
_MOST_INTERRUPTS = 5


def run_nested(
    shell: InteractiveShell, code: str, timeout_seconds: float, report_output: Tell
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
            Telling(outputs, report_output),
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
