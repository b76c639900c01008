"""Which policy counts, when its user changes it."""

from __future__ import annotations

from acp_jupyter.packets.notes import PolicyChanged
from acp_jupyter.transcript.draft import Draft

__all__ = ["changed"]


def changed(draft: Draft, note: PolicyChanged) -> None:
    """Take in the policy of turns to come; who wants to be asked again is asked at once."""
    draft.change_session(policy=note.policy)
    if note.policy == "ask":
        for turn in tuple(draft.turns.values()):
            if turn.policy == "allow-all" and turn.status != "done":
                draft.announce_started(turn.model_copy(update={"policy": note.policy}))
