"""MCP over the agent's own connection."""

from __future__ import annotations

import pytest

from acp_jupyter.host.rpc.agent_answers import CANCELLED, ErrorAnswer
from acp_jupyter.host.rpc.handlers import ClientRouter
from acp_jupyter.host.rpc.mcp_messages import McpMessages

pytestmark = pytest.mark.asyncio


async def test_a_request_that_was_cancelled_before_its_answer_began_is_not_answered() -> None:
    messages = McpMessages()
    messages.withdraw(3)
    with pytest.raises(ErrorAnswer) as refused:
        await messages.answer(3, "server", "r", "tools/list", None)
    assert refused.value.code == CANCELLED


async def test_what_an_agent_takes_back_of_a_session_that_has_ended_is_nothing() -> None:
    clients = ClientRouter()
    clients.withdraw("ended", 3)
    clients.remove("ended")
