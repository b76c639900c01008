"""Cancels a single tool call of an agent, or the terminal that its card shows."""

from __future__ import annotations

import asyncio

from acp_jupyter.errors import AgentRequestError, CallNotCancellable
from acp_jupyter.host.sessions.agent import SessionAgent
from acp_jupyter.host.sessions.opening import SessionConnection
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.transcript.model.tool_items import ToolCall


class WorkCanceller:
    """Asks the agent of a session to end single tool calls and terminals."""

    def __init__(self, journal: Journal, agent: SessionAgent) -> None:
        self._journal = journal
        self._agent = agent
        self._asked: dict[str, asyncio.Task[None]] = {}
        """Requests by item id; a second caller waits for the same answer."""

    async def cancel(self, tool_call_id: str) -> None:
        """Cancel a tool call, or its terminal. ACP: tool_call/cancel, terminal/cancel.

        On return, the agent has accepted; an update comes when the call ends. A subagent gets
        session/cancel for its own session instead, which has no answer.
        """
        call = self._journal.transcript.tool_call(tool_call_id)
        task = self._asked.get(call.id)
        if task is None:
            task = asyncio.create_task(self._ask(call), name=f"acp-cancel-{call.id}")
            self._asked[call.id] = task
            task.add_done_callback(lambda _: self._asked.pop(call.id))
        await asyncio.shield(task)

    async def _ask(self, call: ToolCall) -> None:
        name = self._journal.transcript.session.agent_info.name
        connection = self._agent.connection
        if connection is None or not (call.is_open or call.background):
            raise CallNotCancellable("This has ended already.")
        if not (call.can_cancel or call.cancels_terminal):
            raise CallNotCancellable(
                f"{name} does not end this alone. Stop ends the turn, closing the session all."
            )
        try:
            await _request(connection, call)
        except AgentRequestError as error:
            now = self._journal.transcript.tool_call(call.tool_call_id)
            if now.id != call.id or not (now.is_open or now.background):
                return  # the call has ended meanwhile, so the refusal doesn't matter
            raise AgentRequestError(_words(error, name), error.detail, error.code) from None


async def _request(connection: SessionConnection, call: ToolCall) -> None:
    if call.can_cancel and call.subagent_session_id:
        await connection.cancel_subagent(call.subagent_session_id)
        return
    if call.can_cancel:
        await connection.request("tool_call/cancel", toolCallId=call.tool_call_id)
        return
    assert call.terminal is not None
    await connection.request("terminal/cancel", terminalId=call.terminal.terminal_id)


def _words(error: AgentRequestError, name: str) -> str:
    if error.code is None:  # no answer in time
        return (
            f"{name} was asked to cancel this, and has not answered yet. Closing the session ends "
            "everything that is still running."
        )
    return f"{name} does not cancel this: {error.message.rstrip('.')}."
