"""Agents and logins: lists agents and their state, allows downloads, logs in and out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import asdict

from acp_jupyter.api.access import Caller, KernelCaller, UserCaller, place_of
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.sessions import (
    AgentEntry,
    AllowDownload,
    CancelLogin,
    GetRegistry,
    GetSandboxes,
    ListAgents,
    Login,
    LoginReply,
    Logout,
    RegistryReply,
    RestartAgent,
    SandboxesReply,
    ServeAgent,
    UpdateRegistry,
)
from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.bounds import DECIDED
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry_entries import IN_KERNEL, AgentReport
from acp_jupyter.host.sessions.login import Terminals
from acp_jupyter.protocol.parse.login import AuthMethod
from acp_jupyter.transcript.model.session_state import SessionState


class LoginMemory:
    """Remembers which agents have reported in this run that they need a login."""

    def __init__(self) -> None:
        self._needs: dict[str, tuple[str, tuple[AuthMethod, ...]]] = {}
        self._seen: dict[str, tuple[str, str]] = {}

    def update(self, states: Iterable[SessionState]) -> None:
        """Update from the present states of sessions."""
        seen: dict[str, tuple[str, str]] = {}
        for state in states:
            now = seen[state.session_id] = (state.needs_login, state.agent_session_id)
            before = self._seen.get(state.session_id, ("", ""))
            if state.needs_login:
                self._needs[state.agent] = (state.needs_login, state.auth_methods)
            elif before[0] or before[1] != now[1]:
                self._needs.pop(state.agent, None)  # the agent has opened a session since
        self._seen = seen

    def entry(self, report: AgentReport) -> AgentEntry:
        """Return an agent's entry for the list."""
        entry = AgentEntry(
            id=report.id,
            name=report.name,
            status=report.status,
            detail=report.detail,
            install=report.install,
            website=report.website,
            package=report.package,
            run=report.run,
            notes=report.notes,
            listed=report.listed,
        )
        need = self._needs.get(report.id)
        if need is None or report.status != "ready":
            return entry
        words, methods = need
        changes = {"status": "needs_login", "detail": words, "methods": methods}
        return entry.model_copy(update=changes)


class AgentCommands:
    """Carries out commands about agents and logins."""

    def __init__(self, host: AgentHost, terminals: Terminals | None = None) -> None:
        self._host = host
        self._terminals = terminals
        self._memory = LoginMemory()
        self.stop: Callable[[], None] = host.sessions.on_change(self._update_logins)

    @handles(ListAgents)
    async def list(self, command: ListAgents, caller: Caller) -> list[AgentEntry]:
        """Return all agents. Searches the disk, so in a thread."""
        place = place_of(caller, command.notebook_path)
        reports = await asyncio.to_thread(self._host.config.registry.statuses, place)
        return [self._memory.entry(report) for report in reports]

    @handles(ServeAgent)
    async def serve(self, command: ServeAgent, caller: Caller) -> AgentEntry:
        """Take an agent that runs in the caller's kernel."""
        if not isinstance(caller, KernelCaller):
            raise NotAllowed("Only code in a kernel can serve an agent.")
        bounds, registry = self._host.config.bounds, self._host.config.registry
        if bounds.forbids_agent(IN_KERNEL + command.agent.lower()):
            raise NotAllowed(f"{command.agent} can't be served: it is not allowed here. {DECIDED}")
        if bounds.needs_walls:
            raise NotAllowed(
                f"An agent in a kernel has no sandbox, and one is required here. {DECIDED}"
            )
        await asyncio.to_thread(registry.require_free, command.agent)
        self._host.secrets.put(f"agent {command.agent} of {caller.kernel_id}", [command.key])
        spec = await registry.served.serve(
            place_of(caller), command.agent, command.address, command.key
        )
        return AgentEntry(id=spec.id, name=spec.name, status="ready")

    @handles(AllowDownload)
    async def allow_download(self, command: AllowDownload, caller: UserCaller) -> AgentEntry:
        """Let a package be downloaded and run."""
        allow = self._host.config.registry.allow_download
        report = await asyncio.to_thread(allow, command.agent, command.package, command.run)
        return self._memory.entry(report)

    @handles(GetRegistry)
    async def registry(self, command: GetRegistry, caller: Caller) -> RegistryReply:
        """Return which list of the public registry is in use."""
        return RegistryReply(**asdict(self._host.config.registry.public_state))

    @handles(GetSandboxes)
    async def sandboxes(self, command: GetSandboxes, caller: Caller) -> SandboxesReply:
        """Return the level of sandboxes here, which is tested once, in a thread."""
        bounds, sandboxes = self._host.config.bounds, self._host.sessions.sandboxes
        level = await asyncio.to_thread(lambda: sandboxes.level)
        return SandboxesReply(
            level=level.level,
            kept_by=level.kept_by,
            why_not_more=level.why_not_more,
            allowed=bounds.sandboxes,
            required_level=bounds.sandbox_level,
        )

    @handles(UpdateRegistry)
    async def update_registry(self, command: UpdateRegistry, caller: UserCaller) -> RegistryReply:
        """Download a newer list of the public registry."""
        return RegistryReply(**asdict(await self._host.config.registry.update_public()))

    @handles(RestartAgent)
    async def restart(self, command: RestartAgent, caller: UserCaller) -> LoginReply:
        """End an agent's processes; the next prompt starts it."""
        registry = self._host.config.registry
        agent = await asyncio.to_thread(registry.id_of, command.agent)
        await asyncio.to_thread(registry.get, agent)
        ended = await self._host.pool.restart(agent)
        return LoginReply(message=_restarted(ended))

    @handles(Login)
    async def login(self, command: Login, caller: UserCaller) -> LoginReply:
        """Start a login; return what the user has to do for it."""
        login = self._host.sessions.require(command.session_id).agent.login
        answer = await login.begin(command.method_id, self._terminals)
        return LoginReply(message=answer.message, terminal=answer.terminal, command=answer.command)

    @handles(CancelLogin)
    async def cancel_login(self, command: CancelLogin, caller: UserCaller) -> LoginReply:
        """End a login that is going on."""
        await self._host.sessions.require(command.session_id).agent.login.cancel()
        return LoginReply(message="The login was cancelled.")

    @handles(Logout)
    async def logout(self, command: Logout, caller: UserCaller) -> LoginReply:
        """Log out of a session's agent."""
        login = self._host.sessions.require(command.session_id).agent.login
        return LoginReply(message=await login.logout())

    def _update_logins(self) -> None:
        self._memory.update(session.state for session in tuple(self._host.sessions.values()))


def _restarted(ended: int) -> str:
    if not ended:
        return "The agent was not running. Your next message starts it."
    return "The agent was ended. Your next message starts it again."
