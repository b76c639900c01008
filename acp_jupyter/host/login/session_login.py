"""The login of a session at its agent: start, watch and cancel a login, and log out."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, assert_never

from acp_jupyter.errors import AcpError, BadRequest, LoginNeeded
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.login.launch import Terminal, Terminals, launch_of
from acp_jupyter.host.registry.entries import AgentSpec
from acp_jupyter.host.rpc.connection import AgentConnection
from acp_jupyter.host.rpc.handshake import variable_advice
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.host_events.session import LoginDone, LoginStarted
from acp_jupyter.protocol.host_events.session import LoginNeeded as LoginNeededNote
from acp_jupyter.protocol.parse.login import AuthMethod, auth_methods

T = TypeVar("T")


class SessionLogin:
    """Runs one login at a time and writes its progress into the session's log.

    Parameters
    ----------
    spec
        The agent.
    agent
        The session's agent.
    journal
        The session's journal.
    limits
        The host's limits.
    """

    def __init__(self, spec: AgentSpec, agent: AgentSide, journal: Journal, limits: Limits) -> None:
        self._spec = spec
        self._agent = agent
        self._journal = journal
        self._limits = limits
        self._initialize_result: Mapping[str, Any] = {}
        self._task: asyncio.Task[None] | None = None

    async def watch(self, opening: Awaitable[T]) -> T:
        """Wait until the session is open; log it if the agent needs a login first."""
        try:
            return await opening
        except LoginNeeded as error:
            self._initialize_result = error.initialize_result
            self._journal.note(LoginNeededNote(message=error.message))
            raise

    async def begin(self, method_id: str, terminals: Terminals | None) -> LoginAnswer:
        """Start a login; it may still be running when this returns.

        Parameters
        ----------
        method_id
            The agent's id of the method; empty for the first usable one.
        terminals
            Opens terminals; None where there are none.

        Raises
        ------
        BadRequest
            There is no such method, it can't be used from here, or a login is already running.
        AgentStartError
            The agent does not start.
        """
        if self._task is not None and not self._task.done():
            raise BadRequest("A login is already in progress. Finish or cancel it first.")
        if not self._initialize_result:
            connection = await self._agent.connected()
            self._initialize_result = connection.initialize_result
            await self._agent.disconnected()
        method = self._method(method_id)
        match method.kind:
            case "agent":
                self._journal.note(LoginStarted(method_id=method.id, name=method.name))
                self._run(self._authenticate(method))
                return LoginAnswer(
                    f"{self._name} logs you in. Follow it in your browser, if it opens one."
                )
            case "terminal":
                return await self._in_terminal(method, terminals)
            case "env_var":
                return LoginAnswer(variable_advice(self._name, self._spec.id, method))
            case "other":
                raise BadRequest(
                    f"This version does not know how to log in by {method.name}. Log in to "
                    f"{self._name} outside of Jupyter, then restart the agent."
                )
            case _:
                assert_never(method.kind)

    async def cancel(self) -> None:
        """Cancel the running login."""
        task = self._task
        if task is not None and not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def logout(self) -> str:
        """Log out (ACP: logout); return a message about the result.

        Raises
        ------
        BadRequest
            The agent has no logout.
        AgentRequestError
            The agent refused, or did not answer in time.
        """
        await self.cancel()
        if "logout" not in self._journal.transcript.session.can:
            raise BadRequest(f"{self._name} has no logout. Log out with its own program.")
        connection = await self._agent.connected()
        try:
            await connection.request("logout", {}, self._journal)
        finally:
            await self._agent.disconnected()
        await self._agent.drop()
        message = f"You are logged out of {self._name}. Log in to go on."
        self._journal.note(LoginDone(ok=True, logged_out=True, message=message))
        return message

    # -- the ways --------------------------------------------------------

    @property
    def _name(self) -> str:
        return self._journal.transcript.session.agent_info.name

    def _method(self, method_id: str) -> AuthMethod:
        methods = auth_methods(dict(self._initialize_result))
        if not methods:
            raise BadRequest(
                f"{self._name} offers no way to log in from here. Log in to it in a terminal as "
                "its documentation says, then restart the agent."
            )
        usable = (m for m in methods if m.kind != "other" and not method_id)
        named = (m for m in methods if method_id in {m.id, m.name} and method_id)
        method = next(named, None) or next(usable, None)
        if method is None:
            names = ", ".join(m.id for m in methods)
            raise BadRequest(f"{self._name} has no login {method_id!r}. It has: {names}.")
        return method

    async def _authenticate(self, method: AuthMethod) -> None:
        """Send ``authenticate``; its answer may be null."""
        connection = await self._agent.connected()
        try:
            await connection.request(
                "authenticate",
                {"methodId": method.id},
                self._journal,
                seconds=self._limits.authenticate_seconds,
            )
            await self._open_again()
        finally:
            await self._agent.disconnected()

    async def _in_terminal(self, method: AuthMethod, terminals: Terminals | None) -> LoginAnswer:
        cwd = Path(self._journal.transcript.session.cwd)
        launch = launch_of(self._spec, self._initialize_result, method.id, os.environ, cwd)
        terminal = None if terminals is None else await terminals.open(launch)
        if terminal is None:
            return LoginAnswer(launch.words(), command=launch.command())
        self._journal.note(
            LoginStarted(method_id=method.id, name=method.name, terminal=terminal.name)
        )
        self._run(self._watch_terminal(terminal))
        return LoginAnswer("Log in in the terminal.", terminal=terminal.name)

    async def _watch_terminal(self, terminal: Terminal) -> None:
        """Wait for the program's end; no ``authenticate`` is sent."""
        try:
            async with asyncio.timeout(self._limits.login_terminal_seconds):
                code = await terminal.wait()
        except (TimeoutError, asyncio.CancelledError):
            await terminal.close()
            raise
        if code != 0:
            how = "was closed" if code is None else f"ended with exit code {code}"
            raise BadRequest(f"The login in the terminal {how}. Try it again.")
        # Agents read their credentials when they start.
        await self._agent.drop()
        await self._open_again()

    async def _open_again(self) -> None:
        """Open the session; some agents notice a login only after a restart."""
        try:
            await self._agent.open()
        except LoginNeeded:
            await self._agent.restart()
            await self._agent.open()

    def _run(self, work: Any) -> None:
        self._task = asyncio.create_task(
            self._finish(work), name=f"acp-login-{self._journal.session_id}"
        )

    async def _finish(self, work: Awaitable[None]) -> None:
        """Run a login and log its result."""
        try:
            await work
        except asyncio.CancelledError:
            self._journal.note(LoginDone(ok=False, message="The login was cancelled."))
            raise
        except LoginNeeded:
            words = (
                f"The login succeeded, but {self._name} still says that it needs one. "
                "Try another way to log in."
            )
            self._journal.note(LoginDone(ok=False, message=words))
        except TimeoutError:
            words = "The login took too long and was ended. Try it again."
            self._journal.note(LoginDone(ok=False, message=words))
        except AcpError as error:
            self._journal.note(LoginDone(ok=False, message=error.message))
        else:
            self._journal.note(LoginDone(ok=True))


class AgentSide(Protocol):
    """The session's agent, as a login needs it."""

    async def connected(self) -> AgentConnection:
        """Return an initialized connection; it needs no open session."""

    async def disconnected(self) -> None:
        """Give the connection back, unless the session uses it."""

    async def open(self) -> object:
        """Open or resume the session."""

    async def drop(self) -> None:
        """Leave the agent's process."""

    async def restart(self) -> int:
        """End all processes of the agent; return their number."""


@dataclass(frozen=True, slots=True)
class LoginAnswer:
    """The next step for the user after a login has started."""

    message: str
    terminal: str = ""
    """Name of the terminal to open."""
    command: str = ""
    """Command to type where no terminal can be shown."""
