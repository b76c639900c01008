"""Work of tools for cells that wait, and what happens when nobody takes it or nobody answers."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from acp_jupyter.delivery.frames import TurnDetail
from acp_jupyter.notebook import waiting_cells
from acp_jupyter.notebook.kernel_runner import KernelTrouble, RunResult
from acp_jupyter.notebook.kernel_work import FinishedWork, KernelWork, RunCode
from acp_jupyter.notebook.waiting_cells import NoCellWaits, WaitingCells
from acp_jupyter.server import kernel_runner
from acp_jupyter.server.kernel_runner import ServerKernelRunner

_OK = RunResult(status="ok")


def work(name: str = "w") -> RunCode:
    return RunCode(work_id=name, code="1", timeout_seconds=1)


async def never() -> TurnDetail:
    await asyncio.Event().wait()
    raise AssertionError


async def taken(cells: WaitingCells) -> KernelWork:
    found = (await cells.follow("k", never())).work
    assert found is not None
    return found


@pytest.mark.asyncio
async def test_a_cell_does_one_piece_after_the_other() -> None:
    cells = WaitingCells()
    jobs = [asyncio.create_task(cells.do("k", work(name))) for name in "abc"]
    for name in "abc":
        assert (await taken(cells)).work_id == name
        assert cells.waits("k")
        assert not cells.finish("k", FinishedWork(work_id=name, ran=_OK))
    assert await asyncio.gather(*jobs) == [_OK] * 3


@pytest.mark.asyncio
async def test_a_kernel_gets_no_work_of_another() -> None:
    cells = WaitingCells()
    job = asyncio.create_task(cells.do("other", work()))
    looking = asyncio.create_task(cells.follow("k", never()))
    done, _ = await asyncio.wait([looking], timeout=0.1)
    assert not done
    looking.cancel()
    job.cancel()


@pytest.mark.asyncio
async def test_where_no_cell_waits_the_work_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_cells, "_BETWEEN_SECONDS", 0.05)
    cells = WaitingCells()
    assert not cells.waits("k")
    with pytest.raises(NoCellWaits):
        await cells.do("k", work())


@pytest.mark.asyncio
async def test_a_cell_that_looks_again_without_an_answer_has_lost_it() -> None:
    cells = WaitingCells()
    job = asyncio.create_task(cells.do("k", work()))
    await taken(cells)
    looking = asyncio.create_task(cells.follow("k", never()))
    with pytest.raises(KernelTrouble, match="was lost"):
        await job
    looking.cancel()


@pytest.mark.asyncio
async def test_an_interrupt_of_a_tool_is_told_apart_from_the_users() -> None:
    cells = WaitingCells()
    stopped = FinishedWork(work_id="w", ran=RunResult(status="interrupted"))
    assert not cells.mark_interrupted("k")
    for by_tool in (True, False):
        job = asyncio.create_task(cells.do("k", work()))
        await taken(cells)
        assert not by_tool or cells.mark_interrupted("k")
        assert cells.finish("k", stopped) is by_tool
        await job
    # Nobody waits for it any more: its turn was stopped, and the cell sees that by itself.
    job = asyncio.create_task(cells.do("k", work()))
    await taken(cells)
    job.cancel()
    await asyncio.wait([job])
    assert cells.finish("k", stopped)


@pytest.mark.asyncio
async def test_what_waits_for_a_kernel_that_was_restarted_fails() -> None:
    cells = WaitingCells()
    jobs = [asyncio.create_task(cells.do("k", work(name))) for name in "ab"]
    await taken(cells)
    cells.forget("k")
    for job in jobs:
        with pytest.raises(KernelTrouble, match="ended or was restarted"):
            await job
    assert not cells.waits("k")


@pytest.mark.asyncio
async def test_too_much_waiting_work_is_refused() -> None:
    cells = WaitingCells()
    jobs = [asyncio.create_task(cells.do("k", work(str(number)))) for number in range(100)]
    await asyncio.sleep(0)
    with pytest.raises(KernelTrouble, match="Too many"):
        await cells.do("k", work())
    for job in jobs:
        job.cancel()


class BusyKernels(dict[str, Any]):
    """As Jupyter's manager of kernels, as far as the runner asks it."""

    execution_state = "busy"

    def get_kernel(self, kernel_id: str) -> BusyKernels:
        return self

    async def is_alive(self) -> bool:
        return True


@pytest.mark.asyncio
async def test_a_kernel_that_is_busy_for_ever_is_told_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel_runner, "_BUSY_SECONDS", 0.2)
    kernels = BusyKernels(k=None)
    runner = ServerKernelRunner(cast("Any", kernels), WaitingCells())
    runner.begin(asyncio.get_running_loop())
    with pytest.raises(KernelTrouble) as told:
        await runner.execute("k", "1", timeout_seconds=1)
    assert told.value.trouble == "busy"
    kernels.execution_state = "dead"
    with pytest.raises(KernelTrouble) as told:
        await runner.variables("k")
    assert told.value.trouble == "dead"


@pytest.mark.asyncio
async def test_a_cell_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_runner, "_EXTRA_SECONDS", 0.1)
    cells = WaitingCells()
    runner = ServerKernelRunner(cast("Any", BusyKernels(k=None)), cells)
    runner.begin(asyncio.get_running_loop())
    looking = asyncio.create_task(taken(cells))
    await asyncio.sleep(0)
    with pytest.raises(KernelTrouble) as told:
        await runner.execute("k", "1", timeout_seconds=0.1)
    assert told.value.trouble == "timeout"
    assert (await looking).op == "run"
