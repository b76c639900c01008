"""Work of tools for cells that wait, and what happens when nobody takes it or nobody answers."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from acp_jupyter.notebook_tools import kernel_work
from acp_jupyter.notebook_tools.kernel_runner import KernelError, RunResult
from acp_jupyter.notebook_tools.kernel_work import (
    FinishedWork,
    NoCellWaits,
    RunCodeWork,
    WaitingCells,
)
from acp_jupyter.server import kernel_runner
from acp_jupyter.server.kernel import lifecycle
from acp_jupyter.server.kernel_runner import ServerKernelRunner
from tests.support.kernel.busy_kernels import BusyKernels, begun, never, taken
from tests.support.wait import PATIENCE_SECONDS

_OK = RunResult(status="ok")


def work(name: str = "w") -> RunCodeWork:
    return RunCodeWork(work_id=name, code="1", timeout_seconds=1)


def pass_over() -> None:
    """Nothing is to be stopped."""


@pytest.mark.asyncio
async def test_a_cell_does_one_piece_after_the_other() -> None:
    cells = WaitingCells()
    jobs = [asyncio.create_task(cells.do("k", work(name), stop=pass_over)) for name in "abc"]
    for name in "abc":
        assert (await taken(cells)).work_id == name
        assert cells.waits("k")
        assert not cells.finish("k", FinishedWork(work_id=name, ran=_OK))
    assert await asyncio.gather(*jobs) == [_OK] * 3


@pytest.mark.asyncio
async def test_a_kernel_gets_no_work_of_another() -> None:
    cells = WaitingCells()
    job = asyncio.create_task(cells.do("other", work("theirs"), stop=pass_over))
    looking = asyncio.create_task(taken(cells))
    await asyncio.sleep(0)
    own = asyncio.create_task(cells.do("k", work("own"), stop=pass_over))
    assert (await looking).work_id == "own"
    own.cancel()
    job.cancel()


@pytest.mark.asyncio
async def test_where_no_cell_waits_the_work_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_work, "_BETWEEN_SECONDS", 0.05)
    cells = WaitingCells()
    assert not cells.waits("k")
    with pytest.raises(NoCellWaits):
        await cells.do("k", work(), stop=pass_over)


@pytest.mark.asyncio
async def test_a_cell_that_looks_again_without_an_answer_has_lost_it() -> None:
    cells = WaitingCells()
    job = asyncio.create_task(cells.do("k", work(), stop=pass_over))
    await taken(cells)
    looking = asyncio.create_task(cells.follow("k", never()))
    with pytest.raises(KernelError, match="was lost"):
        await job
    looking.cancel()


@pytest.mark.asyncio
async def test_an_interrupt_of_a_tool_is_told_apart_from_the_users() -> None:
    cells = WaitingCells()
    stopped = FinishedWork(work_id="w", ran=RunResult(status="interrupted"))
    assert not cells.mark_interrupted("k")
    for by_tool in (True, False):
        job = asyncio.create_task(cells.do("k", work(), stop=pass_over))
        await taken(cells)
        assert not by_tool or cells.mark_interrupted("k")
        assert cells.finish("k", stopped) is by_tool
        await job
    # Nobody waits for it any more: its turn was stopped, and the cell sees that by itself.
    job = asyncio.create_task(cells.do("k", work(), stop=pass_over))
    await taken(cells)
    job.cancel()
    await asyncio.wait([job])
    assert cells.finish("k", stopped)


@pytest.mark.asyncio
async def test_what_waits_for_a_kernel_that_was_restarted_fails() -> None:
    cells = WaitingCells()
    jobs = [asyncio.create_task(cells.do("k", work(name), stop=pass_over)) for name in "ab"]
    await taken(cells)
    cells.forget("k")
    for job in jobs:
        with pytest.raises(KernelError, match="ended or was restarted"):
            await job
    assert not cells.waits("k")


@pytest.mark.asyncio
async def test_too_much_waiting_work_is_refused() -> None:
    cells = WaitingCells()
    jobs = [
        asyncio.create_task(cells.do("k", work(str(number)), stop=pass_over))
        for number in range(100)
    ]
    await asyncio.sleep(0)
    with pytest.raises(KernelError, match="Too many"):
        await cells.do("k", work(), stop=pass_over)
    for job in jobs:
        job.cancel()


def runner_of(kernels: BusyKernels, cells: WaitingCells) -> ServerKernelRunner:
    runner = ServerKernelRunner(cast("Any", kernels), cells)
    runner.begin(asyncio.get_running_loop())
    return runner


@pytest.mark.asyncio
async def test_a_kernel_that_is_busy_for_ever_is_told_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel_runner, "_BUSY_SECONDS", 0.2)
    kernels = BusyKernels()
    runner = runner_of(kernels, WaitingCells())
    with pytest.raises(KernelError) as told:
        await runner.execute("k", "1", timeout_seconds=1)
    assert told.value.trouble == "busy"
    kernels.execution_state = "dead"
    with pytest.raises(KernelError) as told:
        await runner.variables("k")
    assert told.value.trouble == "dead"


@pytest.mark.asyncio
async def test_a_cell_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_runner, "_EXTRA_SECONDS", 0.1)
    cells = WaitingCells()
    runner = runner_of(BusyKernels(), cells)
    looking = asyncio.create_task(taken(cells))
    await asyncio.sleep(0)
    with pytest.raises(KernelError) as told:
        await runner.execute("k", "1", timeout_seconds=0.1)
    assert told.value.trouble == "timeout"
    assert (await looking).op == "run"


@pytest.mark.asyncio
async def test_a_tool_that_gives_up_in_the_queue_stops_nothing_of_another() -> None:
    kernels, cells = BusyKernels(), WaitingCells()
    runner = runner_of(kernels, cells)
    running, name = await begun(runner, cells)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await runner.variables("k")
    assert not cells.finish("k", FinishedWork(work_id=name, ran=_OK))
    assert await running == _OK
    assert not kernels.interrupted.is_set()


@pytest.mark.asyncio
async def test_code_whose_tool_gives_up_is_stopped_unless_its_kernel_was_restarted() -> None:
    kernels, cells = BusyKernels(), WaitingCells()
    runner = runner_of(kernels, cells)
    for pid in (2, 1):  # a kernel that only starts would end by an interrupt
        kernels.provisioner.pid = 1
        running, name = await begun(runner, cells)
        kernels.provisioner.pid = pid
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        if pid == 1:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await kernels.interrupted.wait()
        assert kernels.interrupted.is_set() is (pid == 1)
        assert cells.finish("k", FinishedWork(work_id=name, ran=_OK))


@pytest.mark.asyncio
async def test_two_tools_at_once_run_their_code_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernels = BusyKernels()
    kernels.execution_state = "idle"
    at_once: list[int] = []
    running = 0

    class Channel:
        def __init__(self, *given: object) -> None:
            pass

        async def __aenter__(self) -> Channel:
            return self

        async def __aexit__(self, *error: object) -> None:
            pass

        async def run(self, code: str, **more: object) -> RunResult:
            nonlocal running
            running += 1
            at_once.append(running)
            await asyncio.sleep(0.01)
            running -= 1
            return _OK

    monkeypatch.setattr(lifecycle, "KernelChannel", Channel)
    runner = runner_of(kernels, WaitingCells())
    await asyncio.gather(*(runner.execute("k", "1", timeout_seconds=9) for _ in range(3)))
    assert at_once == [1, 1, 1]
