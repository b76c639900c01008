"""Plans: one per turn and id, always told whole."""

from __future__ import annotations

from acp_jupyter.packets.models import AgentPlanUpdate
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import Plan, PlanEntry

__all__ = ["update"]


def update(draft: Draft, packet: AgentPlanUpdate) -> None:
    """Replace the plan of this turn and id in place, or add it."""
    turn_id = draft.turn_id()
    entries = tuple(PlanEntry(**entry.model_dump()) for entry in packet.entries)
    start = 0 if turn_id is None else draft.turn_first.get(turn_id, len(draft.items))
    for item in draft.items[start:]:
        if isinstance(item, Plan) and (item.turn_id, item.plan_id) == (turn_id, packet.plan_id):
            draft.replace(item.model_copy(update={"entries": entries, "text": packet.text}))
            return
    if not entries and not packet.text:
        return
    draft.close_open_item()
    draft.add(
        Plan(
            id=draft.new_id(),
            turn_id=turn_id,
            plan_id=packet.plan_id,
            entries=entries,
            text=packet.text,
        )
    )
