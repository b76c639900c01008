"""Work for kernels whose cell waits for a turn: the messages, and a queue for each kernel.

Kernels import this module as well.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.notebook_tools.kernel_runner import (
    Completion,
    Inspection,
    KernelError,
    LastError,
    OnPrinted,
    RunResult,
    TroubleKind,
    Variables,
)
from acp_jupyter.protocol.objects import Model

TOOL_MARK = "acp_jupyter_tool"
"""Key in the metadata of a shell request that marks its code as an agent's."""


class RunCodeWork(Model):
    """Run code on the main thread, as a cell would."""

    op: Literal["run"] = "run"
    work_id: str
    code: str
    timeout_seconds: float = Field(gt=0)


class ReadVariables(Model):
    """List the user's variables."""

    op: Literal["variables"] = "variables"
    work_id: str


class ReadLastError(Model):
    """Return the last error with the variables of its frames."""

    op: Literal["last_error"] = "last_error"
    work_id: str


class InspectCode(Model):
    """Inspect the name at a place in code."""

    op: Literal["inspect"] = "inspect"
    work_id: str
    code: str
    position: int = Field(ge=0)


class CompleteCode(Model):
    """Complete the code at a place."""

    op: Literal["complete"] = "complete"
    work_id: str
    code: str
    position: int = Field(ge=0)


class ReadTables(Model):
    """List the tables, describe one, or say why a query would not be run."""

    op: Literal["tables"] = "tables"
    work_id: str
    name: str = ""
    """The variable; empty for a list."""
    table: str = ""
    """A table of the connection in that variable."""
    sql: str = ""
    """A query that is checked, and not run."""


KernelWork = TypeAliasType(
    "KernelWork",
    Annotated[
        RunCodeWork | ReadVariables | ReadLastError | InspectCode | CompleteCode | ReadTables,
        Field(discriminator="op"),
    ],
)

Answer = RunResult | Variables | LastError | Inspection | Completion


class WorkError(Model):
    """Why a kernel did not do the work."""

    trouble: TroubleKind
    message: str

    def error(self) -> KernelError:
        """Return the exception for this error."""
        return KernelError(self.trouble, self.message)


class FinishedWork(Model):
    """The result of the work: exactly one of the fields is set."""

    work_id: str
    ran: RunResult | None = None
    variables: Variables | None = None
    last_error: LastError | None = None
    inspection: Inspection | None = None
    completion: Completion | None = None
    trouble: WorkError | None = None

    def outcome(self) -> Answer | WorkError:
        """Return the field that is set."""
        found = self.ran or self.variables or self.last_error or self.inspection or self.completion
        nothing = WorkError(trouble="unsupported", message="The kernel gave no answer.")
        return found or self.trouble or nothing


class PrintedSoFar(Model):
    """The end of what running code has printed so far."""

    work_id: str
    text: str = Field(max_length=10_000)


class WorkQuery(Model):
    """A waiting cell's poll for work, or for the end of its turn."""

    turn_id: str
    wait_seconds: float = Field(ge=0, le=30)


class WorkReply(Model):
    """Either work, or the turn as it is now."""

    work: KernelWork | None = None
    detail: TurnDetail | None = None


class KeepWaiting(Model):
    """Whether a cell whose work was interrupted keeps waiting.

    It keeps waiting if a tool interrupted the work, but not if the user did.
    """

    go_on: bool


_BETWEEN_SECONDS = 3.0
"""Longest time between two polls of a waiting cell; then it counts as gone."""
_MAX_JOBS = 100


class NoCellWaits(Exception):
    """No waiting cell of the kernel took the work."""


@dataclass
class _Job:
    work: KernelWork
    outcome: asyncio.Future[Answer | WorkError]
    on_printed: OnPrinted | None = None
    by_tool: bool = False
    """Whether a tool has interrupted the job."""


@dataclass
class _Kernel:
    waiting: deque[_Job] = field(default_factory=deque)
    at_work: _Job | None = None
    looking: int = 0
    seen_at: float = 0.0
    more: asyncio.Event = field(default_factory=asyncio.Event)


class WaitingCells:
    """Queues of work for the waiting cells of each kernel. Used on the host's loop only."""

    def __init__(self) -> None:
        self._kernels: dict[str, _Kernel] = {}

    # -- the side of the tools ---------------------------------------------------

    def waits(self, kernel_id: str) -> bool:
        """Return whether a cell of the kernel waits, or runs code of a tool."""
        kernel = self._kernels.get(kernel_id)
        if kernel is None:
            return False
        near = time.monotonic() - kernel.seen_at < _BETWEEN_SECONDS
        return bool(kernel.looking) or kernel.at_work is not None or near

    async def do(
        self,
        kernel_id: str,
        work: KernelWork,
        stop: Callable[[], None],
        on_printed: OnPrinted | None = None,
    ) -> Answer:
        """Let the waiting cell do the work; there is no time limit once it has begun.

        Parameters
        ----------
        stop
            Called if this is cancelled while the cell does the work. Work that still waits is
            only removed from the queue, as the cell may be doing other work.
        """
        kernel = self._kernels.setdefault(kernel_id, _Kernel())
        if len(kernel.waiting) >= _MAX_JOBS:
            raise KernelError("busy", "Too many tools wait for this kernel. Try again later.")
        job = _Job(work, asyncio.get_running_loop().create_future(), on_printed)
        kernel.waiting.append(job)
        kernel.more.set()
        try:
            while not job.outcome.done():
                await asyncio.wait([job.outcome], timeout=_BETWEEN_SECONDS)
                gone = not job.outcome.done() and job in kernel.waiting
                if gone and not self.waits(kernel_id):
                    raise NoCellWaits
            outcome = job.outcome.result()
        finally:
            if job in kernel.waiting:
                kernel.waiting.remove(job)
            if kernel.at_work is job:
                kernel.at_work = None
                kernel.more.set()
                if not job.outcome.done():
                    stop()
        if isinstance(outcome, WorkError):
            raise outcome.error()
        return outcome

    def mark_interrupted(self, kernel_id: str) -> bool:
        """Note that a tool interrupts the running job; False if none runs."""
        kernel = self._kernels.get(kernel_id)
        if kernel is None or kernel.at_work is None:
            return False
        kernel.at_work.by_tool = True
        return True

    def forget(self, kernel_id: str) -> None:
        """Fail all work for a kernel that has ended or was restarted."""
        kernel = self._kernels.pop(kernel_id, None)
        if kernel is None:
            return
        gone = WorkError(trouble="dead", message="The kernel ended or was restarted meanwhile.")
        for job in [*kernel.waiting, *([kernel.at_work] if kernel.at_work else [])]:
            if not job.outcome.done():
                job.outcome.set_result(gone)

    # -- the side of the cell ------------------------------------------------------

    async def follow(self, kernel_id: str, turn: Awaitable[TurnDetail]) -> WorkReply:
        """Wait for work or for ``turn``, which returns at the turn's end or after a time limit."""
        kernel = self._kernels.setdefault(kernel_id, _Kernel())
        self._fail_lost(kernel)
        ended = asyncio.ensure_future(turn)
        kernel.looking += 1
        try:
            while not ended.done():
                if (job := self._take(kernel)) is not None:
                    return WorkReply(work=job.work)
                kernel.more.clear()
                more = asyncio.ensure_future(kernel.more.wait())
                try:
                    await asyncio.wait({ended, more}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    more.cancel()  # also if the cell is interrupted
            detail = ended.result()
            if detail.turn.status == "done":
                kernel.seen_at = 0.0
            return WorkReply(detail=detail)
        finally:
            ended.cancel()
            kernel.looking -= 1
            self._tidy(kernel_id)

    def print(self, kernel_id: str, printed: PrintedSoFar) -> None:
        """Report the printed output of the running job; late reports are ignored."""
        kernel = self._kernels.get(kernel_id)
        job = None if kernel is None else kernel.at_work
        if job is not None and job.work.work_id == printed.work_id and job.on_printed is not None:
            job.on_printed(printed.text)

    def finish(self, kernel_id: str, finished: FinishedWork) -> bool:
        """Finish a job with its outcome; return whether its cell keeps waiting."""
        kernel = self._kernels.get(kernel_id)
        job = None if kernel is None else kernel.at_work
        if kernel is None or job is None or job.work.work_id != finished.work_id:
            return True  # no tool waits for it any more: the call or its turn was stopped
        kernel.at_work = None
        kernel.seen_at = time.monotonic()
        if not job.outcome.done():
            job.outcome.set_result(finished.outcome())
        return job.by_tool

    def _take(self, kernel: _Kernel) -> _Job | None:
        if kernel.at_work is not None or not kernel.waiting:
            return None
        kernel.at_work = kernel.waiting.popleft()
        return kernel.at_work

    def _fail_lost(self, kernel: _Kernel) -> None:
        """Fail a job whose cell polls again without having reported the outcome."""
        kernel.seen_at = time.monotonic()
        job, kernel.at_work = kernel.at_work, None
        if job is not None and not job.outcome.done():
            lost = WorkError(trouble="refused", message="The kernel's answer was lost.")
            job.outcome.set_result(lost)

    def _tidy(self, kernel_id: str) -> None:
        kernel = self._kernels.get(kernel_id)
        if kernel is None or kernel.waiting or kernel.at_work is not None or kernel.looking:
            return
        if not kernel.seen_at:
            del self._kernels[kernel_id]
