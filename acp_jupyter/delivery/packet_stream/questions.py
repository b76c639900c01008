"""Permission requests in a stream of packets: each is answered, and says by whom."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar, assert_never

from acp_jupyter.packets.models import PermissionRequest, PermissionResponse
from acp_jupyter.packets.notes import AgentExited, PermissionSettledNote
from acp_jupyter.packets.union import Packet

__all__ = ["Placed", "StreamQuestions", "remember"]

_REMEMBERED = 1000

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Placed:
    """A packet and the turn that it belongs to."""

    packet: Packet
    turn_id: str | None


class StreamQuestions:
    """Remembers what is asked, and why it will be answered as it is."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, str | None] = OrderedDict()
        self._reasons: OrderedDict[str, str] = OrderedDict()

    def assign(
        self,
        packet: PermissionRequest | PermissionResponse | PermissionSettledNote | AgentExited,
        turn_id: str | None,
    ) -> Iterator[Placed]:
        """Yield what the stream says for one of these, with ``turn_id`` for a new request."""
        match packet:
            case PermissionRequest():
                if not packet.auto_approve:
                    remember(self._open, packet.request_id, turn_id)
                yield Placed(packet, turn_id)
            case PermissionResponse():
                reason = packet.reason or self._reasons.pop(packet.request_id, "")
                answered = packet.model_copy(update={"reason": reason})
                yield Placed(answered, self._open.pop(packet.request_id, turn_id))
            case PermissionSettledNote():
                if packet.by == "agent_exited":
                    yield from self._expire(packet.request_id)
                else:
                    remember(self._reasons, packet.request_id, _words(packet))
            case AgentExited():
                for request_id in tuple(self._open):
                    yield from self._expire(request_id)
            case _:
                assert_never(packet)

    def _expire(self, request_id: str) -> Iterator[Placed]:
        """Answer for nobody: the process that would take an answer is gone."""
        if request_id in self._open:
            turn_id = self._open.pop(request_id)
            gone = PermissionResponse(request_id=request_id, reason="The agent stopped.")
            yield Placed(gone, turn_id)


def _words(note: PermissionSettledNote) -> str:
    match note.by:
        case "policy" | "rule":
            return f"By rule: {note.rule}"
        case "nobody":
            return "Nobody could be asked."
        case "turn_cancelled":
            return "The turn was stopped."
        case "withdrawn":
            return "Withdrawn by the agent."
        case "user":
            return note.reason
        case _:
            return ""


def remember(known: OrderedDict[str, _Value], key: str, value: _Value) -> None:
    """Keep what is newest."""
    known[key] = value
    if len(known) > _REMEMBERED:
        known.popitem(last=False)
