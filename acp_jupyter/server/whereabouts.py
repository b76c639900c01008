"""Which kernel runs for which notebook, for those who live on the host's loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from acp_jupyter.server.kernels import Kernels

__all__ = ["KernelWhereabouts"]

_SECONDS = 10.0


class KernelWhereabouts:
    """The server's `Whereabouts`: asks Jupyter's managers, on their loop.

    Parameters
    ----------
    kernels
        Looks them up.
    """

    def __init__(self, kernels: Kernels) -> None:
        self._kernels = kernels
        self.loop: asyncio.AbstractEventLoop | None = None
        """Jupyter's, once it runs."""

    async def kernel_of(self, notebook_path: str) -> str:
        """Return the id of the kernel of a notebook; empty where it has none."""
        return await self._on_server_loop(self._kernels.learn, notebook_path)

    async def notebook_of(self, kernel_id: str) -> str:
        """Return the path of a kernel's notebook; empty if it has none."""
        return await self._on_server_loop(self._kernels.notebook_path, kernel_id)

    async def _on_server_loop(self, look_up: Callable[[str], Awaitable[str]], about: str) -> str:
        if self.loop is None or self.loop.is_closed():
            return ""

        async def there() -> str:
            return await asyncio.wait_for(look_up(about), _SECONDS)

        try:
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(there(), self.loop))
        except TimeoutError:
            return ""
