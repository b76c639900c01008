"""``_session/steering``: a message for the running turn; an extension that some agents have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias, get_args

from pydantic import JsonValue

from acp_jupyter.protocol.content import OtherBlock, TextBlock, read_block
from acp_jupyter.protocol.objects import Obj, items, obj
from acp_jupyter.protocol.packets import UserMessageChunk
from acp_jupyter.protocol.parse.packet import Packet

METHOD = "_session/steering"

Outcome: TypeAlias = Literal["injected", "startedNewTurn", "promptRequired", "failed"]
"""The agent's outcome for the message.

``promptRequired``: no turn is running, so it must be sent as a prompt.
"""

PLAYED: Obj = {"acp-jupyter/steered": True}
"""Key in the ``_meta`` of a ``user_message_chunk`` that marks such a message in a recording."""

TAKEN: frozenset[Outcome] = frozenset({"injected", "startedNewTurn"})
"""The agent has the message: it is not sent again."""

_OUTCOMES: dict[object, Outcome] = {outcome: outcome for outcome in get_args(Outcome)}


def outcome_of(result: Obj) -> Outcome:
    """Read the response; one that is not understood counts as failed."""
    outcome = result.get("outcome")
    return _OUTCOMES.get(outcome, "failed") if isinstance(outcome, str) else "failed"


def played(packets: Iterable[Packet], update: JsonValue) -> Iterator[Packet]:
    """Return the packets of a replayed update, in which user messages are of this kind."""
    is_played = obj(obj(update).get("_meta")).items() >= PLAYED.items()
    for packet in packets:
        steered = is_played and isinstance(packet, UserMessageChunk)
        yield packet.model_copy(update={"steered": True}) if steered else packet


def taken_message(result: Obj, request: Obj) -> Iterator[UserMessageChunk]:
    """Return the whole text of the user's message, if the agent accepted it."""
    if outcome_of(result) not in TAKEN:
        return
    blocks = [block for raw in items(request.get("prompt")) if (block := read_block(raw))]
    text = "\n".join(block.text for block in blocks if isinstance(block, TextBlock))
    if text:
        yield UserMessageChunk(block=TextBlock(text=text), steered=True)
    for block in blocks:
        if isinstance(block, OtherBlock):
            yield UserMessageChunk(block=block, steered=True)
