"""What the agent waits for: answers of its user."""

from __future__ import annotations

from acp_jupyter.transcript.draft import Draft

__all__ = ["count_waiting"]


def count_waiting(draft: Draft) -> None:
    """Tell the session and its turn whether an answer is awaited."""
    waiting = len(draft.request_items)
    status = draft.session.status
    if draft.session.active_turn_id is not None:
        status = "requires_action" if waiting else "running"
        turn = draft.turns[draft.session.active_turn_id]
        if turn.status != status:
            draft.announce_started(turn.model_copy(update={"status": status}))
    draft.change_session(waiting=waiting, status=status)
