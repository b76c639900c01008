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
        self._asked: OrderedDict[str, str | None] = OrderedDict()
        self._reasons: OrderedDict[str, str] = OrderedDict()

    def place(
        self,
        said: ElicitationRequest | ElicitationResponse | ElicitationSettled,
        turn_id: str | None,
    ) -> Iterator[Placed]:
        """Yield what the stream says for one of these, with ``turn_id`` for a new question."""
        match said:
            case ElicitationRequest():
                if not said.problem:
                    remember(self._asked, said.request_id, turn_id)
                yield Placed(said, turn_id)
            case ElicitationResponse():
                if said.request_id in self._asked:
                    reason = self._reasons.pop(said.request_id, said.reason)
                    told = said.model_copy(update={"reason": reason})
                    yield Placed(told, self._asked.pop(said.request_id))
            case ElicitationSettled():
                if said.by == "agent_exited":
                    yield from self._expire(said.request_id)
                elif said.by != "user":
                    remember(self._reasons, said.request_id, settled_words(said.by))
            case _:
                assert_never(said)

    def expire(self) -> Iterator[Placed]:
        """Answer for nobody: the process that would take an answer is gone."""
        for request_id in tuple(self._asked):
            yield from self._expire(request_id)

    def _expire(self, request_id: str) -> Iterator[Placed]:
        if request_id in self._asked:
            gone = ElicitationResponse(request_id=request_id, action="cancel", reason=EXPIRED)
            yield Placed(gone, self._asked.pop(request_id))
