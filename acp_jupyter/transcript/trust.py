"""The question whether agents may run in a folder: asked and answered."""

from __future__ import annotations

from acp_jupyter.packets.permission_notes import TrustAsked, TrustSettled
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.trust_items import TrustRequest, TrustState
from acp_jupyter.transcript.waiting import count_waiting

__all__ = ["asked", "settled"]


def asked(draft: Draft, note: TrustAsked) -> None:
    """Add the question; its turn waits."""
    draft.close_open_item()
    item = TrustRequest(
        id=draft.new_id(),
        turn_id=draft.turn_id(),
        request_id=note.request_id,
        agent_name=note.agent_name,
        folder=note.folder,
        title="Play this record?" if note.record else "Trust this folder?",
        words=" ".join(filter(None, (note.warning, _words(note)))),
        asked_at=draft.at,
    )
    draft.add(item)
    draft.request_items = draft.request_items.set(note.request_id, item.id)
    count_waiting(draft)


def settled(draft: Draft, note: TrustSettled) -> None:
    """Show the answer, and let the turn go on."""
    item_id = draft.request_items.get(note.request_id)
    item = None if item_id is None else draft.get(item_id)
    if not isinstance(item, TrustRequest):
        return
    draft.request_items = draft.request_items.discard(note.request_id)
    state, outcome = _outcome(note)
    draft.replace(
        item.model_copy(update={"state": state, "outcome": outcome, "answered_by": note.told})
    )
    count_waiting(draft)


def _words(note: TrustAsked) -> str:
    runs = "Agents run what a folder configures: hooks, MCP servers, project instructions."
    if not note.record:
        return f"{runs} Start {note.agent_name} only in folders whose content you trust."
    return (
        f"{note.record} was not recorded here. Playing it makes the changes to files that it "
        "holds. Trust the folder only if you trust where all that is in it comes from: you will "
        f"not be asked again for it. {runs}"
    )


def _outcome(note: TrustSettled) -> tuple[TrustState, str]:
    if note.trusted:
        return "trusted", "Trusted"
    if note.by == "turn_cancelled":
        return "cancelled", "Not answered: turn stopped"
    return "declined", "Not trusted"
