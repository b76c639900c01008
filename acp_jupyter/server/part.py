"""`ServerPart`: what a feature has on a Jupyter server, from its start to its end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_jupyter.host.limits import Limits
from acp_jupyter.server.kernel_runner import ServerKernelRunner

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp


@dataclass(frozen=True, slots=True)
class ServerContext:
    """What a part is made with, before the host is there."""

    app: ServerApp
    kernel_runner: ServerKernelRunner
    limits: Limits


class ServerPart:
    """What a feature has on the server. `HostConfig.parts` passes it to the feature's handlers."""

    def __init__(self, context: ServerContext) -> None:
        """Prepare; Jupyter's loop does not run yet."""

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin, on Jupyter's loop."""

    async def close(self) -> None:
        """End, on Jupyter's loop, after the host has stopped."""
