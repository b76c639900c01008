"""Agents and logins: which there are, what each needs, and what its user does about it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import assert_never

from acp_jupyter.api.access import Caller, require_user
from acp_jupyter.api.models.sessions import (
    AgentCommand,
    AgentEntry,
    AllowDownload,
    CancelLogin,
    Login,
    LoginReply,
    Logout,
    RestartAgent,
)
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.login.launch import Terminals
from acp_jupyter.host.registry.entries import AgentReport
from acp_jupyter.protocol.parse.login import AuthMethod
from acp_jupyter.transcript.model.session_state import SessionState


class LoginMemory:
    """Which agents said, since this server runs, that they need a login."""

    def __init__(self) -> None:
        self._needs: dict[str, tuple[str, tuple[AuthMethod, ...]]] = {}
        self._seen: dict[str, tuple[str, str]] = {}

    def update(self, states: Iterable[SessionState]) -> None:
        """Take in what the sessions know now."""
        seen: dict[str, tuple[str, str]] = {}
        for state in states:
            now = seen[state.session_id] = (state.needs_login, state.agent_session_id)
            before = self._seen.get(state.session_id, ("", ""))
            if state.needs_login:
                self._needs[state.agent] = (state.needs_login, state.auth_methods)
            elif before[0] or before[1] != now[1]:
                self._needs.pop(state.agent, None)  # it has opened a session since
        self._seen = seen

    def entry(self, report: AgentReport) -> AgentEntry:
        """Return an agent as it is shown."""
        entry = AgentEntry(
            id=report.id,
            name=report.name,
            status=report.status,
            detail=report.detail,
            install=report.install,
            website=report.website,
            package=report.package,
            run=report.run,
            listed=report.listed,
        )
        need = self._needs.get(report.id)
        if need is None or report.status != "ready":
            return entry
        words, methods = need
        changes = {"status": "needs_login", "detail": words, "methods": methods}
        return entry.model_copy(update=changes)


class AgentCommands:
    """Carries out the commands of :mod:`acp_jupyter.api.models.sessions`.

    Parameters
    ----------
    host
        Owner of the sessions.
    terminals
        Where a login can be shown in a terminal.
    """

    def __init__(self, host: AgentHost, terminals: Terminals | None = None) -> None:
        self._host = host
        self._terminals = terminals
        self._memory = LoginMemory()
        self.stop: Callable[[], None] = host.on_sessions_changed(self._update_logins)

    async def list(self) -> list[AgentEntry]:
        """Return all agents. Looking for them touches the disk, so not on this loop."""
        reports = await asyncio.to_thread(self._host.config.registry.statuses)
        return [self._memory.entry(report) for report in reports]

    async def handle(self, command: AgentCommand, caller: Caller) -> AgentEntry | LoginReply:
        """Carry out a command; none of them is for a kernel.

        Raises
        ------
        AcpError
            Any of its kinds.
        """
        match command:
            case AllowDownload():
                require_user(caller, "allow a download")
                registry = self._host.config.registry
                report = await asyncio.to_thread(
                    registry.allow_download, command.agent, command.package
                )
                return self._memory.entry(report)
            case RestartAgent():
                require_user(caller, "restart an agent")
                await asyncio.to_thread(self._host.config.registry.get, command.agent)
                ended = await self._host.restart_agent(command.agent)
                return LoginReply(message=_restarted(ended))
            case Login():
                require_user(caller, "log in to an agent")
                login = self._host.session(command.session_id).agent.login
                answer = await login.begin(command.method_id, self._terminals)
                return LoginReply(
                    message=answer.message, terminal=answer.terminal, command=answer.command
                )
            case CancelLogin():
                require_user(caller, "cancel a login")
                await self._host.session(command.session_id).agent.login.cancel()
                return LoginReply(message="The login was cancelled.")
            case Logout():
                require_user(caller, "log out of an agent")
                login = self._host.session(command.session_id).agent.login
                return LoginReply(message=await login.logout())
            case _:
                assert_never(command)

    def _update_logins(self) -> None:
        self._memory.update(session.state for session in tuple(self._host.sessions.values()))


def _restarted(ended: int) -> str:
    if not ended:
        return "The agent was not running. Your next message starts it."
    return "The agent was ended. Your next message starts it again."
