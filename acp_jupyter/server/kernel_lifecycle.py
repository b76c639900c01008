"""The lifecycle of the server's kernels, as those who run code in them need to know it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from acp_jupyter.notebook_tools.kernel_runner import KernelError

if TYPE_CHECKING:
    from jupyter_client.manager import AsyncKernelManager
    from jupyter_server.services.kernels.kernelmanager import MappingKernelManager


_T = TypeVar("_T")
_ALIVE_SECONDS = 0.5
_RESTART_SECONDS = 60.0


class KernelLifecycle:
    """Tells which kernels live and are free. Used on the host's loop.

    Parameters
    ----------
    kernels
        Of the server.
    """

    def __init__(self, kernels: MappingKernelManager) -> None:
        self._kernels: Any = kernels
        self._ended: dict[str, object] = {}
        """The last process of each kernel that was seen to be gone."""
        self.loop: asyncio.AbstractEventLoop | None = None
        """Jupyter's, once it runs: kernels are spoken to there."""

    def manager(self, kernel_id: str) -> AsyncKernelManager:
        """Return what manages a kernel.

        Raises
        ------
        KernelError
            There is none of that id.
        """
        self.must_exist(kernel_id)
        manager: AsyncKernelManager = self._kernels.get_kernel(kernel_id)
        return manager

    def must_exist(self, kernel_id: str) -> None:
        """Raise `KernelError` where there is no such kernel."""
        if not kernel_id or kernel_id not in self._kernels:
            self._ended.pop(kernel_id, None)
            raise KernelError("no_kernel", "No kernel runs for this notebook. Start one first.")

    async def is_alive(self, kernel_id: str) -> bool:
        """Tell whether its process runs; False while Jupyter starts it again. On Jupyter's loop.

        Raises
        ------
        KernelError
            It has ended, and nothing starts it again.
        """
        manager = self.manager(kernel_id)
        process = self.process(kernel_id)
        if await manager.is_alive():
            return True
        self._ended[kernel_id] = process
        if not getattr(manager, "autorestart", False):
            raise self.dead()
        return False

    def is_free(self, kernel_id: str) -> bool:
        """Tell whether it runs nothing.

        Raises
        ------
        KernelError
            It has ended.
        """
        state = getattr(self.manager(kernel_id), "execution_state", "idle")
        if state == "dead":
            raise self.dead()
        if state != "busy":
            self._ended.pop(kernel_id, None)
            return True  # one that starts takes requests, and does them later
        # Jupyter keeps the word of a process that died while it was busy, until it hears from
        # the next one; what that says first may be lost.
        return self._ended.get(kernel_id) not in (None, self.process(kernel_id))

    @staticmethod
    def dead() -> KernelError:
        """Return what to tell of a kernel that nothing starts again."""
        return KernelError("dead", "The kernel has died. Ask the user to restart it.")

    async def restart(self, kernel_id: str) -> None:
        """Restart a kernel. On Jupyter's loop."""
        self._ended[kernel_id] = self.process(kernel_id)
        try:
            await asyncio.wait_for(self._kernels.restart_kernel(kernel_id), _RESTART_SECONDS)
        except TimeoutError:
            raise KernelError("timeout", "The kernel did not come back.") from None

    def process(self, kernel_id: str) -> object:
        """Return what tells a kernel's process from the next one of the same id."""
        provisioner = getattr(self._kernels.get_kernel(kernel_id), "provisioner", None)
        return getattr(provisioner, "pid", None)

    async def interrupt(self, kernel_id: str, process: object) -> None:
        """Interrupt a kernel, if it is still that process. On Jupyter's loop.

        One that just starts after a restart would end.
        """
        if kernel_id in self._kernels and self.process(kernel_id) == process:
            await self.manager(kernel_id).interrupt_kernel()

    async def on_jupyters_loop(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Wait for what must be done there.

        Raises
        ------
        KernelError
            The server has not started yet.
        """
        if self.loop is None:
            work.close()
            raise KernelError("no_kernel", "The server has not started yet.")
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self.loop))

    async def unless_dead(self, kernel_id: str, work: Awaitable[_T]) -> _T:
        """Wait for work as long as the kernel lives.

        Raises
        ------
        KernelError
            It has ended, or was restarted.
        """
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
            if not await self._kernels.get_kernel(kernel_id).is_alive():
                break
            await asyncio.sleep(_ALIVE_SECONDS)
        self._ended[kernel_id] = first
