"""Questions of agents in a stream of packets: each is answered once, and says why."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import assert_never

from acp_jupyter.delivery.packet_stream.questions import Placed, remember
from acp_jupyter.packets.elicitation import ElicitationRequest, ElicitationResponse
from acp_jupyter.packets.elicitation_notes import ElicitationSettled
from acp_jupyter.transcript.elicitation_outcomes import EXPIRED, settled_words

__all__ = ["StreamElicitations"]


class StreamElicitations:
    """Remembers what is asked, and why it will be answered as it is."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, str | None] = OrderedDict()
        self._reasons: OrderedDict[str, str] = OrderedDict()

    def assign(
        self,
        packet: ElicitationRequest | ElicitationResponse | ElicitationSettled,
        turn_id: str | None,
    ) -> Iterator[Placed]:
        """Yield what the stream says for one of these, with ``turn_id`` for a new question."""
        match packet:
            case ElicitationRequest():
                if not packet.problem:
                    remember(self._open, packet.request_id, turn_id)
                yield Placed(packet, turn_id)
            case ElicitationResponse():
                if packet.request_id in self._open:
                    reason = self._reasons.pop(packet.request_id, packet.reason)
                    told = packet.model_copy(update={"reason": reason})
                    yield Placed(told, self._open.pop(packet.request_id))
            case ElicitationSettled():
                if packet.by == "agent_exited":
                    yield from self._expire(packet.request_id)
                elif packet.by != "user":
                    remember(self._reasons, packet.request_id, settled_words(packet.by))
            case _:
                assert_never(packet)

    def expire(self) -> Iterator[Placed]:
        """Answer for nobody: the process that would take an answer is gone."""
        for request_id in tuple(self._open):
            yield from self._expire(request_id)

    def _expire(self, request_id: str) -> Iterator[Placed]:
        if request_id in self._open:
            gone = ElicitationResponse(request_id=request_id, action="cancel", reason=EXPIRED)
            yield Placed(gone, self._open.pop(request_id))
