"""A session as its running agent knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acp_jupyter.errors import AgentRequestError
from acp_jupyter.host.connection import AgentConnection
from acp_jupyter.host.routing import SessionLog
from acp_jupyter.host.transport import BeforeAnswer
from acp_jupyter.protocol.session_packets import Ability, abilities

__all__ = ["NO_METHOD", "Link"]

NO_METHOD = -32601
_MODEL = "model"


class Link:
    """What can be asked of an agent for one session.

    Parameters
    ----------
    connection
        To the agent; other sessions may use it too.
    agent_session_id
        The session's id there.
    log
        Where the session's lines are written.
    """

    def __init__(self, connection: AgentConnection, agent_session_id: str, log: SessionLog) -> None:
        self.agent_connection = connection
        self.agent_session_id = agent_session_id
        self.log = log
        self.legacy_models: frozenset[str] = frozenset()
        """Models that only ``session/set_model`` chooses, which the protocol no longer has."""

    def can(self, ability: Ability) -> bool:
        """Tell whether the agent says so."""
        return ability in abilities(dict(self.agent_connection.capabilities))

    async def prompt(
        self, blocks: Sequence[Mapping[str, Any]], before_answer: BeforeAnswer | None = None
    ) -> dict[str, Any]:
        """ACP: session/prompt."""
        return await self.agent_connection.prompt(
            self.agent_session_id, blocks, self.log, before_answer
        )

    async def cancel(self) -> None:
        """ACP: session/cancel."""
        await self.agent_connection.cancel(self.agent_session_id, self.log)

    async def set_mode(self, mode_id: str) -> None:
        """ACP: session/set_mode; the older way, only where there is no config option for it."""
        await self.request("session/set_mode", modeId=mode_id)

    async def set_config(self, config_id: str, value: str | bool) -> None:
        """ACP: session/set_config_option, or the older session/set_model."""
        if config_id == _MODEL and value in self.legacy_models:
            await self.request("session/set_model", modelId=value)
            return
        boolean = {"type": "boolean"} if isinstance(value, bool) else {}
        await self.request("session/set_config_option", configId=config_id, value=value, **boolean)

    async def close(self) -> None:
        """ACP: session/close, where the agent has it."""
        if self.can("close"):
            await self._perhaps("session/close")

    async def delete(self) -> None:
        """ACP: session/delete, where the agent has it."""
        if self.can("delete"):
            await self._perhaps("session/delete")

    async def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request for this session.

        Raises
        ------
        AgentRequestError
            It answered with an error, or not in time.
        AgentDied
            It ended.
        """
        named = {"sessionId": self.agent_session_id, **params}
        return await self.agent_connection.request(method, named, self.log)

    async def _perhaps(self, method: str) -> None:
        try:
            await self.request(method)
        except AgentRequestError as error:
            if error.code != NO_METHOD:
                raise
