"""Sessions that were read from a log: everything of them can be seen, and nothing runs."""

from __future__ import annotations

from typing import NoReturn

from pydantic import JsonValue

from acp_jupyter.errors import SessionImported
from acp_jupyter.host.documents import NoDocuments
from acp_jupyter.host.journal import Journal
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.pool import AgentPool
from acp_jupyter.host.registry.entries import AgentSpec
from acp_jupyter.host.session import Session
from acp_jupyter.protocol.host_events.notes import (
    AgentExited,
    Note,
    Origin,
    TitleChanged,
    TurnFailed,
)
from acp_jupyter.protocol.host_events.permissions import Policy, Rule
from acp_jupyter.protocol.traffic import TrafficEntry

__all__ = ["IMPORTED", "ImportedSession"]

IMPORTED = "imported"
"""In place of an agent's id."""

_NO_AGENT = (
    "This session was imported from a log: it has no agent. "
    "Start a session with an agent to go on from here."
)
_LOG_ENDS = "The log ends here."


class ImportedSession(Session):
    """A session whose traffic comes from a log.

    Parameters
    ----------
    journal
        What is known of it; owned from now on.
    limits
        See `Limits`.
    """

    def __init__(self, journal: Journal, limits: Limits) -> None:
        no_agent = AgentSpec(IMPORTED, journal.transcript.session.agent_info.name, "")
        super().__init__(no_agent, journal, AgentPool(limits), NoDocuments(), limits, None)
        self.agent.before_start = self._refuse

    def prompt(
        self,
        prompt: str | tuple[dict[str, JsonValue], ...],
        *,
        policy: Policy | None = None,
        origin: Origin | None = None,
        can_ask: bool = True,
        rules: tuple[Rule, ...] = (),
        user: str = "",
        kernel_id: str = "",
    ) -> NoReturn:
        """Refuse: there is nobody to send it to."""
        raise SessionImported(self.state.read_only or _NO_AGENT)

    async def _refuse(self) -> NoReturn:
        raise SessionImported(self.state.read_only or _NO_AGENT)

    def end(self, at: float, title: str) -> None:
        """Close what the log has left open.

        Parameters
        ----------
        at
            Time of the log's last line.
        title
            Of the session, whatever the log calls it.
        """
        turns = self.transcript.turns
        for turn_id in self.transcript.turn_order:
            if turns[turn_id].status != "done":
                ended = TurnFailed(turn_id=turn_id, message=_LOG_ENDS, reason="log_ended")
                self._note_at(at, ended)
        if self.state.title != title:
            self._note_at(at, TitleChanged(title=title))
        self.journal.note(AgentExited(words=_LOG_ENDS, expected=True))

    def _note_at(self, at: float, note: Note) -> None:
        number = next(self.journal.sequence)
        self.journal.enter(TrafficEntry(number, at, "!", note.model_dump(mode="json")))
