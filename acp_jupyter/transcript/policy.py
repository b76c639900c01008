"""Which policy counts, when its user changes it."""

from __future__ import annotations

from acp_jupyter.packets.notes import PolicyChanged
from acp_jupyter.transcript.draft import Draft

__all__ = ["changed"]


def changed(draft: Draft, note: PolicyChanged) -> None:
    """Take in the policy of turns to come; who wants to be asked again is asked at once."""
    draft.change_session(policy=note.policy, policy_user=note.user)
    if note.policy == "ask":
        # In their order: the map has none that would be the same in the next process.
        for turn in [draft.turns[turn_id] for turn_id in draft.turn_order]:
            if turn.policy == "allow-all" and turn.status != "done":
                draft.announce_started(turn.model_copy(update={"policy": note.policy}))
