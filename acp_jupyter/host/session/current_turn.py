"""The running turn. If nobody can be asked, a request that needs an answer ends it."""

from __future__ import annotations

from acp_jupyter.errors import AcpError, NobodyToAsk
from acp_jupyter.host.session.prompts import QueuedTurn
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.host_events.notes import TurnFailed

REFUSED = NobodyToAsk(
    "Nobody could be asked, so this was rejected.",
    "Run the cell where someone can answer, or give it a --policy that allows this, for example "
    "accept-edits.",
)
REFUSED_OF_RECORDING = NobodyToAsk(
    REFUSED.message,
    f"{REFUSED.detail} What configures what runs later, for example conftest.py, is written from "
    "a recording only after someone's answer.",
)
UNANSWERED = NobodyToAsk(
    "The agent asked a question, and nobody could be asked.",
    "Run the cell where someone can answer, or say in the prompt what the agent needs to know. "
    "No policy answers questions.",
)


class CurrentTurn:
    """The running turn, and whether a user can answer its agent's requests."""

    def __init__(self, journal: Journal, *, played: bool) -> None:
        self.turn: QueuedTurn | None = None
        """None between turns."""
        self.someone_attached = False
        """Whether somebody can see the session; its requests then wait for an answer."""
        self._journal = journal
        self._refused = REFUSED_OF_RECORDING if played else REFUSED

    def nobody_to_ask(self) -> bool:
        """Return whether no user can answer a question of the running turn."""
        return self.turn is not None and not self.turn.can_ask and not self.someone_attached

    def nobody_to_answer(self) -> bool:
        """Return whether no user can answer a permission request, also between turns."""
        return self.nobody_to_ask() if self.turn is not None else not self.someone_attached

    def refuse(self) -> None:
        """End the turn: a permission was refused because nobody could be asked."""
        self._end(self._refused)

    def leave_unanswered(self) -> None:
        """End the turn: a question was not answered because nobody could be asked."""
        self._end(UNANSWERED)

    def fail(self, turn: QueuedTurn, error: AcpError) -> None:
        """Note that a turn ended in an error."""
        self._journal.note(
            TurnFailed(
                turn_id=turn.turn_id,
                message=error.message,
                detail=error.detail,
                reason=error.reason,
            )
        )

    def _end(self, error: NobodyToAsk) -> None:
        if self.turn is not None:
            # First, as the agent may answer the prompt as soon as it gets the refusal.
            self.fail(self.turn, error)
            self.turn.stop.set()
