"""Sessions ended, deleted, forked and taken up again."""

from __future__ import annotations

import asyncio
from typing import assert_never

from acp_jupyter.delivery.access import may_see, users_only
from acp_jupyter.delivery.callers import Caller, KernelCaller
from acp_jupyter.delivery.session_commands import (
    AgentSession,
    AgentSessions,
    CloseSession,
    DeleteSession,
    ForkSession,
    ListAgentSessions,
    OpenAgentSession,
    ResumeSession,
    SessionCommand,
)
from acp_jupyter.delivery.trust import Trust
from acp_jupyter.errors import BadRequest, UnknownSession
from acp_jupyter.host.attaching import Attaching
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.link import Link
from acp_jupyter.host.session import Session
from acp_jupyter.host.workspace import resolve_cwd
from acp_jupyter.packets.abilities import abilities
from acp_jupyter.packets.base import Model
from acp_jupyter.packets.json_fields import first, items, obj, text
from acp_jupyter.transcript.session_state import SessionState

__all__ = ["SessionLife"]


class SessionLife:
    """Carries out what concerns a session as a whole.

    Parameters
    ----------
    host
        Owner of the sessions.
    trust
        Of folders.
    """

    def __init__(self, host: AgentHost, trust: Trust) -> None:
        self._host = host
        self._trust = trust

    async def handle(self, command: SessionCommand, caller: Caller) -> Model | dict[str, str]:
        """Carry out a command.

        Raises
        ------
        AcpError
            Any of its kinds.
        """
        match command:
            case CloseSession():
                self._seen(command.session_id, caller)
                await self._host.closer.close(command.session_id)
                return {}
            case DeleteSession():
                users_only(caller, "delete a session")
                await self._host.closer.delete(command.session_id)
                return {}
            case ForkSession():
                return await self._fork(self._seen(command.session_id, caller), caller)
            case ResumeSession():
                session = self._seen(command.session_id, caller)
                await session.start()
                return session.state
            case ListAgentSessions():
                users_only(caller, "list the sessions of an agent")
                return await self._list(command)
            case OpenAgentSession():
                users_only(caller, "open a session of an agent")
                return await self._open(command)
            case _:
                assert_never(command)

    def _seen(self, session_id: str, caller: Caller) -> Session:
        session = self._host.session(session_id)
        if not may_see(session, caller):
            raise UnknownSession(f"There is no session {session_id!r} of this notebook.")
        return session

    async def _fork(self, parent: Session, caller: Caller) -> SessionState:
        link = await parent.agent.open()
        if not link.can("fork"):
            raise BadRequest(f"{parent.state.agent_info.name} can't fork a session.")
        notebook = caller.notebook_path if isinstance(caller, KernelCaller) else ""
        child = await self._host.stored_sessions.fork(parent, notebook)
        if isinstance(caller, KernelCaller):
            child.kernel_id = caller.kernel_id

        async def fork(attaching: Attaching) -> Link:
            return await attaching.fork(link.agent_session_id)

        child.agent.first_open = fork
        try:
            await child.start()
        except BaseException:
            await self._host.closer.delete(child.session_id)
            raise
        return child.state

    async def _list(self, command: ListAgentSessions) -> AgentSessions:
        spec = self._host.config.registry.get(command.agent)
        root = self._host.config.root
        cwd = resolve_cwd(root, command.cwd or ".", inside_root=False)
        await self._trust.require(spec, cwd, trust=False)
        async with self._host.pool.borrowed(spec, cwd) as connection:
            if "list" not in abilities(dict(connection.capabilities)):
                raise BadRequest(f"{spec.name} does not list its sessions.")
            params = {"cwd": str(cwd)} if command.cwd is not None else {}
            if command.cursor:
                params["cursor"] = command.cursor
            result = await connection.request("session/list", params)
        known = await self._known()
        listed = map(obj, items(result.get("sessions")))
        return AgentSessions(
            sessions=tuple(
                AgentSession(
                    agent_session_id=name,
                    cwd=text(entry.get("cwd")),
                    title=text(entry.get("title"))[:200],
                    updated_at=text(first(entry, "updatedAt", "updated_at")),
                    session_id=known.get(name, ""),
                )
                for entry in listed
                if (name := text(first(entry, "sessionId", "session_id")))
            ),
            next_cursor=text(first(result, "nextCursor", "next_cursor")),
        )

    async def _open(self, command: OpenAgentSession) -> SessionState:
        known = (await self._known()).get(command.agent_session_id)
        if known is not None:
            await self._host.stored_sessions.wake(known)
            return self._host.session(known).state
        root = self._host.config.root
        cwd = resolve_cwd(root, command.cwd or ".", inside_root=False)
        spec = self._host.config.registry.get(command.agent)
        await self._trust.require(spec, cwd, trust=command.trust)
        session = self._host.open(command.agent, cwd, label=command.title[:200])
        await self._host.save_new(session)
        refused = f"{session.state.agent_info.name} could not open this session again."

        async def open_known(attaching: Attaching) -> Link:
            link = await attaching.known(command.agent_session_id)
            if link is None:
                raise BadRequest(refused)
            return link

        session.agent.first_open = open_known
        try:
            await session.start()
        except BaseException:
            await asyncio.shield(self._host.closer.delete(session.session_id))
            raise
        return session.state

    async def _known(self) -> dict[str, str]:
        """Return our ids of sessions by those of their agents."""
        open_ = {s.state.agent_session_id: s.session_id for s in self._host.sessions.values()}
        kept = {m.agent_session_id: m.session_id for m in await self._host.stored_sessions.stored()}
        return {name: ours for name, ours in {**kept, **open_}.items() if name}
