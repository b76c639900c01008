"""The routes by which a kernel's waiting cell takes work, and gives back what came of it.

A kernel gets its own work alone: its signature says which kernel it is.
"""

from __future__ import annotations

import asyncio
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import to_json
from tornado.web import authenticated

from acp_jupyter.delivery.callers import KernelCaller
from acp_jupyter.delivery.commands import GetTurn
from acp_jupyter.delivery.frames import TurnDetail
from acp_jupyter.delivery.validation import sentence
from acp_jupyter.errors import BadRequest, NotAllowed
from acp_jupyter.notebook.kernel_work import FinishedWork, Follow, GoOn, PrintedSoFar
from acp_jupyter.packets.base import Model
from acp_jupyter.server.auth import AcpHandler

__all__ = ["KernelWorkDoneHandler", "KernelWorkHandler", "KernelWorkPrintedHandler"]

_Model = TypeVar("_Model", bound=Model)


class _WorkHandler(AcpHandler):
    """Takes a kernel's model."""

    def _kernel(self) -> KernelCaller:
        if not isinstance(self.caller, KernelCaller):
            raise NotAllowed("Only kernels ask for this.")
        return self.caller

    def _body(self, kind: type[_Model]) -> _Model:
        try:
            return kind.model_validate_json(self.request.body)
        except ValidationError as error:
            raise BadRequest(sentence(error)) from None


class KernelWorkHandler(_WorkHandler):
    """A waiting cell looks for work and for its turn's end."""

    _waiting: asyncio.Task[bytes] | None = None

    @authenticated
    async def post(self) -> None:
        """Answer when there is one of the two, or after the time that the kernel names."""
        kernel, asked = self._kernel(), self._body(Follow)
        self._waiting = asyncio.create_task(self._follow(kernel, asked), name="acp-kernel-work")
        await asyncio.wait([self._waiting])
        if self._waiting.cancelled():
            return  # the kernel hung up
        self.set_header("Cache-Control", "no-store")
        await self.finish(self._waiting.result())

    def on_connection_close(self) -> None:
        """Give the cell no work any more: it was interrupted, or its kernel has ended."""
        if self._waiting is not None:
            self._waiting.cancel()
        super().on_connection_close()

    async def _follow(self, kernel: KernelCaller, request: Follow) -> bytes:
        backend = self.backend
        command = GetTurn(turn_id=request.turn_id, wait_seconds=request.wait_seconds)

        async def turn() -> TurnDetail:
            detail = await backend.dispatcher.handle(command, kernel)
            assert isinstance(detail, TurnDetail)
            return detail

        async def followed() -> bytes:
            return to_json(await backend.cells.follow(kernel.kernel_id, turn()))

        return await asyncio.wrap_future(backend.host.submit(followed()))


class KernelWorkPrintedHandler(_WorkHandler):
    """A cell tells what the code has printed so far that it runs for a tool."""

    @authenticated
    async def post(self) -> None:
        """Take it."""
        kernel, printed = self._kernel(), self._body(PrintedSoFar)
        backend = self.backend

        async def take() -> None:
            backend.cells.print(kernel.kernel_id, printed)

        await asyncio.wrap_future(backend.host.submit(take()))
        self.set_status(204)
        await self.finish()


class KernelWorkDoneHandler(_WorkHandler):
    """A cell tells what came of its work."""

    @authenticated
    async def post(self) -> None:
        """Take it; the answer says whether the cell goes on waiting."""
        kernel, finished = self._kernel(), self._body(FinishedWork)
        backend = self.backend

        async def taken() -> bool:
            return backend.cells.finish(kernel.kernel_id, finished)

        go_on = await asyncio.wrap_future(backend.host.submit(taken()))
        self.set_header("Cache-Control", "no-store")
        await self.finish(to_json(GoOn(go_on=go_on)))
