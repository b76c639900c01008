"""What the lines of a session's log are in a stream of packets: each in its turn, each turn ended.

The rules are those of `acp_jupyter.transcript`: which answer ends a turn, whose turn a late
packet belongs to, what became of a question.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from acp_jupyter.delivery.packet_stream.elicitation import StreamElicitations
from acp_jupyter.delivery.packet_stream.questions import Placed, StreamQuestions, remember
from acp_jupyter.packets.content import read_block
from acp_jupyter.packets.elicitation import ElicitationRequest, ElicitationResponse
from acp_jupyter.packets.elicitation_notes import ElicitationSettled, TurnEdited
from acp_jupyter.packets.file_notes import ArtifactsMade
from acp_jupyter.packets.made_models import ArtifactCreated
from acp_jupyter.packets.models import (
    ErrorPacket,
    PacketModel,
    PermissionRequest,
    PermissionResponse,
    PromptResponse,
    UserMessageChunk,
)
from acp_jupyter.packets.notes import (
    AgentExited,
    HostNotice,
    PermissionSettledNote,
    StartFailed,
    TitleChanged,
    TurnFailed,
    TurnQueued,
    TurnRemoved,
    TurnStartedNote,
    TurnStopped,
)
from acp_jupyter.packets.reader import LogPacket
from acp_jupyter.packets.session_models import CancelSent, NoticePacket, SessionInfoUpdate
from acp_jupyter.packets.union import Packet

__all__ = ["StreamTurns"]

_OVERTAKEN = "The next turn began before this one had ended."

_Blocks = tuple[dict[str, JsonValue], ...]


@dataclass(frozen=True, slots=True)
class _Ended:
    """A turn that ended while it waited for another."""

    turn_id: str
    prompt: _Blocks
    end: PromptResponse | ErrorPacket


class StreamTurns:
    """Remembers, while a log is read from its start, which turn runs and what is asked."""

    def __init__(self) -> None:
        self._queued: OrderedDict[str, _Blocks] = OrderedDict()
        self._active: str | None = None
        self._last: str | None = None
        self._stopping = False
        self._waiting: list[_Ended] = []
        self._questions = StreamQuestions()
        self._elicitations = StreamElicitations()

    def assign(self, packet: LogPacket) -> Iterator[Placed]:  # noqa: C901, PLR0915 - one flat match
        """Yield what the stream says for one packet or note of the log."""
        match packet:
            case TurnQueued():
                remember(self._queued, packet.turn_id, packet.prompt)
            case TurnEdited():
                if packet.turn_id in self._queued:
                    self._queued[packet.turn_id] = packet.prompt
            case TurnStartedNote():
                yield from self._start(packet.turn_id)
            case TurnRemoved() | TurnStopped():
                yield from self._end(packet.turn_id, PromptResponse(stop_reason="cancelled"))
            case TurnFailed():
                error = ErrorPacket(
                    message=packet.message, code=packet.reason, detail=packet.detail
                )
                yield from self._end(packet.turn_id, error)
            case PromptResponse() | ErrorPacket():
                yield from self._answered(packet)
            case CancelSent():
                self._stopping = self._active is not None
            case UserMessageChunk():
                if self._active is None:  # in a turn it is an echo of the prompt (S4.3)
                    yield Placed(packet, None)
            case (
                PermissionRequest() | PermissionResponse() | PermissionSettledNote() | AgentExited()
            ):
                yield from self._questions.assign(packet, self._active or self._last)
                if isinstance(packet, AgentExited):
                    yield from self._elicitations.expire()
            case ElicitationRequest() | ElicitationResponse() | ElicitationSettled():
                yield from self._elicitations.assign(packet, self._active or self._last)
            case ArtifactsMade():
                for made in packet.artifacts:
                    yield Placed(ArtifactCreated(artifact=made), packet.turn_id)
            case HostNotice():
                yield self._here(NoticePacket(severity=packet.severity, text=packet.text))
            case StartFailed():
                failed = NoticePacket(severity="error", text=packet.message, detail=packet.detail)
                yield Placed(failed, None)
            case TitleChanged():
                title = SessionInfoUpdate(title=packet.title or None, clears_title=not packet.title)
                yield Placed(title, None)
            case PacketModel():
                yield self._here(packet)
            case _:
                pass  # what else the host notes is not for a stream of packets

    def _here(self, packet: Packet) -> Placed:
        """A late packet belongs to the turn before it."""
        return Placed(packet, self._active or self._last)

    # -- turns -------------------------------------------------------------------

    def _start(self, turn_id: str) -> Iterator[Placed]:
        if turn_id not in self._queued:
            return
        if self._active is not None:
            yield from self._end(self._active, ErrorPacket(message=_OVERTAKEN, code="overtaken"))
        self._active, self._stopping = turn_id, False
        yield from _prompt(turn_id, self._queued.pop(turn_id))

    def _answered(self, end: PromptResponse | ErrorPacket) -> Iterator[Placed]:
        """End the running turn as the agent says; an answer for none is too late."""
        if self._active is None:
            return
        if self._stopping and isinstance(end, ErrorPacket):
            # Some agents answer otherwise to a cancel: what the user did counts.
            end = PromptResponse(stop_reason="cancelled", timestamp=end.timestamp)
        elif self._stopping:
            end = end.model_copy(update={"stop_reason": "cancelled"})
        yield from self._end(self._active, end)

    def _end(self, turn_id: str, end: PromptResponse | ErrorPacket) -> Iterator[Placed]:
        if turn_id == self._active:
            self._active, self._last = None, turn_id
            yield Placed(end, turn_id)
        elif turn_id in self._queued:
            self._waiting.append(_Ended(turn_id, self._queued.pop(turn_id), end))
        if self._active is None:
            # One turn after the other, so that a reader needs no ids to tell them apart.
            waiting, self._waiting = self._waiting, []
            for ended in waiting:
                yield from _prompt(ended.turn_id, ended.prompt)
                yield Placed(ended.end, ended.turn_id)


def _prompt(turn_id: str, prompt: _Blocks) -> Iterator[Placed]:
    for block in map(read_block, prompt):
        if block is not None:
            yield Placed(UserMessageChunk(block=block), turn_id)
