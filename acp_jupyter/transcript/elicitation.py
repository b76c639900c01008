"""Questions of the agent: asked, answered, withdrawn."""

from __future__ import annotations

from typing import assert_never

from acp_jupyter.packets.elicitation import (
    ElicitationComplete,
    ElicitationRequest,
    ElicitationResponse,
)
from acp_jupyter.packets.elicitation_notes import ElicitationSettled
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.elicitation_items import (
    Elicitation,
    ElicitationAnswer,
    ElicitationState,
)
from acp_jupyter.transcript.elicitation_outcomes import EXPIRED, answer_texts, settled_words
from acp_jupyter.transcript.waiting import count_waiting

__all__ = [
    "complete",
    "expire_questions",
    "note_settled",
    "request",
    "respond",
]

_DONE = "Link opened. The agent says that it is done."


def request(draft: Draft, packet: ElicitationRequest) -> None:
    """Add a question; one that nobody can be asked is settled at once."""
    draft.close_open_item()
    item = Elicitation(
        id=draft.new_id(),
        turn_id=draft.turn_id(),
        request_id=packet.request_id,
        state="cancelled" if packet.problem else "pending",
        mode=packet.mode,
        title=f"Question from {draft.session.agent_info.name}",
        heading=packet.heading,
        message=packet.message,
        description=packet.description,
        fields=packet.fields,
        url=packet.url,
        host=packet.host,
        tool_call_id=packet.tool_call_id,
        outcome=f"Could not be asked. {packet.problem}" if packet.problem else "",
        asked_at=draft.at,
    )
    draft.add(item)
    if packet.elicitation_id:
        draft.url_elicitations = draft.url_elicitations.set(packet.elicitation_id, item.id)
    if not packet.problem:
        draft.request_items = draft.request_items.set(packet.request_id, item.id)
        count_waiting(draft)


def note_settled(draft: Draft, note: ElicitationSettled) -> None:
    """Remember who answers; the answer itself follows, but not to a process that is gone."""
    draft.settled_by = draft.settled_by.set(note.request_id, (note.by, ""))
    if note.by == "agent_exited":
        draft.settled_by = draft.settled_by.discard(note.request_id)
        _settle(draft, note.request_id, "expired", EXPIRED)
    item = _pending(draft, note.request_id)
    if item is not None and note.told:
        draft.replace(item.model_copy(update={"answered_by": note.told}))


def respond(draft: Draft, packet: ElicitationResponse) -> None:
    """Settle a question by the answer that went to the agent."""
    by, _ = draft.settled_by.get(packet.request_id, ("", ""))
    draft.settled_by = draft.settled_by.discard(packet.request_id)
    item = _pending(draft, packet.request_id)
    if item is None:
        return
    match packet.action:
        case "accept":
            words = "Link opened" if item.mode == "url" else "Answered"
            answers = tuple(answer_texts(item.fields, packet.content))
            _settle(draft, packet.request_id, "accepted", words, answers)
        case "decline":
            _settle(draft, packet.request_id, "declined", "Declined")
        case "cancel":
            gone = by == "" and packet.reason == EXPIRED
            state: ElicitationState = "expired" if gone else "cancelled"
            _settle(draft, packet.request_id, state, packet.reason or settled_words(by))
        case "error":
            words = settled_words(by) if by else f"Could not be asked. {packet.reason}"
            _settle(draft, packet.request_id, "cancelled", words)
        case _:
            assert_never(packet.action)


def complete(draft: Draft, packet: ElicitationComplete) -> None:
    """Say of an opened page that the agent has what it wanted; unknown ids are ignored."""
    item_id = draft.url_elicitations.get(packet.elicitation_id)
    item = None if item_id is None else draft.get(item_id)
    if isinstance(item, Elicitation) and item.state == "accepted":
        draft.replace(item.model_copy(update={"outcome": _DONE}))


def expire_questions(draft: Draft, words: str) -> None:
    """Settle every pending question of a process that is gone."""
    for request_id in sorted(draft.request_items):
        if _pending(draft, request_id) is not None:
            _settle(draft, request_id, "expired", words)


def _pending(draft: Draft, request_id: str) -> Elicitation | None:
    item_id = draft.request_items.get(request_id)
    item = None if item_id is None else draft.get(item_id)
    return item if isinstance(item, Elicitation) else None


def _settle(
    draft: Draft,
    request_id: str,
    state: ElicitationState,
    words: str,
    answers: tuple[ElicitationAnswer, ...] = (),
) -> None:
    item = _pending(draft, request_id)
    if item is None:
        return
    draft.request_items = draft.request_items.discard(request_id)
    settled = {"state": state, "outcome": words, "answers": answers}
    draft.replace(item.model_copy(update=settled))
    count_waiting(draft)
