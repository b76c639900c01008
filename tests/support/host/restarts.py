"""Hosts that are started one after the other on the same folders, as servers are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from acp_jupyter.api.access import Caller, UserCaller
from acp_jupyter.api.dispatch import Dispatcher
from acp_jupyter.api.models.command_row import Result
from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.objects import Obj
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver
from tests.support.host.limits import PATIENT
from tests.support.host.trusted_folders import trusting
from tests.support.wait import PATIENCE_SECONDS

__all__ = ["FAST", "HostFolders", "Server"]

FAST = replace(
    PATIENT,
    stop_seconds=2.0,
    stdin_eof_seconds=0.3,
    term_seconds=0.3,
    replay_quiet_seconds=0.3,
    heartbeat_seconds=0.5,
)


class _Alone:
    """No page and no kernel."""

    def holds(self, path: str) -> bool:
        return False

    async def cells(self, path: str) -> tuple[Cell, ...]:
        return ()

    async def contexts(self, path: str) -> tuple[Cell, ...]:
        return ()

    def kernel_of(self, notebook_path: str) -> str:
        return ""


class Server(Driver):
    """A host with the dispatcher before it."""

    def __init__(self, host: AgentHost, root: Path) -> None:
        super().__init__(host, root)
        self._dispatcher = Dispatcher(host, _Alone())

    def send(self, command: Command, seconds: float = PATIENCE_SECONDS) -> Result:
        return self.submit(command).result(seconds)

    def submit(self, command: Command, caller: Caller | None = None) -> Future[Result]:
        return self.host.submit(self._dispatcher.handle(command, caller or UserCaller("ada")))

    def woken(self, session_id: str) -> Session:
        async def wake() -> Session:
            # In one step of the host: it may close a session that another server has taken.
            await self.host.sessions.wake(session_id)
            return self.host.sessions.require(session_id)

        return self.host.submit(wake()).result(PATIENCE_SECONDS)

    def said(self, session: Session) -> list[str]:
        """Return what user and agent said, in order."""
        state = session.transcript
        items = state.window(0, len(state.items))
        return [i.text for i in items if i.kind in {"user_message", "agent_message"}]

    def notices(self, session: Session) -> list[str]:
        state = session.transcript
        return [item.text for item in state.items if item.kind == "notice"]


@dataclass
class HostFolders:
    """What lasts from server to server."""

    root: Path
    data: Path
    abilities: tuple[str, ...]
    entry: Obj = field(default_factory=dict)
    """What else its agent's entry has."""
    bounds: Bounds = field(default_factory=Bounds)
    others: dict[str, Obj] = field(default_factory=dict)
    """Other agents."""

    @property
    def store(self) -> Path:
        """The file in which the agent keeps its sessions: beside the folder, as agents do."""
        folder = self.root.parent / f"{self.root.name}-agent"
        folder.mkdir(exist_ok=True)
        return folder / "agent.json"

    @contextmanager
    def server(
        self, limits: Limits = FAST, on_host: Callable[[AgentHost], None] | None = None
    ) -> Iterator[Server]:
        keeper = script("keeps_sessions", str(self.store), *self.abilities)
        registry = Registry(
            {"keeper": {**keeper, **self.entry}, **self.others}, [], bounds=self.bounds
        )
        config = HostConfig(
            registry,
            self.root,
            self.data,
            limits=limits,
            trust=trusting(self.root.parent),
            bounds=self.bounds,
        )
        host = AgentHost(config)
        if on_host is not None:
            on_host(host)
        host.start()
        try:
            yield Server(host, self.root)
        finally:
            host.stop()
