"""The backend of the routes: the host, called from the server's loop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from acp_jupyter.api.access import (
    Caller,
    KernelCaller,
    UserCaller,
    may_read_traffic,
    visible_session,
)
from acp_jupyter.api.dispatch import Dispatcher
from acp_jupyter.api.models.command_row import Result
from acp_jupyter.api.models.command_table import Command, require_read_only, row_of
from acp_jupyter.api.models.turns import GetSavedOutputs, PromptSession, SavedOutputs
from acp_jupyter.api.pages import Pages
from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.key_throttle import KeyThrottle
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.journal import Reader
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.notebook_tools.kernel_work import WaitingCells
from acp_jupyter.server.finished_outputs import FinishedOutputs
from acp_jupyter.server.kernels import Kernels
from acp_jupyter.server.page_keys import PageKeys


class Stoppable(Protocol):
    """A stream that the server stops at its end."""

    async def stop(self) -> None:
        """Stop the stream and wait for its end."""


@dataclass(frozen=True)
class Backend:
    """The host, called from the server's loop."""

    host: AgentHost
    dispatcher: Dispatcher
    pages: Pages
    kernels: Kernels
    page_keys: PageKeys
    """Distinguishes the connections of pages from those of scripts in pages."""
    cells: WaitingCells = field(default_factory=WaitingCells)
    """The cells that wait for a turn, and the work of tools for them."""
    agent_runs_in: Callable[[str], bool] = lambda _: False
    """Returns whether a kernel runs an agent's code now."""
    finished_outputs: FinishedOutputs | None = None
    """Puts the turns of cells into notebooks that no page of ours has open."""
    key_throttle: KeyThrottle = field(default_factory=KeyThrottle)
    """Slows down whoever tries keys and signatures here."""
    streams: set[Stoppable] = field(default_factory=set)
    """The open WebSockets and event streams."""
    log_readers: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(4, thread_name_prefix="acp-packets")
    )
    """Threads that read logs, so that a slow disk delays nothing else."""

    async def before(self, command: Command, caller: Caller) -> None:
        """Refuse what a kernel may not do now; look up the kernel that the dispatcher will need."""
        row = row_of(command)
        if isinstance(caller, KernelCaller):
            if self.agent_runs_in(caller.kernel_id):
                require_read_only(command)
            if not row.while_kernel_stops and self.kernels.is_shutting_down(caller.kernel_id):
                raise NotAllowed("This kernel is shutting down or restarting; its turns continue.")
        if row.finds_kernel:
            await self.kernels.learn(getattr(command, "notebook_path"))  # noqa: B009 - as the row says

    def after(self, command: Command, caller: Caller, result: Result) -> None:
        """Let notebooks that no page of ours has open get the turn of a command."""
        outputs = self.finished_outputs
        if outputs is None:
            return
        match command, caller, result:
            case GetSavedOutputs() as asked, UserCaller(), SavedOutputs() as saved:
                outputs.know(asked.notebook_path, saved.outputs)
            case PromptSession(), KernelCaller() as kernel, {"turn_id": str(turn_id)}:
                outputs.watch(turn_id, kernel)
            case _:
                pass

    async def traffic_path(self, session_id: str, caller: Caller) -> Path:
        """Return the path of a session's traffic log, flushed."""

        async def path() -> Path:
            await self.host.sessions.wake(session_id)
            session = self.host.sessions.require(session_id)
            may_read_traffic(session, caller)
            await session.journal.flushed()
            return self.host.traffic_path(session_id)

        return await self.host.run(path())

    async def traffic_log(self, session_id: str, caller: Caller) -> TrafficLog:
        """Return the log of a session."""
        return await self.host.run(self.dispatcher.traffic_log(session_id, caller))

    async def observe(self, session_id: str, caller: Caller, reader: Reader) -> Session:
        """Let a reader follow a session without the right to answer its requests."""

        async def follow() -> Session:
            await self.host.sessions.wake(session_id)
            session = visible_session(self.host, session_id, caller)
            await self.host.sessions.subscribe(session_id, reader, answers=False)
            return session

        return await self.host.run(follow())
