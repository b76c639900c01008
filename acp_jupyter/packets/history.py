"""A conversation that an agent tells again when a session is loaded."""

from __future__ import annotations

from pydantic import JsonValue

from acp_jupyter.packets.content import OtherBlock, TextBlock
from acp_jupyter.packets.models import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    PlanRemoved,
    PromptResponse,
    ToolCallProgress,
    ToolCallStart,
    UserMessageChunk,
)
from acp_jupyter.packets.notes import Note, TurnQueued, TurnStartedNote
from acp_jupyter.packets.union import Packet

__all__ = ["History"]

_TOLD_AGAIN = (
    UserMessageChunk,
    AgentMessageChunk,
    AgentThoughtChunk,
    ToolCallStart,
    ToolCallProgress,
    AgentPlanUpdate,
    PlanRemoved,
    PromptResponse,
)


class History:
    """Makes turns of a replay, or leaves it out. ACP: session/load.

    Parameters
    ----------
    keep_history
        Whether it is shown; else only what is true of the session as a whole comes through.
    number
        Of the log's line that began it: names the turns.
    """

    def __init__(self, *, keep_history: bool, number: int) -> None:
        self._keep_history = keep_history
        self._number = number
        self._turns = 0
        self._prompt: list[TextBlock | OtherBlock] = []
        self._running = False

    def take(self, packet: Packet | Note) -> list[Packet | Note]:
        """Return what a packet of the replay comes to."""
        if not isinstance(packet, _TOLD_AGAIN):
            return [packet]
        if not self._keep_history:
            return []
        if isinstance(packet, UserMessageChunk):
            ended = self._ended()
            self._prompt.append(packet.block)
            return ended
        return [*self._begun(), packet]

    def end(self) -> list[Packet | Note]:
        """Return what ends the replay."""
        return [*self._begun(), *self._ended()]

    def _begun(self) -> list[Packet | Note]:
        """Begin the turn whose prompt was told."""
        if not self._prompt:
            return []
        self._turns += 1
        turn_id = f"history-{self._number}-{self._turns}"
        blocks = tuple(_raw(block) for block in self._prompt)
        self._prompt = []
        self._running = True
        return [TurnQueued(turn_id=turn_id, prompt=blocks), TurnStartedNote(turn_id=turn_id)]

    def _ended(self) -> list[Packet | Note]:
        if not self._running:
            return []
        self._running = False
        return [PromptResponse(stop_reason="end_turn")]


def _raw(block: TextBlock | OtherBlock) -> dict[str, JsonValue]:
    return block.model_dump(mode="json")
