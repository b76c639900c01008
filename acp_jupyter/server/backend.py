"""The backend of the routes: the host, called from the server's loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic_core import to_json

from acp_jupyter.api.access import Caller, KernelCaller, may_read_traffic, visible_session
from acp_jupyter.api.dispatch import Dispatcher
from acp_jupyter.api.models.command_row import Result
from acp_jupyter.api.models.command_table import Command, require_read_only, row_of
from acp_jupyter.api.models.sessions import SessionSummary
from acp_jupyter.api.models.traffic import ImportProgress
from acp_jupyter.api.models.turns import GetSavedOutputs, PromptSession, SavedOutputs
from acp_jupyter.api.pages import Pages
from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.key_throttle import KeyThrottle
from acp_jupyter.host.session.session import Session
from acp_jupyter.host.store.journal import Reader
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.notebook_tools.kernel_work import WaitingCells
from acp_jupyter.server.finished_outputs import FinishedOutputs
from acp_jupyter.server.kernels import Kernels
from acp_jupyter.server.page_keys import PageKeys

T = TypeVar("T")


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

    async def handle(self, command: Command, caller: Caller) -> Result:
        """Carry out a command in the host."""
        await self._prepare(command, caller)
        result = await asyncio.wrap_future(
            self.host.submit(self.dispatcher.handle(command, caller))
        )
        if isinstance(command, GetSavedOutputs) and self.finished_outputs is not None:
            assert isinstance(result, SavedOutputs)
            self.finished_outputs.know(command.notebook_path, result.outputs)
        return result

    async def handle_json(self, command: Command, caller: Caller) -> bytes:
        """Carry out a command in the host and encode its result.

        The host's thread encodes it, as a whole transcript would block Jupyter's loop.
        """
        await self._prepare(command, caller)

        async def encoded() -> tuple[Result, bytes]:
            result = await self.dispatcher.handle(command, caller)
            return result, to_json(result)

        result, answer = await asyncio.wrap_future(self.host.submit(encoded()))
        if isinstance(command, PromptSession) and isinstance(caller, KernelCaller):
            assert isinstance(result, dict)
            if self.finished_outputs is not None:
                self.finished_outputs.watch(result["turn_id"], caller)
        return answer

    async def in_host(self, work: Coroutine[Any, Any, T]) -> T:
        """Do some work on the host's loop."""
        return await asyncio.wrap_future(self.host.submit(work))

    async def sessions(self, caller: Caller) -> tuple[SessionSummary, ...]:
        """List the sessions that the caller may see."""
        return await asyncio.wrap_future(self.host.submit(self.dispatcher.summaries(caller)))

    async def imports(self, caller: Caller) -> tuple[ImportProgress, ...]:
        """List the imports that run now and that the caller may see."""
        return await asyncio.wrap_future(self.host.submit(self.dispatcher.imports(caller)))

    async def traffic_path(self, session_id: str, caller: Caller) -> Path:
        """Return the path of a session's traffic log, flushed."""

        async def path() -> Path:
            await self.host.stored_sessions.wake(session_id)
            session = self.host.session(session_id)
            may_read_traffic(session, caller)
            await session.journal.flushed()
            return self.host.traffic_path(session_id)

        return await asyncio.wrap_future(self.host.submit(path()))

    async def traffic_log(self, session_id: str, caller: Caller) -> TrafficLog:
        """Return the log of a session."""
        work = self.dispatcher.traffic_log(session_id, caller)
        return await asyncio.wrap_future(self.host.submit(work))

    async def observe(self, session_id: str, caller: Caller, reader: Reader) -> Session:
        """Let a reader follow a session without the right to answer its requests."""

        async def follow() -> Session:
            await self.host.stored_sessions.wake(session_id)
            session = visible_session(self.host, session_id, caller)
            await self.host.subscribe(session_id, reader, answers=False)
            return session

        return await asyncio.wrap_future(self.host.submit(follow()))

    async def _prepare(self, command: Command, caller: Caller) -> None:
        """Look up the kernels that the dispatcher will need, on Jupyter's loop."""
        row = row_of(command)
        if isinstance(caller, KernelCaller):
            if self.agent_runs_in(caller.kernel_id):
                require_read_only(command)
            if not row.while_kernel_stops and self.kernels.is_shutting_down(caller.kernel_id):
                raise NotAllowed("This kernel is shutting down or restarting; its turns continue.")
        if row.finds_kernel:
            await self.kernels.learn(getattr(command, "notebook_path"))  # noqa: B009 - as the row says
