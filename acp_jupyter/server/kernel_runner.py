"""Runs code in the server's kernels: in a waiting cell, or over the shell channel."""

from __future__ import annotations

import ast
import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from acp_jupyter.notebook_tools.kernel_runner import (
    Completion,
    Inspection,
    KernelError,
    LastError,
    OnPrinted,
    RunResult,
    Variables,
)
from acp_jupyter.notebook_tools.kernel_work import (
    Answer,
    CompleteCode,
    InspectCode,
    KernelWork,
    NoCellWaits,
    ReadLastError,
    ReadTables,
    ReadVariables,
    RunCodeWork,
    WaitingCells,
)
from acp_jupyter.server.kernel.lifecycle import DEAD, KernelLifecycle
from acp_jupyter.server.kernel.remote import RemoteKernels
from acp_jupyter.transcript.escaping import without_ansi

if TYPE_CHECKING:
    from jupyter_client.multikernelmanager import MultiKernelManager


_T = TypeVar("_T")
_A = TypeVar("_A", RunResult, Variables, LastError, Inspection, Completion)
_Value = TypeVar("_Value", Variables, LastError, Inspection, Completion)

_BUSY_SECONDS = 30.0
"""Longest time that a tool waits for the end of the user's cell."""
_POLL_SECONDS = 0.1
_REPLY_SECONDS = 10.0
_EXTRA_SECONDS = 20.0
"""Extra time after the code's time limit, for the interrupt."""
_MAX_CHARS = 50_000
_BUSY = (
    "The kernel is busy with other code. Wait until it ends, then try again, or ask the user to "
    "interrupt it."
)
_VARIABLES = (
    "__import__('acp_jupyter.kernel.variables', fromlist=['_'])"
    ".variables_json(get_ipython().user_ns, get_ipython().user_ns_hidden)"
)
_LAST_ERROR = (
    "__import__('acp_jupyter.kernel.last_error', fromlist=['_']).last_error_json(get_ipython())"
)
_TABLES = (
    "__import__('acp_jupyter.kernel.table_tools', fromlist=['_'])"
    ".tables_json(get_ipython().user_ns, get_ipython().user_ns_hidden,"
    " {name!r}, {table!r}, {sql!r})"
)
_INSPECTION = (
    "__import__('acp_jupyter.kernel.code_runner', fromlist=['_'])"
    ".inspection_json(get_ipython(), {code!r}, {position})"
)
_COMPLETION = _INSPECTION.replace("inspection_json", "completion_json")


class ServerKernelRunner:
    """A `KernelRunner` for the server's kernels. Used on the host's loop."""

    def __init__(
        self,
        kernels: MultiKernelManager,
        cells: WaitingCells,
        remote: RemoteKernels | None = None,
        dead: str = DEAD,
    ) -> None:
        self._life = KernelLifecycle(kernels, remote, dead)
        self._cells = cells
        self._running: set[str] = set()
        """Kernels in which a tool runs code over the shell channel."""
        self._interrupts: set[asyncio.Future[None]] = set()

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Store Jupyter's loop, once it runs."""
        self._life.loop = loop

    async def execute(
        self,
        kernel_id: str,
        code: str,
        *,
        timeout_seconds: float,
        store_history: bool = False,
        on_printed: OnPrinted | None = None,
    ) -> RunResult:
        """Run code as a cell would; interrupt it after its time limit.

        Code that runs in a waiting cell gets no execution count.
        """
        work = RunCodeWork(work_id=_new_id(), code=code, timeout_seconds=timeout_seconds)
        here = asyncio.get_running_loop()

        def printed(tail: str) -> None:
            if on_printed is not None:
                here.call_soon_threadsafe(on_printed, tail)

        async def by_channel() -> RunResult:
            async with self._life.channel(kernel_id) as channel:
                return await channel.run(
                    code,
                    seconds=timeout_seconds,
                    store_history=store_history,
                    on_printed=printed,
                )

        return await self._do(kernel_id, work, RunResult, by_channel, timeout_seconds, on_printed)

    async def variables(self, kernel_id: str) -> Variables:
        """Return the user's variables."""

        def by_channel() -> Coroutine[Any, Any, Variables]:
            return self._evaluate(kernel_id, _VARIABLES, Variables)

        work = ReadVariables(work_id=_new_id())
        return await self._do(kernel_id, work, Variables, by_channel, _REPLY_SECONDS)

    async def last_error(self, kernel_id: str) -> LastError:
        """Return the last error with the variables of its frames."""

        def by_channel() -> Coroutine[Any, Any, LastError]:
            return self._evaluate(kernel_id, _LAST_ERROR, LastError)

        work = ReadLastError(work_id=_new_id())
        return await self._do(kernel_id, work, LastError, by_channel, _REPLY_SECONDS)

    async def inspect(self, kernel_id: str, code: str, position: int) -> Inspection:
        """Inspect the name at ``position`` (in characters)."""

        async def by_channel() -> Inspection:
            try:  # where acp-jupyter is in the kernel's environment, masks hold
                expression = _INSPECTION.format(code=code, position=position)
                return await self._evaluate(kernel_id, expression, Inspection)
            except KernelError as trouble:
                if trouble.trouble != "unsupported":
                    raise
            content = {"code": code, "cursor_pos": position, "detail_level": 0}
            reply = await self._request(kernel_id, "inspect_request", content)
            text = str((reply.get("data") or {}).get("text/plain", ""))[:_MAX_CHARS]
            # Other kernels show the code of functions, and don't say which cell has it.
            return Inspection(
                found=bool(reply.get("found")), text=without_ansi(text), of_cell=bool(text)
            )

        work = InspectCode(work_id=_new_id(), code=code, position=position)
        return await self._do(kernel_id, work, Inspection, by_channel, _REPLY_SECONDS)

    async def tables(
        self, kernel_id: str, name: str = "", table: str = "", sql: str = ""
    ) -> Inspection:
        """Return a list of tables, a description, or why a query would not be run."""
        expression = _TABLES.format(name=name, table=table, sql=sql)

        def by_channel() -> Coroutine[Any, Any, Inspection]:
            return self._evaluate(kernel_id, expression, Inspection)

        work = ReadTables(work_id=_new_id(), name=name, table=table, sql=sql)
        return await self._do(kernel_id, work, Inspection, by_channel, _REPLY_SECONDS)

    async def complete(self, kernel_id: str, code: str, position: int) -> Completion:
        """Return completions at ``position`` (in characters)."""

        async def by_channel() -> Completion:
            try:
                expression = _COMPLETION.format(code=code, position=position)
                return await self._evaluate(kernel_id, expression, Completion)
            except KernelError as trouble:
                if trouble.trouble != "unsupported":
                    raise
            content = {"code": code, "cursor_pos": position}
            reply = await self._request(kernel_id, "complete_request", content)
            return Completion(
                matches=tuple(str(each) for each in reply.get("matches", [])[:200]),
                start=int(reply.get("cursor_start", position)),
                end=int(reply.get("cursor_end", position)),
            )

        work = CompleteCode(work_id=_new_id(), code=code, position=position)
        return await self._do(kernel_id, work, Completion, by_channel, _REPLY_SECONDS)

    async def interrupt(self, kernel_id: str) -> None:
        """Interrupt a tool's code, but not the user's cell."""
        if self._cells.mark_interrupted(kernel_id) or kernel_id in self._running:
            self._life.must_exist(kernel_id)
            process = self._life.process(kernel_id)
            await self._life.on_jupyters_loop(self._life.interrupt(kernel_id, process))

    async def restart(self, kernel_id: str) -> None:
        """Restart the kernel: all variables are lost, and a waiting cell ends."""
        self._life.must_exist(kernel_id)
        await self._life.on_jupyters_loop(self._life.restart(kernel_id))
        self._cells.forget(kernel_id)

    # -- within ------------------------------------------------------------------

    async def _do(
        self,
        kernel_id: str,
        work: KernelWork,
        kind: type[_A],
        by_channel: Callable[[], Coroutine[Any, Any, _A]],
        seconds: float,
        on_printed: OnPrinted | None = None,
    ) -> _A:
        """Do work in a waiting cell or an idle kernel; wait up to `_BUSY_SECONDS` for that.

        Jupyter restarts a kernel that has just died within seconds.
        """
        self._life.must_exist(kernel_id)
        deadline = time.monotonic() + _BUSY_SECONDS
        while True:
            alive = await self._life.on_jupyters_loop(self._life.is_alive(kernel_id))
            if not alive:
                self._cells.forget(kernel_id)
            elif self._cells.waits(kernel_id):
                try:
                    most = seconds + _EXTRA_SECONDS
                    answer = await self._unless_dead(
                        kernel_id, self._by_cell(kernel_id, work, most, on_printed)
                    )
                except NoCellWaits:
                    continue
                assert isinstance(answer, kind)
                return answer
            elif kernel_id not in self._running and self._life.is_free(kernel_id):
                return await self._by_channel(kernel_id, by_channel(), runs=kind is RunResult)
            if time.monotonic() > deadline:
                raise KernelError("busy", _BUSY) if alive else self._life.dead()
            await asyncio.sleep(_POLL_SECONDS)

    async def _unless_dead(self, kernel_id: str, work: Awaitable[_T]) -> _T:
        """Wait for work as long as the kernel lives; drop the waiting cells of a dead one."""
        try:
            return await self._life.unless_dead(kernel_id, work)
        except KernelError as trouble:
            if trouble.trouble == "dead":
                self._cells.forget(kernel_id)
            raise

    async def _by_channel(self, kernel_id: str, work: Coroutine[Any, Any, _A], *, runs: bool) -> _A:
        """Do work over the shell channel; while code ``runs``, other tools wait."""
        if runs:
            self._running.add(kernel_id)
        try:
            work_there = self._life.on_jupyters_loop(work)
            return await self._unless_dead(kernel_id, work_there)
        finally:
            if runs:
                self._running.discard(kernel_id)

    async def _by_cell(
        self, kernel_id: str, work: KernelWork, seconds: float, on_printed: OnPrinted | None
    ) -> Answer:
        process = self._life.process(kernel_id)

        def stop() -> None:
            interrupted = self._life.interrupt(kernel_id, process)
            task = asyncio.ensure_future(self._life.on_jupyters_loop(interrupted))
            self._interrupts.add(task)
            task.add_done_callback(self._interrupts.discard)

        try:
            done = self._cells.do(kernel_id, work, stop, on_printed)
            return await asyncio.wait_for(done, seconds)
        except TimeoutError:
            raise KernelError("timeout", "The waiting cell did not answer in time.") from None

    async def _evaluate(self, kernel_id: str, expression: str, kind: type[_Value]) -> _Value:
        content = {
            "code": "",
            "silent": True,
            "store_history": False,
            "user_expressions": {"told": expression},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        return _read_value(await self._request(kernel_id, "execute_request", content), kind)

    async def _request(self, kernel_id: str, kind: str, content: dict[str, Any]) -> dict[str, Any]:
        async with self._life.channel(kernel_id) as channel:
            return await channel.request(kind, content, _REPLY_SECONDS)


def _read_value(reply: dict[str, Any], kind: type[_Value]) -> _Value:
    told = (reply.get("user_expressions") or {}).get("told") or {}
    if told.get("status") != "ok":
        raise KernelError(
            "unsupported",
            "The kernel can't tell its variables: it is not a Python kernel, or acp-jupyter is not "
            "installed in its environment (%pip install acp-jupyter). Inspect a name, or run code "
            "that lists them in the kernel's language.",
        )
    try:
        return kind.model_validate_json(ast.literal_eval(told["data"]["text/plain"]))
    except (KeyError, TypeError, ValueError, SyntaxError, ValidationError):
        raise KernelError("unsupported", "The kernel's reply can't be read.") from None


def _new_id() -> str:
    return uuid.uuid4().hex
