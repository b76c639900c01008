"""Questions to the user and their answers: an agent's elicitations, trust of a folder."""

from __future__ import annotations

from typing import assert_never

from acp_jupyter.protocol.elicitation import (
    ElicitationComplete,
    ElicitationRequest,
    ElicitationResponse,
)
from acp_jupyter.protocol.host_events.session import (
    ElicitationSettled,
    TrustRequested,
    TrustSettled,
)
from acp_jupyter.transcript.model.items import (
    EXPIRED,
    Elicitation,
    ElicitationAnswer,
    ElicitationState,
    TrustRequest,
    TrustState,
    answer_texts,
    unanswered_text,
)
from acp_jupyter.transcript.reduce import evidence
from acp_jupyter.transcript.reduce.draft import Draft, count_pending_requests

_PAGE_DONE = "Link opened. The agent says that it is done."


def add_elicitation(draft: Draft, packet: ElicitationRequest) -> None:
    """Add a question; one that can't be asked is settled at once."""
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
        count_pending_requests(draft)


def note_elicitation_settled(draft: Draft, note: ElicitationSettled) -> None:
    """Note who answers. The answer is a later packet, except if the process has exited."""
    draft.settled_by = draft.settled_by.set(note.request_id, (note.by, ""))
    if note.by == "agent_exited":
        draft.settled_by = draft.settled_by.discard(note.request_id)
        _settle(draft, note.request_id, "expired", EXPIRED)
    elif note.by == "turn_cancelled":
        # The packet with the answer may come only after the turn's end.
        _settle(draft, note.request_id, "cancelled", unanswered_text(note.by))
    item = _pending(draft, note.request_id)
    if item is not None and note.shown_name:
        draft.replace(item.model_copy(update={"answered_by": note.shown_name}))


def answer_elicitation(draft: Draft, packet: ElicitationResponse) -> None:
    """Settle a question with the answer that was sent to the agent."""
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
            _settle(draft, packet.request_id, state, packet.reason or unanswered_text(by))
        case "error":
            words = unanswered_text(by) if by else f"Could not be asked. {packet.reason}"
            _settle(draft, packet.request_id, "cancelled", words)
        case _:
            assert_never(packet.action)


def complete_elicitation(draft: Draft, packet: ElicitationComplete) -> None:
    """Note that the agent is done with a page that the user opened; ignore unknown ids."""
    item_id = draft.url_elicitations.get(packet.elicitation_id)
    item = None if item_id is None else draft.get(item_id)
    if isinstance(item, Elicitation) and item.state == "accepted":
        draft.replace(item.model_copy(update={"outcome": _PAGE_DONE}))


def expire_elicitations(draft: Draft, words: str) -> None:
    """Settle every pending question after the process has exited."""
    for request_id in sorted(draft.request_items):
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
    facts = draft.calls.get(item.tool_call_id) if item.tool_call_id else None
    if facts is not None:
        evidence.take_wait(draft, facts.item_id, item.asked_at)
    draft.replace(item.model_copy(update=settled))
    count_pending_requests(draft)


def request_trust(draft: Draft, note: TrustRequested) -> None:
    """Add the question; its turn waits."""
    draft.close_open_item()
    item = TrustRequest(
        id=draft.new_id(),
        turn_id=draft.turn_id(),
        request_id=note.request_id,
        agent_name=note.agent_name,
        folder=note.folder,
        title="Play this recording?" if note.recording else "Trust this folder?",
        words=" ".join(filter(None, (note.warning, _trust_text(note)))),
        asked_at=draft.at,
    )
    draft.add(item)
    draft.request_items = draft.request_items.set(note.request_id, item.id)
    count_pending_requests(draft)


def settle_trust(draft: Draft, note: TrustSettled) -> None:
    """Show the answer, and continue the turn."""
    item_id = draft.request_items.get(note.request_id)
    item = None if item_id is None else draft.get(item_id)
    if not isinstance(item, TrustRequest):
        return
    draft.request_items = draft.request_items.discard(note.request_id)
    state, outcome = _trust_outcome(note)
    draft.replace(
        item.model_copy(update={"state": state, "outcome": outcome, "answered_by": note.shown_name})
    )
    count_pending_requests(draft)


def _trust_text(note: TrustRequested) -> str:
    runs = "Agents run what a folder configures: hooks, MCP servers, project instructions."
    if not note.recording:
        return f"{runs} Start {note.agent_name} only in folders whose content you trust."
    return (
        f"{note.recording} was not recorded here. Playing it makes the file changes that it "
        "contains. Trust the folder only if you trust the source of everything in it: you won't be "
        f"asked again. {runs}"
    )


def _trust_outcome(note: TrustSettled) -> tuple[TrustState, str]:
    if note.trusted:
        return "trusted", "Trusted"
    if note.by == "turn_cancelled":
        return "cancelled", "Not answered: turn stopped"
    return "declined", "Not trusted"
