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
    item = draft.known("plan", turn_id, packet.plan_id)
    if isinstance(item, Plan):
        draft.replace(item.model_copy(update={"entries": entries, "text": packet.text}))
        return
    if not entries and not packet.text:
        return
    draft.close_open_item()
    draft.add_renewable(
        Plan(
            id=draft.new_id(),
            turn_id=turn_id,
            plan_id=packet.plan_id,
            entries=entries,
            text=packet.text,
        ),
        packet.plan_id,
    )
