"""Kernels of variants: started when an agent first uses one, restored, and ended with the turn.

Only the variant's agent uses such a kernel, and the server accepts no request from it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import uuid
from pathlib import Path
from typing import Any, Protocol

from acp_jupyter.errors import BadRequest
from acp_jupyter.features.variants.kernel_request import NoKernel, VariantKernelRequest
from acp_jupyter.features.variants.restoring import RestoredVariables, Restorer
from acp_jupyter.features.variants.shared_variables import SharedVariables
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.notebook_tools.context import CallTarget, ToolError, target_of
from acp_jupyter.notebook_tools.kernel_runner import KernelError, KernelRunner, RunningCode
from acp_jupyter.notebook_tools.notebooks import EditRefused, FileNotebooks, Node
from acp_jupyter.notebook_tools.session_tools import SessionTools
from acp_jupyter.notebook_tools.tools import KERNEL_TOOLS, AnyTool, Interrupt
from acp_jupyter.protocol.host_events.notes import HostNotice

_BEGINS = {
    "dill": "It begins with copies of the variables that dill can copy.",
    "rerun": "The code cells above this one run again in it, in the copy of the folder.",
    "none": "It begins without variables.",
}


class KernelStarter(Protocol):
    """Starts and ends kernels for variants. Used on the host's loop."""

    def spec_of(self, kernel_id: str) -> str:
        """Return the name of the specification of a user's kernel; empty if unknown."""

    async def start(self, kernel_id: str, spec: str, notebook: Path) -> None:
        """Start a kernel under an id, in the notebook's folder, and wait until it answers."""

    async def stop(self, kernel_id: str) -> None:
        """End a kernel with its processes, even while it starts. Never raises."""


class VariantKernels:
    """Plans the kernels of variants. Used on the host's loop."""

    def __init__(
        self, starter: KernelStarter, asking: KernelRunner, own: KernelRunner, limits: Limits
    ) -> None:
        self.starter = starter
        self.own = own
        self.code = RunningCode(own)
        self.limits = limits
        self._asking = asking
        self._variables: dict[str, SharedVariables] = {}
        """The variables of each prompt, by its id."""

    async def plan(self, request: VariantKernelRequest) -> VariantKernel | NoKernel:
        """Return a variant's kernel, not started yet, or why it gets none."""
        spec = self.starter.spec_of(request.kernel_id)
        if not spec:
            return NoKernel("this server has not started the notebook's kernel")
        try:
            place = await asyncio.to_thread(_place, request)
        except ValueError:
            return NoKernel(f"{request.notebook.name} is not in the folder that is copied")
        notebook = request.copy.path / place
        files = FileNotebooks(request.copy.path, self.limits)
        try:
            node = await asyncio.to_thread(files.load, notebook)
        except EditRefused:
            return NoKernel(f"{request.notebook.name} is not in the copy, or can't be read")
        cells = _above(node, request.cell_id) if request.restore == "rerun" else ()
        variables = None
        if request.restore == "dill":
            key = request.variant.try_id
            variables = self._variables.setdefault(
                key, SharedVariables(self._asking, request.kernel_id)
            )
            variables.join(request.copy)
        restorer = Restorer(self.own, request, cells, variables)
        return VariantKernel(self, request, spec, notebook, files, restorer)

    async def forget(self, request: VariantKernelRequest) -> None:
        """Release the variables of a variant."""
        key = request.variant.try_id
        shared = self._variables.get(key)
        if shared is not None and await shared.leave(request.copy):
            self._variables.pop(key, None)


def _place(request: VariantKernelRequest) -> Path:
    """Return the notebook's path relative to the copied folder, with links resolved."""
    folder = request.notebook.parent.resolve().relative_to(Path(request.variant.folder).resolve())
    return folder / request.notebook.name


def _above(notebook: Node, cell_id: str) -> tuple[tuple[int, Any], ...]:
    """Return the code cells above the cell that asks, with their numbers."""
    cells: list[Node] = notebook["cells"]
    for at, cell in enumerate(cells):
        if cell["id"] == cell_id:
            numbered = enumerate(cells[:at], 1)
            return tuple((number, each) for number, each in numbered if each["cell_type"] == "code")
    raise BadRequest(
        "Which cell asks is not known, so the cells above it can't run again. Save the notebook in "
        "JupyterLab or Notebook 7, and run the cell there."
    )


class VariantKernel:
    """One variant's kernel, from its start to its end. Made by `VariantKernels.plan`."""

    def __init__(
        self,
        kernels: VariantKernels,
        request: VariantKernelRequest,
        spec: str,
        notebook: Path,
        files: FileNotebooks,
        restorer: Restorer,
    ) -> None:
        self._kernels = kernels
        self._request = request
        self._spec = spec
        self._notebook = notebook
        self._files = files
        self._restorer = restorer
        self._ids: set[str] = set()
        """Ids of kernels that may run."""
        self._running: asyncio.Task[tuple[str, RestoredVariables]] | None = None
        self._over = False

    @property
    def words(self) -> str:
        """A sentence that says what the kernel starts with."""
        begins = _BEGINS[self._request.restore]
        return f"It has its own kernel, which starts when the agent first uses it. {begins}"

    def tools(self, session: Session) -> SessionTools:
        """Return the notebook tools for the session that works in the copy."""

        async def find(call: AnyTool) -> CallTarget:
            return await self._target(session, call)

        kernels = self._kernels
        return SessionTools(session, find, self._files, kernels.own, kernels.code)

    async def end(self) -> None:
        """End the kernel, even while it starts, and release its variables."""
        self._over = True
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        for kernel_id in tuple(self._ids):
            await self._kernels.starter.stop(kernel_id)
            self._ids.discard(kernel_id)
        await self._kernels.forget(self._request)

    async def _target(self, session: Session, call: AnyTool) -> CallTarget:
        if call.notebook is not None:
            raise ToolError("A variant's tools work in its own notebook only.")
        kernel_id, note = "", ""
        if call.tool in KERNEL_TOOLS and (not isinstance(call, Interrupt) or self._is_ready):
            kernel_id, restored = await self._ready(session)
            note = f"You alone use this kernel. The user has another one. {restored.words}"
        target = target_of(session, self._notebook, kernel_id)
        return dataclasses.replace(target, own_kernel=True, note=note)

    @property
    def _is_ready(self) -> bool:
        return self._running is not None and self._running.done()

    async def _ready(self, session: Session) -> tuple[str, RestoredVariables]:
        """Return the kernel's id and what was restored; several calls wait for one start."""
        if self._over:
            raise ToolError("The turn has ended, and its kernel with it.")
        failed = self._is_ready and self._running is not None and self._running.exception()
        if self._running is None or failed:
            self._running = asyncio.create_task(self._start(session))
        return await asyncio.shield(self._running)

    async def _start(self, session: Session) -> tuple[str, RestoredVariables]:
        kernel_id = str(uuid.uuid4())
        self._ids.add(kernel_id)
        try:
            await self._kernels.starter.start(kernel_id, self._spec, self._notebook)
        except KernelError as error:
            words = f"The variant has no kernel: {error.message}"
            session.journal.note(HostNotice(severity="warning", text=words))
            raise
        restored = await self._restorer.restore(kernel_id)
        await self._kernels.forget(self._request)
        session.journal.note(
            HostNotice(
                severity="info" if restored.whole else "warning",
                text=f"The variant now has its own kernel. {restored.words}",
            )
        )
        return kernel_id, restored
