"""The server's kernels: their notebooks, the signatures of their requests, and activity.

A working agent counts as activity of the server and of the notebook's kernel, so that Jupyter
doesn't cull them as idle during a long turn.

Kernels that this server starts know ``%acp`` and ``%%acp`` without ``%load_ext``.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from jupyter_server._tz import utcnow
from tornado.web import HTTPError

from acp_jupyter.api import kernel_auth
from acp_jupyter.api.access import KernelCaller
from acp_jupyter.api.models.sessions import SessionSummary
from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.workspace.folders import path_after_move
from acp_jupyter.server.kernel.remote import RemoteKernels

if TYPE_CHECKING:
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_server.services.kernels.kernelmanager import MappingKernelManager
    from jupyter_server.services.sessions.sessionmanager import SessionManager
    from tornado.httputil import HTTPServerRequest


_MAX_NOTEBOOKS = 1000


class Kernels:
    """Finds kernels in Jupyter's managers. Used on the server's loop only."""

    def __init__(
        self,
        kernel_manager: MappingKernelManager,
        session_manager: SessionManager,
        remote: RemoteKernels | None = None,
    ) -> None:
        self._remote = remote
        self._kernel_manager = kernel_manager
        self._session_manager = session_manager
        self._kernel_of: dict[str, str] = {}
        self._nonces = kernel_auth.NonceMemory()

    async def identify(self, request: HTTPServerRequest) -> KernelCaller:
        """Return the kernel that signed a request."""
        headers = request.headers
        kernel_id = headers.get(kernel_auth.KERNEL_HEADER, "")
        nonce = headers.get(kernel_auth.NONCE_HEADER, "")
        now = time.time()
        proven = kernel_auth.verify(
            self._key(kernel_id),
            request.method or "",
            request.uri or "",
            headers.get(kernel_auth.TIME_HEADER, ""),
            nonce,
            request.body,
            signature=headers.get(kernel_auth.SIGNATURE_HEADER, ""),
            now=now,
        )
        if not proven or not self._nonces.use(kernel_id, nonce, now):
            raise NotAllowed(
                "This request is not from a kernel of this server. "
                "Restart the kernel if it was started by another server."
            )
        return KernelCaller(kernel_id, await self.notebook_path(kernel_id))

    def server_proof(self, kernel_id: str, nonce: str) -> str:
        """Return the signature that proves to a kernel that this server started it."""
        return kernel_auth.server_proof(self._key(kernel_id), nonce)

    async def notebook_path(self, kernel_id: str) -> str:
        """Return the path of the kernel's notebook, as pages know it; empty if it has none."""
        session = await self._find(kernel_id=kernel_id)
        path = session.get("path")
        # JupyterLab calls a script or Markdown "file", even if it is open as a notebook.
        is_notebook = session.get("type") in {"notebook", "file"} and isinstance(path, str)
        return str(path).strip("/") if is_notebook else ""

    async def move(self, old: str, new: str) -> None:
        """Update the paths of kernels after a rename of a notebook or folder."""
        manager: Any = self._session_manager
        for session in await manager.list_sessions():
            was = str(session.get("path", "")).strip("/")
            path = path_after_move(was, old, new)
            if path != was:
                self._kernel_of.pop(was, None)
                name = path.rpartition("/")[2]
                await manager.update_session(session["id"], path=path, name=name)

    async def learn(self, notebook_path: str) -> str:
        """Look up a notebook's kernel and cache it for `kernel_of`; empty if it has none."""
        kernel = (await self._find(path=notebook_path)).get("kernel")
        kernel_id = kernel.get("id") if isinstance(kernel, dict) else None
        if not isinstance(kernel_id, str):
            self._kernel_of.pop(notebook_path, None)
            return ""
        if len(self._kernel_of) >= _MAX_NOTEBOOKS:
            self._kernel_of.clear()
        self._kernel_of[notebook_path] = kernel_id
        return kernel_id

    def kernel_of(self, notebook_path: str) -> str:
        """Return the cached kernel id of a notebook; may be called in any thread."""
        return self._kernel_of.get(notebook_path, "")

    def is_shutting_down(self, kernel_id: str) -> bool:
        """Return whether a kernel is being shut down or restarted.

        Jupyter interrupts it first, which its cell can't distinguish from the user's interrupt.
        """
        if kernel_id not in self._kernel_manager:
            return True
        if self._remote is not None:
            return self._remote.is_stopping(kernel_id)
        return bool(getattr(self._kernel_manager.get_kernel(kernel_id), "shutting_down", False))

    async def connections(self, kernel_id: str) -> int:
        """Return how many pages and other clients are connected to a kernel."""
        if self._remote is not None:
            return await self._remote.others(kernel_id)
        if kernel_id not in self._kernel_manager:
            return 0
        manager: Any = self._kernel_manager
        return int(manager.kernel_model(kernel_id).get("connections", 0))

    async def touch(self, notebook_path: str) -> None:
        """Note activity of a notebook's kernel, so that it is not culled as idle."""
        kernel_id = await self.learn(notebook_path)
        if kernel_id in self._kernel_manager:
            kernel: Any = self._kernel_manager.get_kernel(kernel_id)
            kernel.last_activity = utcnow()

    async def _find(self, **where: str) -> dict[str, Any]:
        manager: Any = self._session_manager
        try:
            return dict(await manager.get_session(**where))
        except HTTPError:
            return {}

    def keys(self) -> list[str]:
        """Return the keys of all kernels."""
        keys = (self._key(kernel_id) for kernel_id in tuple(self._kernel_manager.list_kernel_ids()))
        return [key.decode("utf-8", "replace") for key in keys if key]

    def _key(self, kernel_id: str) -> bytes:
        """Return the key of a kernel's connection file; empty if unknown.

        Remote kernels have a key of their launch, as their connection files are elsewhere.
        """
        if self._remote is not None:
            return self._remote.key(kernel_id)
        if kernel_id not in self._kernel_manager:
            return b""
        session = getattr(self._kernel_manager.get_kernel(kernel_id), "session", None)
        key = getattr(session, "key", b"")
        return key if isinstance(key, bytes) else b""


_LOOKUP_SECONDS = 10.0


class ServerKernelLookup:
    """The server's `KernelLookup`: asks Jupyter's managers on their loop."""

    def __init__(self, kernels: Kernels) -> None:
        self._kernels = kernels
        self.loop: asyncio.AbstractEventLoop | None = None
        """Jupyter's loop, once it runs."""

    async def kernel_of(self, notebook_path: str) -> str:
        """Return the id of a notebook's kernel; empty if it has none."""
        return await self._on_server_loop(self._kernels.learn, notebook_path)

    async def notebook_of(self, kernel_id: str) -> str:
        """Return the path of a kernel's notebook; empty if it has none."""
        return await self._on_server_loop(self._kernels.notebook_path, kernel_id)

    async def _on_server_loop(self, look_up: Callable[[str], Awaitable[str]], about: str) -> str:
        if self.loop is None or self.loop.is_closed():
            return ""

        async def there() -> str:
            return await asyncio.wait_for(look_up(about), _LOOKUP_SECONDS)

        try:
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(there(), self.loop))
        except TimeoutError:
            return ""


_logger = logging.getLogger(__name__)
_CHECK_SECONDS = 20.0
_WORKING = {"starting", "running"}


class Activity:
    """Polls the sessions, so that server and kernel are not culled as idle during a turn.

    A turn that waits for an answer counts for some hours only, as its user may never return. The
    same limit holds for work that an agent reports in the background.
    """

    def __init__(
        self,
        times: MutableMapping[str, datetime],
        sessions: Callable[[], Awaitable[Iterable[SessionSummary]]],
        kernels: Kernels,
        waiting_hours: float,
    ) -> None:
        self._times = times
        self._sessions = sessions
        self._kernels = kernels
        self._waiting_hours = waiting_hours
        self._waiting_since: dict[str, datetime] = {}
        self.working = False

    async def run(self) -> None:
        """Poll until cancelled."""
        while True:
            try:
                await self.update()
            except Exception:
                _logger.exception("the sessions could not be listed")
            await asyncio.sleep(_CHECK_SECONDS)

    async def update(self) -> None:
        """Poll once."""
        sessions = tuple(await self._sessions())
        now = utcnow()
        self._waiting_since = {
            each.session_id: self._waiting_since.get(each.session_id, now)
            for each in sessions
            if each.status == "requires_action" or each.background
        }
        kept = {
            session_id
            for session_id, since in self._waiting_since.items()
            if now - since < timedelta(hours=self._waiting_hours)
        }
        working = [s for s in sessions if s.status in _WORKING or s.session_id in kept]
        self.working = bool(working)
        if working:
            self._times["acp_jupyter"] = now
        for notebook_path in {session.notebook_path for session in working} - {""}:
            await self._kernels.touch(notebook_path)


_CODE = """\
def acp_magics(shell):
    from importlib import invalidate_caches, util

    from IPython.core.completer import context_matcher

    @context_matcher(identifier="acp_jupyter_first")
    def matcher(context):
        if "%acp" not in context.full_text:
            return {"completions": []}
        shell.Completer.custom_matchers.remove(matcher)
        shell.run_line_magic("load_ext", "acp_jupyter")
        return shell.Completer.custom_matchers[-1](context)

    def acp(line, cell=None):
        invalidate_caches()
        if util.find_spec("acp_jupyter") is None:
            from IPython.core.error import UsageError

            raise UsageError(
                "acp-jupyter is not installed in this kernel's environment. "
                "Run %pip install acp-jupyter in a cell, then this cell again."
            )
        shell.run_line_magic("load_ext", "acp_jupyter")
        if cell is None:
            return shell.run_line_magic("acp", line)
        return shell.run_cell_magic("acp", line, cell)

    if util.find_spec("acp_jupyter") is None:
        shell.register_magic_function(acp, "line_cell", "acp")
    else:
        shell.magics_manager.register_lazy("acp", "acp_jupyter")
        shell.Completer.custom_matchers.append(matcher)


acp_magics(get_ipython())
del acp_magics
"""
"""Runs in the kernel before its first cell; imports nothing of ours there."""

_ARGUMENT = f"--IPKernelApp.code_to_run={_CODE}"


def know_magics(kernels: MappingKernelManager) -> None:
    """Load the magics in each kernel that is started from now on.

    Only local kernels whose specification runs ``ipykernel_launcher`` get the argument, as
    others may exit on an unknown argument.
    """
    start: Any = kernels.start_kernel
    manager: Any = kernels

    async def start_kernel(**options: Any) -> str:
        name = options.get("kernel_name") or manager.default_kernel_name
        try:
            spec = manager.kernel_spec_manager.get_kernel_spec(name)
        except KeyError:  # no such specification; the start reports that
            spec = None
        if spec is not None and _takes_argument(spec):
            options["extra_arguments"] = [*options.get("extra_arguments", ()), _ARGUMENT]
        kernel_id: str = await start(**options)
        return kernel_id

    manager.start_kernel = start_kernel


def _takes_argument(spec: KernelSpec) -> bool:
    provisioner = spec.metadata.get("kernel_provisioner", {}).get("provisioner_name", "")
    runs_code = any("code_to_run" in argument for argument in spec.argv)
    is_local = provisioner in {"", "local-provisioner"}
    return is_local and "ipykernel_launcher" in spec.argv and not runs_code
