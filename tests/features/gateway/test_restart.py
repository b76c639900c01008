"""A restart of a kernel behind a gateway."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tornado.web import Application

from acp_jupyter.features.gateway.kernels import GatewayKernels
from acp_jupyter.notebook_tools.kernel_runner import KernelError
from acp_jupyter.notebook_tools.kernel_work import WaitingCells
from acp_jupyter.server.kernel_runner import ServerKernelRunner
from tests.support.kernel.busy_kernels import BusyKernels, begun


class FarKernels(BusyKernels):
    """As Jupyter's manager of a gateway's kernels, which have no processes here."""

    def __init__(self) -> None:
        super().__init__()
        self.provisioner = SimpleNamespace()

    async def start_kernel(self, **options: object) -> str:
        raise AssertionError

    async def shutdown_kernel(self, kernel_id: str) -> None:
        raise AssertionError

    async def restart_kernel(self, kernel_id: str) -> None:
        await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_a_restart_behind_a_gateway_is_noticed() -> None:
    kernels, cells = FarKernels(), WaitingCells()
    gateway = GatewayKernels(cast("Any", kernels), Application(), "/")
    gateway.begin()
    runner = ServerKernelRunner(cast("Any", kernels), cells, gateway)
    runner.begin(asyncio.get_running_loop())
    running, _ = await begun(runner, cells)
    await kernels.restart_kernel("k")
    with pytest.raises(KernelError) as told:
        await running
    assert told.value.trouble == "dead"
    assert not kernels.interrupted.is_set()
