"""What a session's transcript tells of its agent's process."""

from __future__ import annotations

import asyncio

from acp_jupyter.errors import AgentStartError
from acp_jupyter.host.connection import AgentConnection
from acp_jupyter.host.journal import Journal
from acp_jupyter.host.link import Link
from acp_jupyter.protocol.host_events.notes import AgentExited, HostNotice, StartFailed, TurnFailed
from acp_jupyter.protocol.host_events.session import MessageHeld

__all__ = ["AgentNews"]

_SHOWN_STDERR_LINES = 10


class AgentNews:
    """Writes it down as notes of the host.

    Parameters
    ----------
    journal
        Of the session.
    agent_name
        As it is configured.
    """

    def __init__(self, journal: Journal, agent_name: str) -> None:
        self._journal = journal
        self._agent_name = agent_name

    def exited(self, connection: AgentConnection, words: str, *, expected: bool) -> None:
        """Tell that the process has ended; a turn that it leaves has failed, unless expected."""
        stderr = tuple(connection.stderr_tail()[-_SHOWN_STDERR_LINES:])
        session = self._journal.transcript.session
        active = session.active_turn_id
        name = session.agent_info.name
        self._journal.note(AgentExited(words=words, stderr=stderr, expected=expected))
        if active is not None and not expected:
            message = (
                f"{name} stopped during the turn: it {words}. Your next message starts it again."
            )
            self._journal.note(
                TurnFailed(
                    turn_id=active,
                    message=message,
                    detail="\n".join(stderr),
                    reason="agent_died",
                )
            )

    def left(self, words: str) -> None:
        """Tell that the session has no process any more, as somebody wished."""
        self._journal.note(AgentExited(words=words, expected=True))

    def paused(self, seconds: float) -> None:
        """Tell that the next start is put off; by 0 seconds: not any more."""
        text = ""
        if seconds:
            text = (
                f"{self._agent_name} has stopped several times. It is started again in "
                f"{max(1.0, seconds):.0f} s. Stop ends the turn; Restart the Agent in the command "
                "palette starts it at once. %acp log shows what it last said."
            )
            self._journal.note(HostNotice(severity="warning", text=text))
        self._journal.note(MessageHeld(words=text))

    def start_failed(self, task: asyncio.Task[Link]) -> None:
        """Tell why a start that nobody waited for has failed; a turn tells of its own."""
        if task.cancelled():
            return
        error = task.exception()
        idle = self._journal.transcript.session.active_turn_id is None
        if isinstance(error, AgentStartError) and idle:
            self._journal.note(
                StartFailed(message=error.message, detail=error.detail, reason=error.reason)
            )
