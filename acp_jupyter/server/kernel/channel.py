"""A client that sends one request to a kernel of the server. Used on Jupyter's loop only.

It has its own session id and reads only replies to that: pages only see that the kernel is busy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from queue import Empty
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import zmq.asyncio
from jupyter_client.session import Session

from acp_jupyter.notebook_tools.kernel_runner import KernelError, OnPrinted, RunResult
from acp_jupyter.notebook_tools.kernel_work import TOOL_MARK
from acp_jupyter.notebook_tools.outputs import Outputs
from acp_jupyter.server.kernel.remote import Channels

if TYPE_CHECKING:
    from jupyter_client.asynchronous.client import AsyncKernelClient
    from jupyter_client.manager import AsyncKernelManager


_CONNECT_SECONDS = 5.0
_PING_SECONDS = 0.2
_BEGIN_SECONDS = 5.0
"""Least time in which a free kernel begins; from then on the code's own time counts."""
_STOP_SECONDS = 2.0
"""Interval of interrupts for code that does not stop."""
_MAX_INTERRUPTS = 4
_REPLY_SECONDS = 5.0
_QUEUED = (
    "The kernel started other code first, so this code waits behind it and will run after it. "
    "Look at its effects before running it again."
)
_DEAF = "The code does not stop when it is interrupted. Ask the user to restart the kernel."


class _OwnChannels:
    """The channels of a kernel that the server started itself."""

    def __init__(self, manager: AsyncKernelManager) -> None:
        own = Session(config=manager.session.config, key=manager.session.key)
        self._client: AsyncKernelClient = manager.client(
            session=own, context=zmq.asyncio.Context.instance()
        )

    async def open(self) -> None:
        self._client.start_channels(stdin=False, hb=False)

    def close(self) -> None:
        self._client.stop_channels()

    async def send(self, channel: str, kind: str, content: Mapping[str, Any], mark: str) -> str:
        message = self._client.session.msg(kind, dict(content), metadata={mark: True})
        socket = self._client.shell_channel if channel == "shell" else self._client.control_channel
        socket.send(message)
        return str(message["header"]["msg_id"])

    async def receive(self, channel: str, seconds: float) -> dict[str, Any]:
        client = self._client
        get = client.get_shell_msg if channel == "shell" else client.get_iopub_msg
        return dict(await get(timeout=seconds))


class KernelChannel:
    """Sends requests on the shell channel and collects their outputs and replies."""

    def __init__(self, manager: AsyncKernelManager, channels: Channels | None = None) -> None:
        self._manager = manager
        self._channels: Channels = _OwnChannels(manager) if channels is None else channels

    async def __aenter__(self) -> Self:
        await self._channels.open()
        try:
            await self._wait_for_iopub()
        except BaseException:
            self._channels.close()
            raise
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._channels.close()

    async def run(
        self, code: str, *, seconds: float, store_history: bool, on_printed: OnPrinted
    ) -> RunResult:
        """Run code; interrupt it after its time limit."""
        content = {
            "code": code,
            "silent": False,
            "store_history": store_history,
            "user_expressions": {},
            "allow_stdin": False,
            # An error in this code must not abort cells that the user has queued.
            "stop_on_error": False,
        }
        run = _Run(await self._send("execute_request", content), on_printed)
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
        return await self._reply(await self._send(kind, content), seconds)

    # -- within ------------------------------------------------------------------

    async def _send(self, kind: str, content: Mapping[str, Any]) -> str:
        return await self._channels.send("shell", kind, content, TOOL_MARK)

    async def _wait_for_iopub(self) -> None:
        """Wait until the subscription to the kernel's output works.

        A request on the control channel tests it, as a busy kernel answers that, too. If a kernel
        publishes nothing about such requests, this waits for a fixed time.
        """
        deadline = _now() + _CONNECT_SECONDS
        while _now() < deadline:
            await self._channels.send("control", "kernel_info_request", {}, TOOL_MARK)
            if await self._message(_PING_SECONDS) is not None:
                return

    async def _watch(self, run: _Run, seconds: float) -> bool:
        """Collect the outputs of code until it ends; return whether it timed out."""
        deadline = _now() + max(seconds, _BEGIN_SECONDS)
        interrupts = 0
        while not run.ended:
            waited = not run.begun
            message = await self._message(max(0.0, deadline - _now()))
            if message is not None:
                run.take(message)
                if waited and run.begun:
                    deadline = _now() + seconds
            elif not run.begun:
                raise KernelError("busy", _QUEUED)
            elif interrupts == _MAX_INTERRUPTS:
                raise KernelError("busy", _DEAF)
            else:
                interrupts += 1
                await self._manager.interrupt_kernel()
                deadline = _now() + _STOP_SECONDS
        return interrupts > 0

    async def _message(self, seconds: float) -> dict[str, Any] | None:
        try:
            return await self._channels.receive("iopub", seconds)
        except Empty:
            return None

    async def _reply(self, request_id: str, seconds: float) -> dict[str, Any]:
        deadline = _now() + seconds
        while (left := deadline - _now()) > 0:
            try:
                message = await self._channels.receive("shell", left)
            except Empty:
                break
            if message["parent_header"].get("msg_id") == request_id:
                return dict(message["content"])
        raise KernelError("timeout", f"The kernel did not answer within {seconds:g} s.")


def _now() -> float:
    return asyncio.get_running_loop().time()


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
