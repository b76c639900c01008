"""Starts the kernels of variants outside of Jupyter's manager: no page lists or culls them.

The server refuses their requests, as Jupyter's manager doesn't know them. They end with their
variant and with this server; if the server is killed, they end like other kernels.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any

from jupyter_client.kernelspec import NoSuchKernel
from jupyter_client.multikernelmanager import AsyncMultiKernelManager

from acp_jupyter.api.kernel_auth import URL_VARIABLE
from acp_jupyter.cells.no_agents import CHECK_VARIABLE
from acp_jupyter.errors import plain_reason
from acp_jupyter.features.variants.kernel_request import NoKernel, VariantKernelRequest
from acp_jupyter.features.variants.own_kernels import VariantKernel, VariantKernels
from acp_jupyter.notebook_tools.kernel_runner import KernelError
from acp_jupyter.notebook_tools.kernel_work import WaitingCells
from acp_jupyter.server.kernel.lifecycle import KernelLifecycle
from acp_jupyter.server.kernel_runner import ServerKernelRunner
from acp_jupyter.server.part import ServerContext, ServerPart

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

_logger = logging.getLogger(__name__)
_READY_SECONDS = 60
_STOP_SECONDS = 20.0
_DEAD = "Your kernel has died. restart_kernel starts it again, without variables."


class VariantsOnServer(ServerPart):
    """Plans and starts the kernels of variants."""

    def __init__(self, context: ServerContext) -> None:
        self._starter = starter = _KernelStarter(context.app)
        self._kernels = VariantKernels(
            starter, context.kernel_runner, starter.runner, context.limits
        )

    async def plan(self, request: VariantKernelRequest) -> VariantKernel | NoKernel:
        """Return a variant's kernel, not started yet, or why it gets none. On the host's loop."""
        return await self._kernels.plan(request)

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Store Jupyter's loop, once it runs."""
        self._starter.begin(loop)

    async def close(self) -> None:
        """End all kernels that remain."""
        await self._starter.close()


class _KernelStarter:
    """A `KernelStarter`, and the runner of its kernels. Used on the host's loop."""

    def __init__(self, serverapp: ServerApp) -> None:
        users: Any = serverapp.kernel_manager
        self._users = users
        self._gateway = serverapp.gateway_config.gateway_enabled
        self._manager: Any = AsyncMultiKernelManager(
            parent=serverapp,
            kernel_spec_manager=serverapp.kernel_spec_manager,
            kernel_manager_class="jupyter_client.manager.AsyncKernelManager",
            connection_dir=users.connection_dir,
            use_pending_kernels=False,
        )
        self.runner = ServerKernelRunner(self._manager, WaitingCells(), dead=_DEAD)
        self._life = KernelLifecycle(self._manager)
        self._starting: dict[str, asyncio.Future[Any]] = {}

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Store Jupyter's loop, once it runs."""
        self._life.loop = loop
        self.runner.begin(loop)

    def spec_of(self, kernel_id: str) -> str:
        """Return the name of the specification of a user's kernel; empty behind a gateway."""
        if self._gateway or kernel_id not in self._users:
            return ""
        return str(self._users.get_kernel(kernel_id).kernel_name)

    async def start(self, kernel_id: str, spec: str, notebook: Path) -> None:
        """Start a kernel and wait until it answers."""
        await self._life.on_jupyters_loop(self._start(kernel_id, spec, notebook))

    async def stop(self, kernel_id: str) -> None:
        """End a kernel with its processes, even while it starts."""
        try:
            await self._life.on_jupyters_loop(self._stop(kernel_id))
        except (KernelError, RuntimeError):
            _logger.warning("the kernel %s of a variant may be running still", kernel_id)

    async def close(self) -> None:
        """End all remaining kernels. On Jupyter's loop."""
        for kernel_id in {*self._starting, *self._manager.list_kernel_ids()}:
            await self._stop(kernel_id)

    # -- on Jupyter's loop -------------------------------------------------------

    async def _start(self, kernel_id: str, spec: str, notebook: Path) -> None:
        env = {**os.environ, CHECK_VARIABLE: "1", "JPY_SESSION_NAME": str(notebook)}
        env.pop(URL_VARIABLE, None)
        # Text that the kernel's process prints itself is no output of a cell.
        quiet = {"stdout": DEVNULL, "stderr": DEVNULL}
        started = self._manager.start_kernel(
            kernel_name=spec, kernel_id=kernel_id, cwd=str(notebook.parent), env=env, **quiet
        )
        spawned = self._starting[kernel_id] = asyncio.ensure_future(started)
        try:
            await asyncio.shield(spawned)
            manager = self._manager.get_kernel(kernel_id)
            manager.autorestart = False  # an empty kernel must not silently replace it
            await _answers(manager)
        except NoSuchKernel:
            raise KernelError("no_kernel", f"There is no kernel {spec!r} here any more.") from None
        except (OSError, RuntimeError) as error:
            words = f"The kernel {spec!r} did not start: {plain_reason(error)}"
            raise KernelError("no_kernel", words) from error

    async def _stop(self, kernel_id: str) -> None:
        spawned = self._starting.pop(kernel_id, None)
        if spawned is not None:
            await asyncio.wait([spawned], timeout=_STOP_SECONDS)
        if kernel_id not in self._manager:
            return
        try:
            stopped = self._manager.shutdown_kernel(kernel_id, now=True)
            await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(stopped)), _STOP_SECONDS)
        except Exception:
            _logger.exception("the kernel %s of a variant was not stopped", kernel_id)


async def _answers(manager: Any) -> None:
    client = manager.client()
    client.start_channels(stdin=False, hb=False)
    try:
        await client.wait_for_ready(timeout=_READY_SECONDS)
    finally:
        with contextlib.suppress(Exception):
            client.stop_channels()
