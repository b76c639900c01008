"""A session opened at its agent, or taken up again where the agent can do so."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from acp_jupyter.errors import AgentRequestError
from acp_jupyter.host.connection import AgentConnection
from acp_jupyter.host.journal import Journal
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.link import Link
from acp_jupyter.protocol.host_events.session import ReplayEnded, ReplayStarted, SessionAttached
from acp_jupyter.protocol.objects import first, text
from acp_jupyter.protocol.parse.setup import legacy_models
from acp_jupyter.protocol.session_packets import Ability

__all__ = ["Attaching"]


class Attaching:
    """Opens one session at a running agent.

    Parameters
    ----------
    connection
        To the agent.
    journal
        Of the session.
    cwd
        Its folder.
    mcp_servers
        What the agent is to use beside its own; kinds that it does not take are left out.
    limits
        See `Limits`.
    """

    def __init__(
        self,
        connection: AgentConnection,
        journal: Journal,
        cwd: Path,
        mcp_servers: Sequence[Mapping[str, Any]],
        limits: Limits,
    ) -> None:
        self._connection = connection
        self._journal = journal
        self._limits = limits
        self._session_connection = Link(connection, "", journal)
        servers = [server for server in mcp_servers if self._takes(server)]
        self._params: dict[str, Any] = {"cwd": str(cwd), "mcpServers": servers}

    async def new(self, *, without_history: bool = False) -> Link:
        """ACP: session/new.

        Raises
        ------
        AgentStartError
            It did not open one.
        """
        result = await self._connection.new_session(
            self._params["cwd"], self._journal, self._params["mcpServers"]
        )
        session_id = str(result["sessionId"])
        self._note(
            SessionAttached(how="new", agent_session_id=session_id, without_history=without_history)
        )
        return self._opened(session_id, result)

    async def again(self, previous: str) -> Link:
        """Go on with a session: by resume, else by load, else by a new one without history.

        ACP: session/resume, session/load; an agent that announces one and does not know it is
        asked for the next.

        Raises
        ------
        AgentStartError
            Not even a new one was opened.
        """
        link = await self._resume(previous) or await self._load(previous, keep_history=False)
        return link or await self.new(without_history=True)

    async def known(self, agent_session_id: str) -> Link | None:
        """Open a session that only the agent knows, with what it tells of it; None if it can't."""
        if self._session_connection.can("load"):
            return await self._load(agent_session_id, keep_history=True)
        return await self._resume(agent_session_id)

    async def fork(self, parent: str) -> Link:
        """ACP: session/fork; what is told of the parent again is left out.

        Raises
        ------
        AgentRequestError
            The agent refused.
        """
        self._note(ReplayStarted())
        params = {**self._params, "sessionId": parent}
        result = await self._connection.request(
            "session/fork",
            params,
            self._journal,
            opens=True,
            seconds=self._limits.session_new_seconds,
        )
        session_id = text(first(result, "sessionId", "session_id"))
        if not session_id:
            raise AgentRequestError("The agent answered session/fork without a session id.")
        await self._quiet()
        self._note(ReplayEnded())
        self._note(SessionAttached(how="fork", agent_session_id=session_id))
        return self._opened(session_id, result)

    async def _resume(self, session_id: str) -> Link | None:
        if not self._session_connection.can("resume"):
            return None
        result = await self._open("session/resume", session_id)
        if result is None:
            return None
        self._note(SessionAttached(how="resume", agent_session_id=session_id))
        return self._opened(session_id, result)

    async def _load(self, session_id: str, *, keep_history: bool) -> Link | None:
        if not self._session_connection.can("load"):
            return None
        self._note(ReplayStarted(keep=keep_history))
        result = await self._open("session/load", session_id)
        if result is not None:
            await self._quiet()
        self._note(ReplayEnded())
        if result is None:
            return None
        self._note(SessionAttached(how="load", agent_session_id=session_id))
        return self._opened(session_id, result)

    async def _open(self, method: str, session_id: str) -> dict[str, Any] | None:
        """Send a request that opens a known session; None where the agent refuses."""
        self._connection.bind(session_id, self._journal)
        params = {**self._params, "sessionId": session_id}
        seconds = self._limits.session_new_seconds
        try:
            return await self._connection.request(method, params, self._journal, seconds=seconds)
        except AgentRequestError:
            return None  # the error is in the traffic

    async def _quiet(self) -> None:
        """Wait until nothing comes any more: for some agents the answer is not the replay's end."""
        deadline = asyncio.get_running_loop().time() + self._limits.replay_seconds
        seen = -1
        while seen != self._journal.lines and asyncio.get_running_loop().time() < deadline:
            seen = self._journal.lines
            await asyncio.sleep(self._limits.replay_quiet_seconds)

    def _opened(self, session_id: str, result: Mapping[str, Any]) -> Link:
        link = Link(self._connection, session_id, self._journal)
        models = legacy_models(dict(result))
        link.legacy_models = frozenset(text(first(m, "modelId", "model_id")) for m in models)
        return link

    def _takes(self, server: Mapping[str, Any]) -> bool:
        """Every agent takes servers on stdio; others only where it says so."""
        kinds: dict[object, Ability] = {"http": "http", "sse": "sse"}
        kind = kinds.get(server.get("type"))
        return kind is None or self._session_connection.can(kind)

    def _note(self, note: SessionAttached | ReplayStarted | ReplayEnded) -> None:
        self._journal.note(note)
