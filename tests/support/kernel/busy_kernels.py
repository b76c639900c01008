"""A kernel that is busy, with no process behind it, and the code that a tool runs in it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.notebook_tools.kernel_work import KernelWork, WaitingCells
from acp_jupyter.server.kernel_runner import ServerKernelRunner


class BusyKernels(dict[str, Any]):
    """As Jupyter's manager of kernels, as far as the runner asks it."""

    execution_state = "busy"

    def __init__(self) -> None:
        super().__init__(k=None)
        self.provisioner = SimpleNamespace(pid=1)
        self.interrupted = asyncio.Event()

    def get_kernel(self, kernel_id: str) -> BusyKernels:
        return self

    async def is_alive(self) -> bool:
        return True

    async def interrupt_kernel(self) -> None:
        self.interrupted.set()


async def never() -> TurnDetail:
    """As a turn that does not end."""
    await asyncio.Event().wait()
    raise AssertionError


async def taken(cells: WaitingCells) -> KernelWork:
    """Return the work that a waiting cell gets next."""
    found = (await cells.follow("k", never())).work
    assert found is not None
    return found


async def begun(runner: ServerKernelRunner, cells: WaitingCells) -> tuple[asyncio.Task[Any], str]:
    """Have a waiting cell begin code; return that, and its name."""
    looking = asyncio.create_task(taken(cells))
    await asyncio.sleep(0)
    running = asyncio.create_task(runner.execute("k", "1", timeout_seconds=9))
    return running, (await looking).work_id
