"""The state of a server's kernels (alive, idle), their restarts and interrupts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from acp_jupyter.notebook_tools.kernel_runner import KernelError
from acp_jupyter.server.kernel.channel import KernelChannel
from acp_jupyter.server.kernel.remote import RemoteKernels

if TYPE_CHECKING:
    from jupyter_client.manager import AsyncKernelManager
    from jupyter_client.multikernelmanager import MultiKernelManager


DEAD = "The kernel has died. Ask the user to restart it."
_T = TypeVar("_T")
_ALIVE_SECONDS = 0.5
_RESTART_SECONDS = 60.0


class KernelLifecycle:
    """Finds out whether kernels are alive and idle. Used on the host's loop."""

    def __init__(
        self,
        kernels: MultiKernelManager,
        remote: RemoteKernels | None = None,
        dead: str = DEAD,
    ) -> None:
        self._kernels: Any = kernels
        self._dead = dead
        self._remote = remote
        self._ended: dict[str, object] = {}
        """The last process of each kernel that is known to have ended."""
        self.loop: asyncio.AbstractEventLoop | None = None
        """Jupyter's loop, once it runs; requests to kernels run on it."""

    def manager(self, kernel_id: str) -> AsyncKernelManager:
        """Return a kernel's manager."""
        self.must_exist(kernel_id)
        manager: AsyncKernelManager = self._kernels.get_kernel(kernel_id)
        return manager

    def must_exist(self, kernel_id: str) -> None:
        """Raise `KernelError` if there is no such kernel."""
        if not kernel_id or kernel_id not in self._kernels:
            self._ended.pop(kernel_id, None)
            raise KernelError("no_kernel", "No kernel runs for this notebook. Start one first.")

    def channel(self, kernel_id: str) -> KernelChannel:
        """Return a client of a kernel, not connected yet."""
        channels = None if self._remote is None else self._remote.channels(kernel_id)
        return KernelChannel(self.manager(kernel_id), channels)

    async def is_alive(self, kernel_id: str) -> bool:
        """Return whether a kernel's process runs; False while it restarts. On Jupyter's loop."""
        manager = self.manager(kernel_id)
        process = self.process(kernel_id)
        if await self._runs(kernel_id):
            return True
        self._ended[kernel_id] = process
        if not getattr(manager, "autorestart", False):
            raise self.dead()
        return False

    def is_free(self, kernel_id: str) -> bool:
        """Return whether a kernel is idle."""
        state = getattr(self.manager(kernel_id), "execution_state", "idle")
        if state == "dead":
            raise self.dead()
        if state != "busy":
            self._ended.pop(kernel_id, None)
            return True  # a starting kernel queues requests
        # Jupyter keeps the busy state of a dead process until the next one reports its state,
        # and the first report may be lost.
        return self._ended.get(kernel_id) not in (None, self.process(kernel_id))

    def dead(self) -> KernelError:
        """Return the error for a kernel that will not be restarted."""
        return KernelError("dead", self._dead)

    async def restart(self, kernel_id: str) -> None:
        """Restart a kernel. On Jupyter's loop."""
        self._ended[kernel_id] = self.process(kernel_id)
        try:
            await asyncio.wait_for(self._kernels.restart_kernel(kernel_id), _RESTART_SECONDS)
        except TimeoutError:
            raise KernelError("timeout", "The kernel did not come back.") from None

    def process(self, kernel_id: str) -> object:
        """Return an object that identifies a kernel's current process."""
        if self._remote is not None:
            return self._remote.process(kernel_id)
        provisioner = getattr(self._kernels.get_kernel(kernel_id), "provisioner", None)
        return getattr(provisioner, "pid", None)

    async def interrupt(self, kernel_id: str, process: object) -> None:
        """Interrupt a kernel if it is still the same process. On Jupyter's loop.

        An interrupt would end a kernel that is just starting.
        """
        if self._remote is not None and self._remote.is_stopping(kernel_id):
            return
        if kernel_id in self._kernels and self.process(kernel_id) == process:
            await self.manager(kernel_id).interrupt_kernel()

    async def on_jupyters_loop(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine on Jupyter's loop and wait for it."""
        if self.loop is None:
            work.close()
            raise KernelError("no_kernel", "The server has not started yet.")
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self.loop))

    async def unless_dead(self, kernel_id: str, work: Awaitable[_T]) -> _T:
        """Wait for a task as long as the kernel lives."""
        job = asyncio.ensure_future(work)
        end = asyncio.ensure_future(self.on_jupyters_loop(self._until_dead(kernel_id)))
        try:
            await asyncio.wait({job, end}, return_when=asyncio.FIRST_COMPLETED)
            if job.done():
                return job.result()
            end.result()
            raise KernelError("dead", "The kernel ended or was restarted meanwhile.")
        finally:
            job.cancel()
            end.cancel()
            await asyncio.wait({job, end})

    async def _until_dead(self, kernel_id: str) -> None:
        first = self.process(kernel_id)
        while kernel_id in self._kernels and self.process(kernel_id) == first:
            if not await self._runs(kernel_id):
                break
            await asyncio.sleep(_ALIVE_SECONDS)
        self._ended[kernel_id] = first

    async def _runs(self, kernel_id: str) -> bool:
        if self._remote is not None:
            return await self._remote.is_alive(kernel_id)
        alive: bool = await self._kernels.get_kernel(kernel_id).is_alive()
        return alive
