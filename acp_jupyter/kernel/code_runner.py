"""Runs the tools' code in a kernel: on its main thread, in a waiting cell or between two cells."""

from __future__ import annotations

import asyncio
import inspect
import threading
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, assert_never

from acp_jupyter.kernel.execution_context import current_shell, kernel_of, tool_code, tool_code_runs
from acp_jupyter.kernel.last_error import read_last_error
from acp_jupyter.kernel.left_out import code_of_cell
from acp_jupyter.kernel.masked_values import covering
from acp_jupyter.kernel.nested_run import ReportOutput, interrupt_main, run_nested
from acp_jupyter.kernel.table_tools import read_tables
from acp_jupyter.kernel.values import is_tabular
from acp_jupyter.kernel.variables import describe, list_variables
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
from acp_jupyter.notebook_tools.kernel_work import (
    Answer,
    CompleteCode,
    FinishedWork,
    InspectCode,
    KernelWork,
    NoCellWaits,
    ReadLastError,
    ReadTables,
    ReadVariables,
    RunCodeWork,
    WaitingCells,
    WorkError,
)
from acp_jupyter.transcript.escaping import without_ansi

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


_MAX_TEXT_CHARS = 50_000
_MAX_MATCHES = 200
_AT_WORK = "The kernel is already running code for a tool. Wait until it ends."


def do_work(
    shell: InteractiveShell | None, work: KernelWork, report_output: ReportOutput
) -> FinishedWork:
    """Carry out work; return its outcome or its error."""
    if shell is None:
        return _trouble(work, "no_kernel", "This is a script, not a notebook's kernel.")
    if tool_code_runs():
        return _trouble(work, "refused", _AT_WORK)
    try:
        return _done(shell, work, report_output)
    except Exception as error:  # noqa: BLE001 - the user's objects raise what they like
        name = type(error).__name__
        return _trouble(work, "refused", f"The kernel failed to do it: {name}.")
    except KeyboardInterrupt:
        return _trouble(work, "refused", "It was interrupted.")


def _done(shell: InteractiveShell, work: KernelWork, tell: ReportOutput) -> FinishedWork:
    match work:
        case RunCodeWork():
            ran = run_nested(shell, work.code, work.timeout_seconds, tell)
            return FinishedWork(work_id=work.work_id, ran=ran)
        case ReadVariables():
            with tool_code():
                variables = list_variables(shell.user_ns, shell.user_ns_hidden)
            return FinishedWork(work_id=work.work_id, variables=variables)
        case ReadLastError():
            with tool_code():
                last_error = read_last_error(shell)
            return FinishedWork(work_id=work.work_id, last_error=last_error)
        case InspectCode():
            with tool_code():
                inspection = inspect_code(shell, work.code, work.position)
            return FinishedWork(work_id=work.work_id, inspection=inspection)
        case ReadTables():
            with tool_code():
                found = read_tables(
                    shell.user_ns, shell.user_ns_hidden, work.name, work.table, work.sql
                )
            return FinishedWork(work_id=work.work_id, inspection=found)
        case CompleteCode():
            with tool_code():
                completion = complete_code(shell, work.code, work.position)
            return FinishedWork(work_id=work.work_id, completion=completion)
        case _:
            assert_never(work)


def inspection_json(shell: InteractiveShell, code: str, position: int) -> str:
    """Return `inspect_code` as JSON.

    It never raises, as the server would ask the kernel itself then, which masks nothing.
    """
    try:
        return inspect_code(shell, code, position).model_dump_json()
    except Exception as error:  # noqa: BLE001 - the user's objects raise what they like
        words = f"Inspecting it failed: {type(error).__name__}."
        return Inspection(found=True, text=words).model_dump_json()


def inspect_code(shell: InteractiveShell, code: str, position: int) -> Inspection:
    """Return what IPython knows of the name at a place in code, without masked values."""
    from IPython.utils.tokenutil import token_at_cursor

    name = token_at_cursor(code, min(position, len(code)))
    if not name:
        return Inspection(found=False)
    if is_tabular(shell.user_ns.get(name)):
        return Inspection(found=True, text=describe(name, shell.user_ns[name]).text)
    try:
        bundle: dict[str, Any] = shell.object_inspect_mime(name)  # type: ignore[no-untyped-call]
    except KeyError:
        return Inspection(found=False)
    text = without_ansi(str(bundle.get("text/plain", ""))[:_MAX_TEXT_CHARS])
    value: Any = shell._ofind(name).obj
    code_like = inspect.isroutine(value) or inspect.isclass(value) or isinstance(value, property)
    of = code_of_cell(shell, value if code_like else type(value))
    return Inspection(
        found=True,
        text=covering(shell.user_ns)(text),
        of_cell=of is not None,
        execution_count=None if of is None else of.execution_count,
    )


def completion_json(shell: InteractiveShell, code: str, position: int) -> str:
    """Return `complete_code` as JSON; it never raises, as `inspection_json`."""
    try:
        return complete_code(shell, code, position).model_dump_json()
    except Exception:  # noqa: BLE001 - the user's objects raise what they like
        return Completion(start=position, end=position).model_dump_json()


def complete_code(shell: InteractiveShell, code: str, position: int) -> Completion:
    """Return completions at a place in code, without those that have a masked value."""
    from IPython.core.completer import provisionalcompleter

    position = min(position, len(code))
    completer: Any = shell.Completer
    with provisionalcompleter():
        found = []
        for each in completer.completions(code, position):
            found.append(each)
            if len(found) >= _MAX_MATCHES:
                break
    if not found:
        return Completion(start=position, end=position)
    start, end = min(each.start for each in found), max(each.end for each in found)
    texts = (code[start : each.start] + each.text + code[each.end : end] for each in found)
    cover = covering(shell.user_ns)
    matches = [text for text in texts if cover(text) == text]
    return Completion(matches=tuple(dict.fromkeys(matches)), start=start, end=end)


def _trouble(work: KernelWork, kind: TroubleKind, message: str) -> FinishedWork:
    return FinishedWork(work_id=work.work_id, trouble=WorkError(trouble=kind, message=message))


THIS_KERNEL = "this"
"""The id of the only kernel."""

_A = TypeVar("_A", RunResult, Variables, LastError, Inspection, Completion)
_BUSY_SECONDS = 30.0
_REPLY_SECONDS = 10.0
_EXTRA_SECONDS = 20.0
_NO_KERNEL = (
    "This program isn't waiting for a turn, and has no kernel that could run the code. "
    "Code can run while it waits for the turn (turn.wait())."
)
_BUSY = "The kernel is busy with other code. Wait until it ends, then try again."
_RESTART = "Only the user can restart this kernel: the agent lives in it."


@dataclass
class _Job:
    """Work that the kernel does between two cells, unless it is withdrawn before that."""

    work: KernelWork
    loop: asyncio.AbstractEventLoop
    outcome: asyncio.Future[FinishedWork]
    on_printed: OnPrinted | None
    lock: threading.Lock = field(default_factory=threading.Lock)
    begun: bool = False
    withdrawn: bool = False

    def withdraw(self) -> bool:
        """Withdraw the job; False if it has started."""
        with self.lock:
            self.withdrawn = not self.begun
            return self.withdrawn

    def run(self, kernel: Any) -> None:
        """Run the job on the main thread."""
        with self.lock:
            if self.withdrawn:
                return
            self.begun = True
        kernel.pre_handler_hook()  # without it the kernel ignores interrupts here
        try:
            finished = do_work(current_shell(), self.work, self._print)
        finally:
            kernel.post_handler_hook()
        self.loop.call_soon_threadsafe(self._report, finished)

    def _print(self, tail: str) -> None:
        if self.on_printed is not None:
            self.loop.call_soon_threadsafe(self.on_printed, tail)

    def _report(self, finished: FinishedWork) -> None:
        if not self.outcome.done():
            self.outcome.set_result(finished)


class EmbeddedKernelRunner:
    """A `KernelRunner` for this process. Used on the host's loop."""

    def __init__(self, cells: WaitingCells) -> None:
        self._cells = cells

    async def execute(
        self,
        kernel_id: str,
        code: str,
        *,
        timeout_seconds: float,
        store_history: bool = False,
        on_printed: OnPrinted | None = None,
    ) -> RunResult:
        """Run code as a cell would, without a count; interrupt it after its time limit."""
        work = RunCodeWork(work_id=_new_id(), code=code, timeout_seconds=timeout_seconds)
        return await self._do(work, RunResult, timeout_seconds, on_printed)

    async def variables(self, kernel_id: str) -> Variables:
        """Return the user's variables."""
        return await self._do(ReadVariables(work_id=_new_id()), Variables, _REPLY_SECONDS)

    async def last_error(self, kernel_id: str) -> LastError:
        """Return the last error with the variables of its frames."""
        return await self._do(ReadLastError(work_id=_new_id()), LastError, _REPLY_SECONDS)

    async def inspect(self, kernel_id: str, code: str, position: int) -> Inspection:
        """Inspect the name at ``position`` (in characters)."""
        work = InspectCode(work_id=_new_id(), code=code, position=position)
        return await self._do(work, Inspection, _REPLY_SECONDS)

    async def tables(
        self, kernel_id: str, name: str = "", table: str = "", sql: str = ""
    ) -> Inspection:
        """Return a list of tables, a description, or why a query would not be run."""
        work = ReadTables(work_id=_new_id(), name=name, table=table, sql=sql)
        return await self._do(work, Inspection, _REPLY_SECONDS)

    async def complete(self, kernel_id: str, code: str, position: int) -> Completion:
        """Return completions at ``position`` (in characters)."""
        work = CompleteCode(work_id=_new_id(), code=code, position=position)
        return await self._do(work, Completion, _REPLY_SECONDS)

    async def interrupt(self, kernel_id: str) -> None:
        """Interrupt code of a tool; the user's own cell is left alone."""
        self._cells.mark_interrupted(THIS_KERNEL)
        _stop()

    async def restart(self, kernel_id: str) -> None:
        """Refuse: the agent would end with the kernel."""
        raise KernelError("refused", _RESTART)

    async def _do(
        self,
        work: KernelWork,
        kind: type[_A],
        seconds: float,
        on_printed: OnPrinted | None = None,
    ) -> _A:
        most = _BUSY_SECONDS + seconds + _EXTRA_SECONDS
        try:
            answer = await asyncio.wait_for(self._anywhere(work, on_printed), most)
        except TimeoutError:
            raise KernelError("timeout", "The kernel did not answer in time.") from None
        assert isinstance(answer, kind)
        return answer

    async def _anywhere(self, work: KernelWork, on_printed: OnPrinted | None) -> Answer:
        if self._cells.waits(THIS_KERNEL):
            try:
                return await self._cells.do(THIS_KERNEL, work, _stop, on_printed)
            except NoCellWaits:
                pass
        return await self._between_cells(work, on_printed)

    async def _between_cells(self, work: KernelWork, on_printed: OnPrinted | None) -> Answer:
        kernel = kernel_of(current_shell())
        loop = getattr(kernel, "io_loop", None)
        if loop is None:
            raise KernelError("no_kernel", _NO_KERNEL)
        here = asyncio.get_running_loop()
        job = _Job(work, here, here.create_future(), on_printed)
        loop.add_callback(job.run, kernel)
        try:
            await asyncio.wait([job.outcome], timeout=_BUSY_SECONDS)
            if not job.outcome.done() and job.withdraw():
                raise KernelError("busy", _BUSY)
            outcome = (await job.outcome).outcome()
        finally:
            if not job.withdraw() and not job.outcome.done():
                _stop()
        if isinstance(outcome, WorkError):
            raise outcome.error()
        return outcome


def _stop() -> None:
    if tool_code_runs():
        interrupt_main()


def _new_id() -> str:
    return uuid.uuid4().hex
