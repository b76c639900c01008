"""Opens a session at its agent: new, resumed, loaded or forked; and sends requests for it.

An agent may announce ``session/resume`` or ``session/load`` and still refuse it. Then the next way
is tried; the last is a new session without history.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from acp_jupyter.errors import AgentRequestError
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.rpc.agent_connection import AgentConnection
from acp_jupyter.host.rpc.log_router import SessionLog
from acp_jupyter.host.rpc.transport import BeforeAnswer
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.content import history_block, instructions_block
from acp_jupyter.protocol.formatting import shorten
from acp_jupyter.protocol.host_events.notes import HostNotice
from acp_jupyter.protocol.host_events.session import (
    ReplayEnded,
    ReplayStarted,
    SessionAttached,
)
from acp_jupyter.protocol.objects import first, text
from acp_jupyter.protocol.parse import steering
from acp_jupyter.protocol.parse.session import legacy_models
from acp_jupyter.protocol.session_packets import Ability, abilities


class AgentSessionOpener:
    """Opens one session at a running agent.

    Parameters
    ----------
    mcp_servers
        MCP servers for the agent; kinds that it does not support are left out.
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
        self._session_connection = SessionConnection(connection, "", journal)
        servers = [server for server in mcp_servers if self._takes(server)]
        self._params: dict[str, Any] = {
            "cwd": str(cwd),
            "mcpServers": servers,
            **self._configured(connection.spec),
        }
        self._out_of_reach = [server for server in mcp_servers if self._is_out_of_reach(server)]
        self._instructions = connection.spec.instructions

    async def new(self, *, without_history: bool = False) -> SessionConnection:
        """ACP: session/new."""
        result = await self._connection.new_session(self._params, self._journal)
        session_id = str(result["sessionId"])
        self._note(
            SessionAttached(how="new", agent_session_id=session_id, without_history=without_history)
        )
        if self._out_of_reach:
            names = ", ".join(str(server.get("name")) for server in self._out_of_reach)
            self._journal.note(HostNotice(text=_OUT_OF_REACH.format(self._host, names)))
        return await self._opened(session_id, result)

    async def reopen(self, previous: str) -> SessionConnection:
        """Reopen a session: resume it, else load it, else open a new one without history.

        ACP: session/resume, session/load; if the agent refuses one, the next is tried.
        """
        connection = await self._resume(previous) or await self._load(previous, keep_history=False)
        return connection or await self.new(without_history=True)

    async def new_with_history(self, history: str) -> SessionConnection:
        """Open a new session; ``history`` is put before its first prompt."""
        connection = await self.new()
        connection.before_prompt = (*connection.before_prompt, history_block(history))
        return connection

    async def open_existing(self, agent_session_id: str) -> SessionConnection | None:
        """Open a session that only the agent has, with its history; None if it refuses."""
        await self.unarchive(agent_session_id)
        if self._session_connection.can("load"):
            return await self._load(agent_session_id, keep_history=True)
        return await self._resume(agent_session_id)

    async def fork(self, parent: str) -> SessionConnection:
        """ACP: session/fork; the agent's replay of the parent is not kept."""
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
        return await self._opened(session_id, result)

    async def unarchive(self, session_id: str) -> None:
        """Take a session out of the agent's archive before opening it. ACP: session/unarchive."""
        if self._session_connection.can("archive"):
            with contextlib.suppress(AgentRequestError):  # the error is in the traffic
                params = {"sessionId": session_id}
                await self._connection.request("session/unarchive", params, self._journal)

    async def _resume(self, session_id: str) -> SessionConnection | None:
        if not self._session_connection.can("resume"):
            return None
        result = await self._open("session/resume", session_id)
        if result is None:
            return None
        self._note(SessionAttached(how="resume", agent_session_id=session_id))
        return await self._opened(session_id, result)

    async def _load(self, session_id: str, *, keep_history: bool) -> SessionConnection | None:
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
        return await self._opened(session_id, result)

    async def _open(self, method: str, session_id: str) -> dict[str, Any] | None:
        """Send a request that opens an existing session; return None if the agent refuses."""
        self._connection.bind(session_id, self._journal)
        params = {**self._params, "sessionId": session_id}
        seconds = self._limits.session_new_seconds
        try:
            return await self._connection.request(method, params, self._journal, seconds=seconds)
        except AgentRequestError:
            return None  # the error is in the traffic

    async def _quiet(self) -> None:
        """Wait until no more lines come: some agents still replay after their answer."""
        deadline = asyncio.get_running_loop().time() + _REPLAY_SECONDS
        seen = -1
        while seen != self._journal.lines and asyncio.get_running_loop().time() < deadline:
            seen = self._journal.lines
            await asyncio.sleep(self._limits.replay_quiet_seconds)

    async def _opened(self, session_id: str, result: Mapping[str, Any]) -> SessionConnection:
        connection = SessionConnection(self._connection, session_id, self._journal)
        models = legacy_models(dict(result))
        connection.legacy_models = frozenset(text(first(m, "modelId", "model_id")) for m in models)
        if self._instructions:
            await self._show_instructions()
            if not connection.can("systemPrompt"):
                connection.before_prompt = (instructions_block(self._instructions),)
        return connection

    async def _show_instructions(self) -> None:
        """Show the instructions to the user, unless the session already has that notice."""
        shown = shorten(self._instructions, _SHOWN_CHARS)
        notice = HostNotice(text=f"{_INSTRUCTED}\n\n{shown}")
        items = self._journal.transcript.items

        def is_shown() -> bool:
            return any(item.kind == "notice" and item.text == notice.text for item in items)

        if not await asyncio.to_thread(is_shown):
            self._journal.note(notice)

    def _configured(self, spec: AgentSpec) -> dict[str, Any]:
        """Return the parameters from the agent's configuration, as far as it supports them.

        ACP: additionalDirectories, systemPrompt.
        """
        can, added = self._session_connection.can, dict[str, Any]()
        if spec.additional_directories and can("additionalDirectories"):
            added["additionalDirectories"] = list(spec.additional_directories)
        prompts = [words for words in (spec.instructions, spec.system_prompt) if words]
        if prompts and can("systemPrompt"):
            blocks = [{"type": "text", "text": words} for words in prompts]
            added["systemPrompt"] = {"mode": "append", "content": blocks}
        return added

    def _takes(self, server: Mapping[str, Any]) -> bool:
        """Return whether the agent supports a server: on stdio always, else if it says so."""
        if self._is_out_of_reach(server):
            return False
        kinds: dict[object, Ability] = {"http": "http", "sse": "sse", "acp": "acp"}
        kind = kinds.get(server.get("type"))
        return kind is None or self._session_connection.can(kind)

    @property
    def _host(self) -> str:
        return self._connection.spec.host

    def _is_out_of_reach(self, server: Mapping[str, Any]) -> bool:
        """Return whether a server is a program on this machine, but the agent is on another."""
        return bool(self._host) and "command" in server

    def _note(self, note: SessionAttached | ReplayStarted | ReplayEnded) -> None:
        self._journal.note(note)


_OUT_OF_REACH = (
    "The agent runs on {0} and can't start programs here, so it has no tools of these MCP "
    "servers: {1}."
)
_INSTRUCTED = "The administrator of this server gives these instructions to all agents:"
_SHOWN_CHARS = 2_000
_REPLAY_SECONDS = 10.0
"""Longest time that the replay of a loaded session may go on after the answer."""
NO_METHOD = -32601
_MODEL = "model"


class SessionConnection:
    """Sends an agent the requests of one session.

    Parameters
    ----------
    connection
        The connection to the agent; other sessions may share it.
    """

    def __init__(self, connection: AgentConnection, agent_session_id: str, log: SessionLog) -> None:
        self.agent_connection = connection
        self.agent_session_id = agent_session_id
        self.log = log
        self.legacy_models: frozenset[str] = frozenset()
        """Models that are chosen with ``session/set_model``, which newer versions lack."""
        self.before_prompt: tuple[Mapping[str, Any], ...] = ()
        """Blocks that the host puts before the next prompt."""
        self.on_first_prompt: Callable[[], None] | None = None
        """Called once, when the next prompt is sent."""

    def can(self, ability: Ability) -> bool:
        """Return whether the agent has announced an ability."""
        return ability in abilities(dict(self.agent_connection.initialize_result))

    async def prompt(
        self, blocks: Sequence[Mapping[str, Any]], before_answer: BeforeAnswer | None = None
    ) -> Any:
        """Return the raw result; its ``stopReason`` may be any. ACP: session/prompt.

        ``before_answer`` is awaited before the turn's end is reported; see `SdkConnection`.
        """
        told, self.before_prompt = (*self.before_prompt, *blocks), ()
        first, self.on_first_prompt = self.on_first_prompt, None
        if first is not None:
            first()
        params = {
            "sessionId": self.agent_session_id,
            "prompt": [dict(block) for block in told],
        }
        return await self.agent_connection.messages.request(
            "session/prompt", params, None, log=self.log, before_answer=before_answer
        )

    async def cancel(self) -> None:
        """Ask the agent to end the running turn, whose answer comes later. ACP: session/cancel."""
        await self.cancel_subagent(self.agent_session_id)

    async def cancel_subagent(self, session_id: str) -> None:
        """ACP: session/cancel, for a subagent's session that can be cancelled."""
        params = {"sessionId": session_id}
        await self.agent_connection.messages.notify("session/cancel", params, self.log)

    async def steer(self, blocks: Sequence[Mapping[str, Any]], seconds: float) -> steering.Outcome:
        """Send the agent a message for the running turn. Outside ACP: _session/steering."""
        params = {
            "sessionId": self.agent_session_id,
            "prompt": [dict(block) for block in blocks],
            "_meta": {"steering": {"idleBehavior": "promptRequired"}},
        }
        connection = self.agent_connection
        result = await connection.request(steering.METHOD, params, self.log, seconds=seconds)
        return steering.outcome_of(result)

    async def set_mode(self, mode_id: str) -> None:
        """ACP: session/set_mode, for agents without a config option for the mode."""
        await self.request("session/set_mode", modeId=mode_id)

    async def set_config(self, config_id: str, value: str | bool) -> None:
        """ACP: session/set_config_option, or the older session/set_model."""
        if config_id == _MODEL and value in self.legacy_models:
            await self.request("session/set_model", modelId=value)
            return
        boolean = {"type": "boolean"} if isinstance(value, bool) else {}
        await self.request("session/set_config_option", configId=config_id, value=value, **boolean)

    async def set_title(self, title: str) -> str:
        """Return the title as the agent has stored it. ACP: session/set_title."""
        result = await self.request("session/set_title", title=title)
        return text(result.get("title"))

    async def close(self) -> None:
        """ACP: session/close, if the agent has it."""
        if self.can("close"):
            await self._call_if_supported("session/close")

    async def delete(self) -> None:
        """ACP: session/delete, if the agent has it."""
        if self.can("delete"):
            await self._call_if_supported("session/delete")

    async def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request for this session."""
        named = {"sessionId": self.agent_session_id, **params}
        return await self.agent_connection.request(method, named, self.log)

    async def _call_if_supported(self, method: str) -> None:
        try:
            await self.request(method)
        except AgentRequestError as error:
            if error.code != NO_METHOD:
                raise
