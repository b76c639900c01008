"""Runs a copy of a notebook from the top in a second kernel, and compares the outputs.

The notebook, its file and its kernel don't change. Cells that ask agents are not run, nor are
cells that use a name that such a cell would set. The second kernel always ends with the check.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any

from acp_jupyter.cells.markers import Markers, markers_of
from acp_jupyter.cells.no_agents import CHECK_VARIABLE, NO_AGENTS
from acp_jupyter.cells.skipped import ASKS, SkippedCells
from acp_jupyter.errors import BadRequest, plain_reason
from acp_jupyter.features.checks.compare import compare_outputs, error_of
from acp_jupyter.features.checks.report import (
    CheckedCell,
    CheckedCellStarted,
    CheckEnded,
    CheckLine,
    CheckStarted,
)
from acp_jupyter.protocol.objects import obj

if TYPE_CHECKING:
    from nbclient import NotebookClient

CELL_SECONDS = 600.0
"""How long a cell may run, unless the caller says otherwise."""
SECONDS = 3600.0
"""No cell is started after that."""
OUTPUT_CHARS = 100_000_000
"""Most characters of all outputs; a cell that exceeds this is interrupted."""
START_SECONDS = 60
_REST = "not run"


async def check_lines(
    notebook: Any,
    *,
    folder: Path,
    kernel_name: str = "",
    spec: Mapping[str, Any] | None = None,
    cell_seconds: float | None = CELL_SECONDS,
    environment: Mapping[str, str] | None = None,
) -> AsyncGenerator[CheckLine, None]:
    """Check a notebook and yield the events; the kernel ends when the iterator is closed.

    Parameters
    ----------
    notebook
        As nbformat reads it; it is copied.
    kernel_name
        Name of the kernel; by default the notebook's kernel.
    cell_seconds
        How long a cell may run; None for any time.
    """
    import nbformat

    copy = nbformat.from_dict(notebook)  # type: ignore[no-untyped-call] # a copy
    name = kernel_name or str(copy.metadata.get("kernelspec", {}).get("name", "python3"))
    cells = [(at, cell) for at, cell in enumerate(copy.cells) if cell.cell_type == "code"]
    run = _Run(cell_seconds)
    kernel = _kernel(copy, name, spec, folder, cell_seconds, environment or {}, run.output)
    async with kernel as client:
        yield CheckStarted(cells=len(cells))
        for at, cell in cells:
            skipped = run.skipped(at + 1, cell)
            if skipped is None:
                yield CheckedCellStarted(number=at + 1)
            yield skipped or await run.checked(client, at, cell)
    yield CheckEnded(words=run.ended)


@asynccontextmanager
async def _kernel(
    notebook: Any,
    name: str,
    spec: Mapping[str, Any] | None,
    folder: Path,
    cell_seconds: float | None,
    environment: Mapping[str, str],
    output: _OutputCounter,
) -> AsyncIterator[NotebookClient]:
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager, NoSuchKernel
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbformat import NotebookNode

    class Found(KernelSpecManager):
        """Returns the specification that the caller has passed."""

        def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
            return KernelSpec(**spec) if spec is not None else super().get_kernel_spec(kernel_name)

    class Bounded(NotebookClient):
        """Drops outputs above the limit, and interrupts the kernel."""

        def process_message(
            self, msg: dict[str, Any], cell: NotebookNode, cell_index: int
        ) -> NotebookNode | None:
            if output.count(msg["content"]):
                return super().process_message(msg, cell, cell_index)
            output.interrupt(manager)
            if msg["msg_type"] in {"stream", "display_data", "execute_result"}:
                return None
            return super().process_message(msg, cell, cell_index)

    manager = AsyncKernelManager(kernel_name=name, kernel_spec_manager=Found())
    client = Bounded(
        notebook,
        km=manager,
        timeout=None if cell_seconds is None else max(1, round(cell_seconds)),
        startup_timeout=START_SECONDS,
        allow_errors=True,
        shutdown_kernel="immediate",
    )
    client.reset_execution_trackers()
    env = {**os.environ, **environment, CHECK_VARIABLE: "1"}
    try:
        try:
            # Text that the kernel's process prints itself is no output of a cell.
            quiet = {"stdout": DEVNULL, "stderr": DEVNULL}
            await client.async_start_new_kernel(cwd=str(folder), env=env, **quiet)
            await client.async_start_new_kernel_client()
            assert client.kc is not None
            client.kc.allow_stdin = False  # no user can answer
        except NoSuchKernel:
            raise BadRequest(
                f"There is no kernel {name!r} here. Choose one for the notebook."
            ) from None
        except (OSError, RuntimeError) as error:
            raise BadRequest(f"The kernel {name!r} did not start.", plain_reason(error)) from error
        yield client
    finally:
        # The kernel also ends if the check is cancelled, even twice.
        await asyncio.shield(asyncio.ensure_future(_end(client, manager)))


async def _end(client: NotebookClient, manager: Any) -> None:
    if client.kc is not None:
        client.kc.stop_channels()
        client.kc = None
    if manager.has_kernel:
        await manager.shutdown_kernel(now=True)


class _OutputCounter:
    """Counts how much a kernel has written."""

    def __init__(self) -> None:
        self._chars = 0
        self._interrupted: asyncio.Future[None] | None = None

    @property
    def is_too_much(self) -> bool:
        """Whether the kernel has written more than `OUTPUT_CHARS`."""
        return self._chars > OUTPUT_CHARS

    def count(self, content: Mapping[str, Any]) -> bool:
        """Count a message; return whether the total is within the limit."""
        texts = [content.get("text"), *obj(content.get("data")).values()]
        self._chars += sum(len(each) for each in texts if isinstance(each, str))
        return not self.is_too_much

    def interrupt(self, manager: Any) -> None:
        """Interrupt the kernel, once."""
        if self._interrupted is None:
            self._interrupted = asyncio.ensure_future(manager.interrupt_kernel())


class _Run:
    """The state of a check while the cells run from the top."""

    def __init__(self, cell_seconds: float | None) -> None:
        self._cell_seconds = cell_seconds
        self._until = time.monotonic() + SECONDS
        self._skipped = SkippedCells()
        self.ended = ""
        self.output = _OutputCounter()

    def skipped(self, number: int, cell: Any) -> CheckedCell | None:
        """Return the verdict on a cell that must not run; None for any other."""
        if not self.ended and time.monotonic() > self._until:
            self.ended = f"The check took longer than {SECONDS / 60:g} minutes, so it was stopped."
        reason = _REST if self.ended else self._skipped.why(number, cell)
        return _verdict(number, cell, "skipped", reason) if reason else None

    async def checked(self, client: NotebookClient, at: int, cell: Any) -> CheckedCell:
        """Run a cell, and compare its outputs."""
        from nbclient.exceptions import CellTimeoutError, DeadKernelError

        number, old, count = at + 1, list(cell.get("outputs", ())), cell.get("execution_count")
        cell.outputs = []
        try:
            await client.async_execute_cell(cell, at)
        except CellTimeoutError:
            seconds = f"{self._cell_seconds:g} seconds"
            self.ended = f"Cell {number} took longer than {seconds}, so the rest was not run."
            return _verdict(number, cell, "failed", f"longer than {seconds}")
        except DeadKernelError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise asyncio.CancelledError from None  # not a dead kernel, as nbclient says
            self.ended = f"The kernel died in cell {number}, so the rest was not run."
            return _verdict(number, cell, "failed", "the kernel died")
        if self.output.is_too_much:
            most = f"{OUTPUT_CHARS // 1_000_000} MB of output"
            self.ended = f"Cell {number} wrote more than {most}, so the rest was not run."
            return _verdict(number, cell, "failed", f"more than {most}")
        return self._compared(number, cell, old, count)

    def _compared(self, number: int, cell: Any, old: list[Any], count: int | None) -> CheckedCell:
        marked, error = markers_of(cell), error_of(cell.outputs)
        if error is not None and NO_AGENTS in (error.new or ""):
            self._skipped.add(number, cell)
            return _verdict(number, cell, "skipped", ASKS)
        if error is not None and Markers.RAISES not in marked:
            reason = (error.new or "").strip().rpartition("\n")[2]
            return CheckedCell(
                cell_id=_id(cell),
                number=number,
                verdict="failed",
                reason=reason[:200],
                differences=(error,),
            )
        if Markers.IGNORE_OUTPUT in marked:
            return _verdict(number, cell, "same", "its output is marked to be ignored")
        if count is None and not old:
            return _verdict(number, cell, "skipped", "it had not been run, so it was not compared")
        differences = compare_outputs(old, cell.outputs)
        return CheckedCell(
            cell_id=_id(cell),
            number=number,
            verdict="different" if any(each.counts for each in differences) else "same",
            differences=differences,
        )


def _verdict(number: int, cell: Any, verdict: Any, reason: str) -> CheckedCell:
    return CheckedCell(cell_id=_id(cell), number=number, verdict=verdict, reason=reason)


def _id(cell: Any) -> str:
    return str(cell.get("id", ""))
