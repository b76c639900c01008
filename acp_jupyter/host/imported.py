"""Sessions that were read from a log: everything of them can be seen, and nothing runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from pydantic import JsonValue

from acp_jupyter.errors import SessionImported
from acp_jupyter.host.documents import NoDocuments
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.prompting import Link
from acp_jupyter.host.registry import AgentSpec
from acp_jupyter.host.session import Session
from acp_jupyter.host.traffic_log import TrafficLog
from acp_jupyter.packets.notes import AgentExited, Note, SessionOpened, TitleChanged, TurnFailed
from acp_jupyter.packets.traffic import TrafficEntry
from acp_jupyter.transcript.events import Origin, Policy

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
    opening
        What is known of it.
    log
        Of the traffic; owned from now on.
    limits
        See `Limits`.
    changed
        Called after each change.
    """

    def __init__(
        self, opening: SessionOpened, log: TrafficLog, limits: Limits, changed: Callable[[], None]
    ) -> None:
        no_agent = AgentSpec(IMPORTED, opening.agent_name, "")
        super().__init__(opening, no_agent, log, NoDocuments(), limits, changed)

    def prompt(
        self,
        prompt: str | tuple[dict[str, JsonValue], ...],
        *,
        policy: Policy | None = None,
        origin: Origin | None = None,
        can_ask: bool = True,
    ) -> NoReturn:
        """Refuse: there is nobody to send it to."""
        raise SessionImported(_NO_AGENT)

    async def _open(self) -> Link:
        raise SessionImported(_NO_AGENT)

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
