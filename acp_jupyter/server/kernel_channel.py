"""A server's way to one of its kernels: whether it is alive and free, and a client for one request.

The client is used on Jupyter's loop only. It has a session id of its own and reads only replies to
it: pages only see that the kernel is busy.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Coroutine, Mapping
from queue import Empty
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import zmq.asyncio
from jupyter_client.session import Session

from acp_jupyter.notebook_tools.kernel_runner import KernelError, OnPrinted, RunResult
from acp_jupyter.notebook_tools.kernel_work import TOOL_MARK
from acp_jupyter.notebook_tools.outputs import Outputs

if TYPE_CHECKING:
    from jupyter_client.asynchronous.client import AsyncKernelClient
    from jupyter_client.manager import AsyncKernelManager
    from jupyter_server.services.kernels.kernelmanager import MappingKernelManager


_CONNECT_SECONDS = 5.0
_PING_SECONDS = 0.2
_STOP_SECONDS = 2.0
"""Interval of interrupts for code that does not stop."""
_MOST_INTERRUPTS = 4
_REPLY_SECONDS = 5.0
_QUEUED = (
    "The kernel started other code first, so this code waits behind it and will run after it. "
    "Look at its effects before running it again."
)
_DEAF = "The code does not stop when it is interrupted. Ask the user to restart the kernel."


class KernelChannel:
    """Sends requests on the shell channel and collects their outputs and replies.

    Parameters
    ----------
    manager
        The kernel's manager.
    """

    def __init__(self, manager: AsyncKernelManager) -> None:
        self._manager = manager
        own = Session(config=manager.session.config, key=manager.session.key)
        self._client: AsyncKernelClient = manager.client(
            session=own, context=zmq.asyncio.Context.instance()
        )

    async def __aenter__(self) -> Self:
        self._client.start_channels(stdin=False, hb=False)
        try:
            await self._hear()
        except BaseException:
            self._client.stop_channels()
            raise
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._client.stop_channels()

    async def run(
        self, code: str, *, seconds: float, store_history: bool, on_printed: OnPrinted
    ) -> RunResult:
        """Run code; interrupt it after its time limit.

        Raises
        ------
        KernelError
            The code could not be stopped, or did not start.
        """
        content = {
            "code": code,
            "silent": False,
            "store_history": store_history,
            "user_expressions": {},
            "allow_stdin": False,
            # An error of this code must not abort cells that the user has queued.
            "stop_on_error": False,
        }
        run = _Run(self._send("execute_request", content), on_printed)
        try:
            late = await self._watch(run, seconds)
        except asyncio.CancelledError:
            if run.begun and not run.ended:
                await asyncio.shield(asyncio.ensure_future(self._manager.interrupt_kernel()))
            raise
        reply = await self._reply(run.request_id, _REPLY_SECONDS)
        return run.result(reply, late=late)

    async def request(
        self, kind: str, content: Mapping[str, Any], seconds: float
    ) -> dict[str, Any]:
        """Send a silent request and return the content of its reply."""
        return await self._reply(self._send(kind, content), seconds)

    # -- within ------------------------------------------------------------------

    def _send(self, kind: str, content: Mapping[str, Any]) -> str:
        message = self._client.session.msg(kind, dict(content), metadata={TOOL_MARK: True})
        self._client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    async def _hear(self) -> None:
        """Wait until the subscription to the kernel's output works.

        A request on the control channel tests it, which a busy kernel answers, too. For a kernel
        that publishes nothing about such requests this waits for a fixed time.
        """
        deadline = time.monotonic() + _CONNECT_SECONDS
        while time.monotonic() < deadline:
            self._client.control_channel.send(self._client.session.msg("kernel_info_request", {}))
            if await self._message(_PING_SECONDS) is not None:
                return

    async def _watch(self, run: _Run, seconds: float) -> bool:
        """Collect the outputs of code until it ends; return whether its time was over."""
        deadline = time.monotonic() + seconds
        interrupts = 0
        while not run.ended:
            message = await self._message(max(0.0, deadline - time.monotonic()))
            if message is not None:
                run.take(message)
            elif not run.begun:
                raise KernelError("busy", _QUEUED)
            elif interrupts == _MOST_INTERRUPTS:
                raise KernelError("busy", _DEAF)
            else:
                interrupts += 1
                await self._manager.interrupt_kernel()
                deadline = time.monotonic() + _STOP_SECONDS
        return interrupts > 0

    async def _message(self, seconds: float) -> dict[str, Any] | None:
        try:
            message = await self._client.get_iopub_msg(timeout=seconds)
        except Empty:
            return None
        return dict(message)

    async def _reply(self, request_id: str, seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                message = await self._client.get_shell_msg(timeout=left)
            except Empty:
                break
            if message["parent_header"].get("msg_id") == request_id:
                return dict(message["content"])
        raise KernelError("timeout", f"The kernel did not answer within {seconds:g} s.")


class _Run:
    """The outputs of one execute request so far."""

    def __init__(self, request_id: str, on_printed: OnPrinted) -> None:
        self.request_id = request_id
        self._on_printed = on_printed
        self.begun = False
        self.ended = False
        self._outputs = Outputs()

    def take(self, message: Mapping[str, Any]) -> None:
        """Add a published message, if it belongs to this request."""
        if message["parent_header"].get("msg_id") != self.request_id:
            return
        content = message["content"]
        match message["msg_type"]:
            case "status":
                self.begun = True
                self.ended = content["execution_state"] == "idle"
            case "stream":
                self._outputs.print(content["name"], content["text"])
                self._on_printed(self._outputs.tail())
            case "display_data" | "update_display_data" | "execute_result" as kind:
                self._outputs.display(
                    content["data"],
                    content.get("metadata"),
                    display_id=(content.get("transient") or {}).get("display_id", ""),
                    update=kind == "update_display_data",
                    execution_count=content.get("execution_count"),
                )
            case "error":
                self._outputs.error(content["ename"], content["evalue"], content["traceback"])
            case "clear_output":
                self._outputs.clear(wait=bool(content.get("wait")))
            case _:
                pass

    def result(self, reply: Mapping[str, Any], *, late: bool) -> RunResult:
        """Return the result, with the reply on the shell channel."""
        status = "ok" if reply.get("status") == "ok" else "error"
        if status == "error" and (late or reply.get("ename") == "KeyboardInterrupt"):
            status = "timeout" if late else "interrupted"
        count = reply.get("execution_count")
        return RunResult.model_validate(
            {
                "status": status,
                "outputs": self._outputs.done(),
                "execution_count": count if isinstance(count, int) else None,
                "truncated": self._outputs.truncated,
            }
        )


_T = TypeVar("_T")
_ALIVE_SECONDS = 0.5
_RESTART_SECONDS = 60.0


class KernelLifecycle:
    """Finds out which kernels are alive and free. Used on the host's loop.

    Parameters
    ----------
    kernels
        The server's kernel manager.
    """

    def __init__(self, kernels: MappingKernelManager) -> None:
        self._kernels: Any = kernels
        self._ended: dict[str, object] = {}
        """The last process of each kernel that is known to have ended."""
        self.loop: asyncio.AbstractEventLoop | None = None
        """Jupyter's loop, once it runs; requests to kernels run on it."""

    def manager(self, kernel_id: str) -> AsyncKernelManager:
        """Return a kernel's manager.

        Raises
        ------
        KernelError
            There is no such kernel.
        """
        self.must_exist(kernel_id)
        manager: AsyncKernelManager = self._kernels.get_kernel(kernel_id)
        return manager

    def must_exist(self, kernel_id: str) -> None:
        """Raise `KernelError` if there is no such kernel."""
        if not kernel_id or kernel_id not in self._kernels:
            self._ended.pop(kernel_id, None)
            raise KernelError("no_kernel", "No kernel runs for this notebook. Start one first.")

    async def is_alive(self, kernel_id: str) -> bool:
        """Return whether a kernel's process runs; False while it restarts. On Jupyter's loop.

        Raises
        ------
        KernelError
            The kernel has ended and will not be restarted.
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
        """Return whether a kernel is idle.

        Raises
        ------
        KernelError
            The kernel has ended.
        """
        state = getattr(self.manager(kernel_id), "execution_state", "idle")
        if state == "dead":
            raise self.dead()
        if state != "busy":
            self._ended.pop(kernel_id, None)
            return True  # a starting kernel queues requests
        # Jupyter keeps the busy state of a dead process until the next one reports its state,
        # and the first report may be lost.
        return self._ended.get(kernel_id) not in (None, self.process(kernel_id))

    @staticmethod
    def dead() -> KernelError:
        """Return the error for a kernel that will not be restarted."""
        return KernelError("dead", "The kernel has died. Ask the user to restart it.")

    async def restart(self, kernel_id: str) -> None:
        """Restart a kernel. On Jupyter's loop."""
        self._ended[kernel_id] = self.process(kernel_id)
        try:
            await asyncio.wait_for(self._kernels.restart_kernel(kernel_id), _RESTART_SECONDS)
        except TimeoutError:
            raise KernelError("timeout", "The kernel did not come back.") from None

    def process(self, kernel_id: str) -> object:
        """Return an object that identifies a kernel's present process."""
        provisioner = getattr(self._kernels.get_kernel(kernel_id), "provisioner", None)
        return getattr(provisioner, "pid", None)

    async def interrupt(self, kernel_id: str, process: object) -> None:
        """Interrupt a kernel if it is still the same process. On Jupyter's loop.

        An interrupt would end a kernel that is just starting.
        """
        if kernel_id in self._kernels and self.process(kernel_id) == process:
            await self.manager(kernel_id).interrupt_kernel()

    async def on_jupyters_loop(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine on Jupyter's loop and wait for it.

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
        """Wait for a task as long as the kernel lives.

        Raises
        ------
        KernelError
            The kernel has ended or was restarted.
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
