"""The embedded host, for a kernel without a server extension, and its notebook tools."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures.thread  # noqa: F401 - before what `_at_exit` registers
import getpass
import os
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

from jupyter_core.paths import (
    jupyter_config_dir,
    jupyter_config_path,
    jupyter_data_dir,
    jupyter_runtime_dir,
)

from acp_jupyter.api.access import KernelCaller, UserCaller
from acp_jupyter.api.commands.sessions import reuse_session
from acp_jupyter.api.dispatch import Dispatcher
from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.api.models.sessions import CreateSession, ServeAgent
from acp_jupyter.api.models.turns import GetTurn, TurnDetail
from acp_jupyter.api.subscription import Subscription
from acp_jupyter.errors import UnknownSession
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.public_registry.agents import PublicAgents
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.registry_entries import EntryPointAgents
from acp_jupyter.host.sessions.session import McpServerProvider, Session
from acp_jupyter.host.store.journal import Reader
from acp_jupyter.host.workspace.folders import choose_cwd, jupyter_folders
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.code_runner import THIS_KERNEL, EmbeddedKernelRunner
from acp_jupyter.kernel.execution_context import check_command, own_key
from acp_jupyter.notebook_tools.kernel_work import (
    FinishedWork,
    PrintedSoFar,
    WaitingCells,
    WorkReply,
)
from acp_jupyter.transcript.model.events import Event
from acp_jupyter.transcript.model.session_state import SessionState

_FLUSH_SECONDS = 30.0
_PIECE_BYTES = 256 * 1024
_PAUSE_SECONDS = 0.1
"""Pause between two polls for a session's events."""
_LIFE_SECONDS = 1.0
"""Time after which it polls even without an event."""


class _NoPages:
    """A lookup without pages: none can connect to a host in a kernel."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def holds(self, path: str) -> bool:
        """Return False."""
        return False

    async def cells(self, path: str) -> tuple[Cell, ...]:
        """Return none."""
        return ()

    async def contexts(self, path: str) -> tuple[Cell, ...]:
        """Return the cells of the notebook's file."""
        from acp_jupyter.notebook_tools.notebooks import FileNotebooks

        return await FileNotebooks(self._root, Limits()).contexts(self._root / path)

    def kernel_of(self, notebook_path: str) -> str:
        """Return an empty string."""
        return ""


class EmbeddedHost(HostClient):
    """A client that owns an `AgentHost` in this process; the agents end with the process.

    Parameters
    ----------
    notebook_path
        The notebook of the sessions; empty if unknown.
    config
        Of the host; by default as Jupyter's folders say.
    """

    location: ClassVar[Literal["server", "kernel"]] = "kernel"
    may_answer: ClassVar[bool] = True

    def __init__(self, notebook_path: str, config: HostConfig | None = None) -> None:
        self._notebook_path = notebook_path
        self.cells = WaitingCells()
        self.host = AgentHost(config or self._config())
        self.caller = UserCaller(_user(), anonymous=True)
        self.dispatcher = Dispatcher(self.host, _NoPages(self.host.config.root))
        self._sessions: dict[tuple[str, str, bool | None], str] = {}
        """By agent, label and whether they work in a copy; None for the newest of both kinds."""
        self._pid = os.getpid()
        self.host.secrets.put("kernels", [own_key().decode("utf-8", "replace")])
        self.host.start()
        _at_exit(self.close)

    def _config(self) -> HostConfig:
        data_dir = Path(jupyter_data_dir()) / "acp-jupyter"
        own_folders, caches = jupyter_folders(
            (jupyter_data_dir(), jupyter_config_dir(), jupyter_runtime_dir()),
            os.environ,
            Path.home(),
        )
        tools = kernel_tools(Path.cwd(), self.cells) if self._notebook_path else None
        return HostConfig(
            registry=Registry(
                {},
                [Path(path) for path in jupyter_config_path()],
                points=EntryPointAgents(),
                public=PublicAgents(data_dir),
            ),
            root=Path.cwd(),
            data_dir=data_dir,
            own_folders=own_folders,
            runtime_folder=Path(jupyter_runtime_dir()),
            caches=caches,
            goes_on=False,
            tools=tools,
        )

    @property
    def notebook_path(self) -> str:
        """The notebook that was given at the start."""
        return self._notebook_path

    def close(self) -> None:
        """End the sessions and their agents."""
        if os.getpid() == self._pid:  # not in a forked process
            self.host.stop()

    def call(self, command: Command, seconds: float) -> Any:
        """Run a command on the host's loop."""
        check_command(command)
        if isinstance(command, CreateSession):
            return self._create(command, seconds)
        if isinstance(command, ServeAgent):
            kernel = KernelCaller("", self._notebook_path)
            return self.host.call(self.dispatcher.handle(command, kernel), seconds)
        return self._run(command, seconds)

    def follow(self, turn_id: str, wait_seconds: float) -> WorkReply:
        """Wait for work or the turn's end, whichever is first."""

        async def turn() -> TurnDetail:
            command = GetTurn(turn_id=turn_id, wait_seconds=wait_seconds)
            detail = await self.dispatcher.handle(command, self.caller)
            assert isinstance(detail, TurnDetail)
            return detail

        work = self.cells.follow(THIS_KERNEL, turn())
        return self.host.call(work, wait_seconds + _FLUSH_SECONDS)

    def print(self, printed: PrintedSoFar) -> None:
        """Report printed text on the host's loop."""

        async def tell() -> None:
            self.cells.print(THIS_KERNEL, printed)

        self.host.submit(tell())

    def finish(self, finished: FinishedWork) -> bool:
        """Report finished work on the host's loop; return whether the cell keeps waiting."""

        async def tell() -> bool:
            return self.cells.finish(THIS_KERNEL, finished)

        return self.host.call(tell(), _FLUSH_SECONDS)

    def _create(self, command: CreateSession, seconds: float) -> Any:
        """Find the label's session or create one; a host without notebooks stores no labels."""
        key = command.agent, command.label, command.in_copy
        known = None if command.new else self._sessions.get(key)
        if known is not None:
            state = self.host.call(self._known(known, command), seconds)
            if state is not None:
                return state
        cwd = command.cwd or str(_folder(Path.cwd()))
        command = command.model_copy(update={"cwd": cwd, "new": True})
        state = self._run(command, seconds)
        for in_copy in (None, bool(state.copied_folder)):
            self._sessions[command.agent, command.label, in_copy] = state.session_id
        return state

    async def _known(self, session_id: str, command: CreateSession) -> SessionState | None:
        """Return the state of a session that can be reused, or of the one that replaced it."""
        stored = self.host.sessions
        try:
            session = self.host.sessions.require(session_id)
            while stored.goes_on_elsewhere(session.state):
                await stored.wake(session.state.continues_in)
                session = self.host.sessions.require(session.state.continues_in)
        except UnknownSession:
            return None
        same = command.cwd in {None, session.state.own_folder}
        if not same or not session.matches(command.record):
            return None
        self.dispatcher.trust.grant(command, session, self.caller)
        reuse_session(session, command.record)
        return session.state

    def traffic(self, session_id: str) -> Iterator[bytes]:
        """Read the log's file."""
        path = self.host.call(self._traffic_path(session_id), _FLUSH_SECONDS)
        with path.open("rb") as file:
            while piece := file.read(_PIECE_BYTES):
                yield piece

    def events(self, session_id: str) -> Generator[tuple[Event, ...]]:
        """Follow the session's journal."""
        woken = threading.Event()
        reader = Subscription(session_id, woken.set)
        session = self.host.call(self._observe(session_id, reader), _FLUSH_SECONDS)
        try:
            while True:
                ended = self.host.sessions.get(session_id) is not session
                woken.clear()
                events = reader.take()
                if ended and not events:
                    return
                yield events
                time.sleep(_PAUSE_SECONDS)
                woken.wait(_LIFE_SECONDS)
        finally:
            self.host.unsubscribe(reader)

    async def _observe(self, session_id: str, reader: Reader) -> Session:
        await self.host.sessions.subscribe(session_id, reader, answers=False)
        return self.host.sessions.require(session_id)

    async def _traffic_path(self, session_id: str) -> Path:
        await asyncio.to_thread(self.host.sessions.require(session_id).journal.flush)
        return self.host.traffic_path(session_id)

    def _run(self, command: Command, seconds: float) -> Any:
        return self.host.call(self.dispatcher.handle(command, self.caller), seconds)


def _at_exit(close: Callable[[], None]) -> None:
    """Call ``close`` at the end of the process, while threads can still be started.

    `atexit` is too late: executors refuse work by then, and sessions would stay locked.
    """
    # CPython's executors register in the same way, and the last one is called first: so their
    # module has to be imported before this.
    early = getattr(threading, "_register_atexit", atexit.register)
    early(close)


def _folder(cwd: Path) -> Path:
    """Return the nearest git root above the kernel's folder, else that folder."""
    root = Path(cwd.anchor)
    return choose_cwd(root, (cwd / "notebook").relative_to(root).as_posix())


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "user"


class _OwnKernel:
    """A `KernelLookup` with this kernel only; sessions know their notebook."""

    async def kernel_of(self, notebook_path: str) -> str:
        """Return this kernel."""
        return THIS_KERNEL

    async def notebook_of(self, kernel_id: str) -> str:
        """Return an empty string."""
        return ""


def kernel_tools(root: Path, cells: WaitingCells) -> McpServerProvider:
    """Return the provider of notebook tools for sessions of this kernel."""
    # Not for programs without a notebook.
    from acp_jupyter.notebook_tools.mcp_endpoint import NotebookTools
    from acp_jupyter.notebook_tools.notebooks import FileNotebooks, Notebooks

    notebooks = Notebooks(FileNotebooks(root, Limits()))
    return NotebookTools(root, _OwnKernel(), notebooks, EmbeddedKernelRunner(cells))
