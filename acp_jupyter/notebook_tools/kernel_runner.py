"""The protocol and results of a kernel runner, and a record of the code that tools run.

Kernels import this module as well, so it imports nothing heavy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

from acp_jupyter.api.models.documents import NbOutput
from acp_jupyter.errors import AcpError
from acp_jupyter.protocol.objects import Model

TroubleKind = Literal["no_kernel", "dead", "busy", "timeout", "refused", "unsupported"]


OnPrinted: TypeAlias = Callable[[str], None]
"""Called on the host's loop with the end of the code's printed output so far."""


class KernelError(AcpError):
    """A kernel could not answer a request; the message says why and what to do.

    Parameters
    ----------
    trouble
        Kind of failure. ``timeout`` means a request without an answer: code that took too long
        gives a `RunResult` with its output.
    """

    status = 409
    reason = "kernel_trouble"

    def __init__(self, trouble: TroubleKind, message: str) -> None:
        super().__init__(message)
        self.trouble = trouble


class RunResult(Model):
    """The result of running code."""

    status: Literal["ok", "error", "interrupted", "timeout"]
    """``error``: the code raised; see the last output. ``timeout``: it was interrupted."""
    outputs: tuple[NbOutput, ...] = ()
    """Outputs in the form of nbformat 4; streams joined; bounded."""
    execution_count: int | None = None
    truncated: bool = False
    """Whether there was more output than is kept."""


class Variable(Model):
    """A name of the user's namespace, and what can be said about its value without side effects."""

    name: str
    type: str
    detail: str = ""
    """Shape, length, dtype."""
    preview: str = ""
    """A bounded repr; empty where that would be costly."""


class Variables(Model):
    """The user's variables."""

    variables: tuple[Variable, ...] = ()
    more: int = 0
    """How many more there are."""


class TracebackFrame(Model):
    """A frame of a traceback, with its variables."""

    place: str
    """The cell or the file, and the line."""
    function: str
    code: str = ""
    """The source line."""
    variables: tuple[Variable, ...] = ()
    more: int = 0
    """How many more variables it has."""
    execution_count: int | None = None
    """Execution count of its cell; None for code that is no cell's."""


class LastError(Model):
    """The last error of a kernel, and its frames from the user's code on."""

    words: str = ""
    """E.g. ``KeyError: 'a'``; empty where nothing has failed."""
    frames: tuple[TracebackFrame, ...] = ()
    """The innermost comes last."""
    left_out: int = 0
    """How many frames in the middle are left out."""
    execution_count: int | None = None
    """Execution count of the cell that failed, if it is known."""


class Inspection(Model):
    """What the kernel knows of the name at a place in code."""

    found: bool
    text: str = ""
    of_cell: bool = False
    """Whether the text may show code of a cell, such as the documentation of a function."""
    execution_count: int | None = None
    """That of the cell; None if unknown."""


class Completion(Model):
    """Completions of the code at a place."""

    matches: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    """End of the replaced code, in characters."""


class KernelRunner(Protocol):
    """Runs code in kernels by their id. Used on the host's loop.

    All methods raise `KernelError`, and wait for a limited time: ``busy`` if the kernel is not
    free, ``timeout`` if it doesn't answer.
    """

    async def execute(
        self,
        kernel_id: str,
        code: str,
        *,
        timeout_seconds: float,
        store_history: bool = False,
        on_printed: OnPrinted | None = None,
    ) -> RunResult:
        """Run code as a cell would; interrupt it after its time limit."""

    async def variables(self, kernel_id: str) -> Variables:
        """Return the user's variables."""

    async def last_error(self, kernel_id: str) -> LastError:
        """Return the last error with the variables of its frames."""

    async def inspect(self, kernel_id: str, code: str, position: int) -> Inspection:
        """Inspect the name at ``position`` (in characters)."""

    async def tables(
        self, kernel_id: str, name: str = "", table: str = "", sql: str = ""
    ) -> Inspection:
        """Return a list of tables, a description, or why a query would not be run.

        Parameters
        ----------
        name
            The variable; empty for a list.
        table
            A table of the connection in that variable.
        sql
            A query; nothing is found if it would be run.
        """

    async def complete(self, kernel_id: str, code: str, position: int) -> Completion:
        """Return completions at ``position`` (in characters)."""

    async def interrupt(self, kernel_id: str) -> None:
        """Interrupt code of a tool; the user's own cell is left alone."""

    async def restart(self, kernel_id: str) -> None:
        """Restart the kernel: all variables are lost."""


class RunningCode:
    """Runs code for tools, and records in which kernels it runs."""

    def __init__(self, runner: KernelRunner) -> None:
        self._runner = runner
        self._kernels: Counter[str] = Counter()
        self._turns: dict[str, Callable[[], bool]] = {}

    def runs_in(self, kernel_id: str) -> bool:
        """Return whether a kernel runs an agent's code. May be called in any thread."""
        return self._kernels[kernel_id] > 0

    def ran_in(self, kernel_id: str) -> bool:
        """Return whether the turn that last ran code in a kernel still runs; for any thread.

        The code may have started a thread, which runs on.
        """
        goes_on = self._turns.get(kernel_id)
        return goes_on is not None and goes_on()

    async def execute(
        self,
        kernel_id: str,
        code: str,
        *,
        timeout_seconds: float,
        store_history: bool = False,
        on_printed: OnPrinted,
        goes_on: Callable[[], bool],
    ) -> RunResult:
        """Run code as a cell would. See `KernelRunner.execute`."""
        self._turns[kernel_id] = goes_on
        self._kernels[kernel_id] += 1
        try:
            return await self._runner.execute(
                kernel_id,
                code,
                timeout_seconds=timeout_seconds,
                store_history=store_history,
                on_printed=on_printed,
            )
        finally:
            self._kernels[kernel_id] -= 1
            if not self._kernels[kernel_id]:
                del self._kernels[kernel_id]
