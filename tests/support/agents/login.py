"""An agent that wants a login, and terminals that a test plays."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acp_jupyter.api.access import UserCaller
from acp_jupyter.api.dispatch import Dispatcher
from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.api.models.sessions import LoginReply
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.login import Launch, Terminal
from acp_jupyter.host.sessions.session import Session
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver
from tests.support.host.limits import PATIENT
from tests.support.host.trusted_folders import trusting
from tests.support.wait import PATIENCE_SECONDS, eventually

__all__ = ["FakeTerminals", "LoginDriver", "login_driver", "wants_login"]


def wants_login(how: str, state: Path, *, env: dict[str, str] | None = None) -> dict[str, Any]:
    """Return the configuration of the fake agent ``wants_login``."""
    more = {"WANTS_LOGIN_STATE": str(state), **(env or {})}
    return {**script("wants_login", how), "env": more}


@dataclass
class _FakeTerminal:
    name: str
    code: asyncio.Future[int | None]
    closed: bool = False

    async def wait(self) -> int | None:
        return await self.code

    async def close(self) -> None:
        self.closed = True


@dataclass
class FakeTerminals:
    """Runs nothing; remembers what it was to run."""

    launches: list[Launch] = field(default_factory=list)
    opened: list[_FakeTerminal] = field(default_factory=list)

    async def open(self, launch: Launch) -> Terminal | None:
        self.launches.append(launch)
        name = str(len(self.launches))
        self.opened.append(_FakeTerminal(name, asyncio.get_running_loop().create_future()))
        return self.opened[-1]


class LoginDriver(Driver):
    """Drives logins as a page does."""

    def __init__(self, host: AgentHost, root: Path, terminals: FakeTerminals | None) -> None:
        super().__init__(host, root)
        self.dispatcher = Dispatcher(host, _Nowhere(), terminals)
        self.state = root.parent / "state"

    def ask(self, command: Command) -> LoginReply:
        handled = self.host.submit(self.dispatcher.handle(command, UserCaller("tester")))
        reply = handled.result(PATIENCE_SECONDS)
        assert isinstance(reply, LoginReply)
        return reply

    def settled(self, session: Session) -> Session:
        """Wait until no login goes on."""
        eventually(lambda: session.state.login is None or session.state.login.state != "running")
        return session


class _Nowhere:
    def holds(self, path: str) -> bool:
        return False

    async def cells(self, path: str) -> tuple[Cell, ...]:
        return ()

    async def contexts(self, path: str) -> tuple[Cell, ...]:
        return ()

    def kernel_of(self, notebook_path: str) -> str:
        return ""


@contextmanager
def login_driver(
    folder: Path, how: str, terminals: FakeTerminals | None = None, limits: Limits = PATIENT
) -> Iterator[LoginDriver]:
    """Start a host with the one agent ``wants_login``."""
    root = folder / "ws"
    root.mkdir()
    agents = {"wants_login": wants_login(how, folder / "state")}
    host = AgentHost(
        HostConfig(
            Registry(agents, []), root, folder / "data", limits=limits, trust=trusting(folder)
        )
    )
    host.start()
    try:
        yield LoginDriver(host, root, terminals)
    finally:
        host.stop()
