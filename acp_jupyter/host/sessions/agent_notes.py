"""Notes about an agent's process: that it exited, failed to start, or waits after crashes."""

from __future__ import annotations

import asyncio

from acp_jupyter.errors import AgentStartError
from acp_jupyter.host.rpc.agent_connection import AgentConnection
from acp_jupyter.host.sessions.opening import SessionConnection
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.host_events.notes import AgentExited, HostNotice, StartFailed, TurnFailed
from acp_jupyter.protocol.host_events.session import MessageHeld

_SHOWN_STDERR_LINES = 10
STARTS_AGAIN = "Your next message starts it again."
SERVE_AGAIN = "Run the cell that serves it again."


class AgentNotes:
    """Logs starts, failures and exits of the agent's process."""

    def __init__(self, journal: Journal, agent_name: str) -> None:
        self._journal = journal
        self._agent_name = agent_name

    def exited(
        self, connection: AgentConnection, words: str, what_next: str, *, expected: bool
    ) -> None:
        """Note that the process has exited; the running turn failed, unless that was expected."""
        stderr = tuple(connection.stderr_tail()[-_SHOWN_STDERR_LINES:])
        session = self._journal.transcript.session
        active = session.active_turn_id
        name = session.agent_info.name
        self._journal.note(AgentExited(words=words, stderr=stderr, expected=expected))
        if active is not None and not expected:
            message = f"{name} stopped during the turn: it {words}. {what_next}"
            self._journal.note(
                TurnFailed(
                    turn_id=active,
                    message=message,
                    detail="\n".join(stderr),
                    reason="agent_died",
                )
            )

    def left(self, words: str) -> None:
        """Note that the session left its process on purpose."""
        self._journal.note(AgentExited(words=words, expected=True))

    def paused(self, seconds: float) -> None:
        """Note that the next start is delayed; 0 seconds ends the delay."""
        text = ""
        if seconds:
            text = (
                f"{self._agent_name} has stopped several times. It is started again in "
                f"{max(1.0, seconds):.0f} s. To start it now, run “Restart the Agent” in the "
                "command palette. Stop ends the turn. %acp log shows what the agent last wrote."
            )
            self._journal.note(HostNotice(severity="warning", text=text))
        self._journal.note(MessageHeld(words=text))

    def start_failed(self, task: asyncio.Task[SessionConnection]) -> None:
        """Note why a start in the background failed; a running turn reports its own error."""
        if task.cancelled():
            return
        error = task.exception()
        idle = self._journal.transcript.session.active_turn_id is None
        if isinstance(error, AgentStartError) and idle:
            self._journal.note(
                StartFailed(message=error.message, detail=error.detail, reason=error.reason)
            )
