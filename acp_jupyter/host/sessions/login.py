"""Logging in to an agent, and out again: over the protocol, or in a terminal.

A session's login is started, watched and cancelled here. What runs in a terminal is always a
program of the agent's own. `acp_jupyter.host.rpc.handshake` recognises that an agent needs a login;
the server opens the page's terminal.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shlex
import shutil
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar, assert_never

from acp_jupyter.errors import (
    AcpError,
    AgentDied,
    AgentRequestError,
    AgentStartError,
    BadRequest,
    LoginNeeded,
    plain_reason,
)
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.process.agent_process import agent_environment
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.rpc.agent_connection import AgentConnection
from acp_jupyter.host.rpc.handshake import variable_advice
from acp_jupyter.host.sandbox.sandboxes import Confined
from acp_jupyter.host.sessions.sandboxing import SessionSandbox
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.host_events.session import LoginDone, LoginStarted
from acp_jupyter.protocol.host_events.session import LoginNeeded as LoginNeededNote
from acp_jupyter.protocol.parse.login import (
    AuthMethod,
    TerminalLogin,
    assignments,
    auth_methods,
    terminal_login,
)
from acp_jupyter.protocol.session_packets import abilities
from acp_jupyter.system.processes.child_process import finish_cleanup

T = TypeVar("T")

_TERMINAL_SECONDS = 3600.0
"""Timeout for a login in a terminal."""


class SessionLogin:
    """Runs one login at a time and writes its progress into the session's log."""

    def __init__(
        self,
        spec: AgentSpec,
        agent: AgentSide,
        journal: Journal,
        limits: Limits,
        sandbox: SessionSandbox,
    ) -> None:
        self._spec = spec
        self._agent = agent
        self._journal = journal
        self._limits = limits
        self._sandbox = sandbox
        self._initialize_result: Mapping[str, Any] = {}
        self._task: asyncio.Task[None] | None = None
        self._status: asyncio.Task[None] | None = None

    async def watch(self, opening: Awaitable[T]) -> T:
        """Wait until the session is open; log it if the agent needs a login first."""
        try:
            return await opening
        except LoginNeeded as error:
            self._initialize_result = error.initialize_result
            self._journal.note(LoginNeededNote(message=error.message))
            raise

    def ask_status(self, connection: AgentConnection) -> None:
        """Ask which login is in use, if the agent can say; nobody waits. ACP: auth/status."""
        if "authStatus" not in abilities(dict(connection.initialize_result)):
            return
        if self._status is not None:
            self._status.cancel()
        self._status = asyncio.create_task(
            self._ask_status(connection), name=f"acp-auth-status-{self._journal.session_id}"
        )

    async def begin(self, method_id: str, terminals: Terminals | None) -> LoginAnswer:
        """Start a login; it may still be running when this returns.

        Parameters
        ----------
        method_id
            The agent's id of the method; empty for the first usable one.
        terminals
            Opens terminals; None where there are none.
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
        for task in (self._task, self._status):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def logout(self) -> str:
        """Log out (ACP: logout); return a message about the result."""
        await self.cancel()
        if "logout" not in self._journal.transcript.session.can:
            raise BadRequest(f"{self._name} has no logout. Log out with its own program.")
        connection = await self._agent.connected()
        try:
            await connection.request("logout", {}, self._journal)
        finally:
            await self._agent.disconnected()
        await self._agent.drop()
        message = f"You are logged out of {self._name}. Log in to continue."
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
            self.ask_status(connection)
        finally:
            await self._agent.disconnected()

    async def _ask_status(self, connection: AgentConnection) -> None:
        with contextlib.suppress(AgentRequestError, AgentDied):
            await connection.request("auth/status", {}, self._journal)

    async def _in_terminal(self, method: AuthMethod, terminals: Terminals | None) -> LoginAnswer:
        if self._spec.host:
            raise BadRequest(
                f"{self._name} runs on {self._spec.host}, so no terminal here can log it in. "
                "Log in there, then restart the agent."
            )
        cwd = Path(self._journal.transcript.session.cwd)
        launch = launch_of(self._spec, self._initialize_result, method.id, os.environ, cwd)
        if terminals is None:
            return LoginAnswer(launch.words(), command=launch.command())
        confined = await self._sandbox.open(self._spec, cwd)
        terminal = None
        try:
            terminal = await terminals.open(await asyncio.to_thread(_confined, launch, confined))
        except OSError as error:
            raise AgentStartError(
                f"The sandbox of {self._name} can't be made: {plain_reason(error)}."
            ) from None
        finally:
            if terminal is None:
                await _close(confined)
        if terminal is None:
            return LoginAnswer(launch.words(), command=launch.command())
        self._journal.note(
            LoginStarted(method_id=method.id, name=method.name, terminal=terminal.name)
        )
        self._run(self._watch_terminal(terminal, confined))
        return LoginAnswer("Log in using the terminal.", terminal=terminal.name)

    async def _watch_terminal(self, terminal: Terminal, confined: Confined | None) -> None:
        """Wait for the program's end; no ``authenticate`` is sent."""
        try:
            async with asyncio.timeout(_TERMINAL_SECONDS):
                code = await terminal.wait()
        except (TimeoutError, asyncio.CancelledError):
            await terminal.close()
            raise
        finally:
            await _close(confined)
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


_RUNS_OTHERS = re.compile(
    r"(python|pypy|node|nodejs|ruby|perl|php|lua)[0-9.]*|(ba|z|da|k|tc|c|fi|nu|pw)?sh|busybox|cmd"
    r"|powershell|npx|npm|pnpm|pnpx|yarn|bun|bunx|deno|tsx|uv|uvx|pipx|pixi|conda|mamba|micromamba"
    r"|poetry|hatch|nix|java|dotnet|go|cargo|env|sudo|doas|nice|nohup|timeout|xargs|setsid|ssh|wsl"
    r"|docker|podman|bwrap|firejail|flatpak|snap",
    re.IGNORECASE,
)
"""Interpreters and launchers, which run the programs in their arguments."""
_OBEYED = re.compile(
    r"LD_|DYLD_|PYTHON|NODE_|NPM_|BUN_|DENO_|PERL|RUBY|JAVA_|JDK_|_JAVA|DOTNET_|BASH|ENV$|IFS$|PS4$"
    r"|PROMPT_COMMAND|ZDOTDIR|PATH|HOME$|USERPROFILE|APPDATA|SHELL$|COMSPEC|BROWSER|EDITOR|VISUAL"
    r"|PAGER|GIT_|SSH_|SSL_|CURL_|UV_|PIP_|XDG_|TMPDIR$|TEMP$|TMP$|JUPYTER|ACP_JUPYTER|JPY_|KERNEL_"
    r"|(HTTPS?|ALL|NO|FTP)_PROXY|REQUESTS_CA",
    re.IGNORECASE,
)
"""Environment variables by which programs find code, settings or the network."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A program with its arguments, environment and folder."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    """The whole environment; nothing else is inherited."""
    added: Mapping[str, str]
    """Variables that the login method adds to the agent's environment."""
    configured: tuple[str, ...]
    """Names of the agent's configured variables; their values may be secrets and are not shown."""
    cwd: Path

    def words(self) -> str:
        """Return instructions for the same login by hand."""
        names = f" with {', '.join(self.configured)} as configured" if self.configured else ""
        return f"Run this in a terminal{names}. When it has finished, send the message again."

    def command(self) -> str:
        """Return the command line to type in a terminal."""
        return " ".join((*assignments(self.added), shlex.join(self.argv)))


class Terminal(Protocol):
    """A terminal in the page, with a program running in it."""

    @property
    def name(self) -> str:
        """The name by which the page opens the terminal."""

    async def wait(self) -> int | None:
        """Wait for the program's end; return its exit code, None if unknown."""

    async def close(self) -> None:
        """End the program."""


class Terminals(Protocol):
    """Opens terminals in the page."""

    async def open(self, launch: Launch) -> Terminal | None:
        """Run a program in a terminal; return None where there are no terminals."""


def launch_of(
    spec: AgentSpec,
    initialize_result: Mapping[str, Any],
    method_id: str,
    base: Mapping[str, str],
    cwd: Path,
) -> Launch:
    """Return the program to run for a terminal login."""
    login = terminal_login(dict(initialize_result), method_id)
    if login is None:
        raise BadRequest(
            "The agent's description of what to run is not valid. Log in to it in a terminal."
        )
    odd = [name for name in login.env if name in base or _OBEYED.match(name)]
    if odd:
        raise BadRequest(
            f"{spec.name} wants {', '.join(odd)} to be set for its login, which changes more than "
            f"the login. {_by_hand(spec, login)}"
        )
    argv = (spec.command, *_args(spec, login))
    env = agent_environment(base, {**spec.env, **login.env})
    return Launch(argv, env, login.env, tuple(spec.env), cwd)


def _confined(launch: Launch, confined: Confined | None) -> Launch:
    """Return a launch as it runs in a sandbox; reads the file system."""
    if confined is None:
        return launch
    argv = confined.command(launch.argv, str(launch.cwd))
    return replace(launch, argv=argv, env=confined.environment(launch.env))


async def _close(confined: Confined | None) -> None:
    if confined is not None:
        await finish_cleanup(confined.close())


def _args(spec: AgentSpec, login: TerminalLogin) -> tuple[str, ...]:
    if not login.command:
        return (*spec.args, *login.args)
    own = _program(spec.command)
    if own is not None and _program(login.command) == own:
        # An interpreter's arguments decide what it runs: they must be the configured ones.
        runs_others = any(_RUNS_OTHERS.fullmatch(Path(p).name) for p in (spec.command, own))
        if not runs_others or login.args[: len(spec.args)] == spec.args != ():
            return login.args
    # An interpreter with the agent's own script.
    elif own is not None and login.args and _program(login.args[0]) == own:
        return login.args[1:]
    raise BadRequest(
        f"{spec.name} asks to run a program other than its own, which Jupyter doesn't do. "
        f"{_by_hand(spec, login)}"
    )


def _by_hand(spec: AgentSpec, login: TerminalLogin) -> str:
    argv = (login.command, *login.args) if login.command else (spec.command, *login.args)
    command = " ".join((*assignments(login.env), shlex.join(argv)))
    return f"If you trust it, run this in a terminal and then restart the agent: {command}"


def _program(command: str) -> Path | None:
    found = shutil.which(command)
    return None if found is None else Path(found).resolve()
