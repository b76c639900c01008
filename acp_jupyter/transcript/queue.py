"""Prompts that wait: edited, and moved to the front."""

from __future__ import annotations

from acp_jupyter.packets.elicitation_notes import TurnEdited, TurnMoved
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import UserMessage
from acp_jupyter.transcript.turns import prompt_attachments, prompt_text

__all__ = ["edited", "moved"]


def edited(draft: Draft, note: TurnEdited) -> None:
    """Put another prompt in the place of one that waits."""
    turn = draft.turns.get(note.turn_id)
    if turn is None or turn.status != "queued":
        return
    text = prompt_text(note.prompt)
    draft.change_session(
        queue=tuple(
            waiting.model_copy(update={"text": text})
            if waiting.turn_id == note.turn_id
            else waiting
            for waiting in draft.session.queue
        )
    )
    place = draft.turn_first.get(note.turn_id)
    item = None if place is None else draft.items[place]
    if isinstance(item, UserMessage):
        attachments = prompt_attachments(note.prompt)
        draft.replace(item.model_copy(update={"text": text, "attachments": attachments}))
    changes = {"prompt": text, "policy": note.policy, "rules": note.rules, "user": note.user}
    known = {name: value for name, value in changes.items() if value is not None}
    draft.announce_started(turn.model_copy(update=known))


def moved(draft: Draft, note: TurnMoved) -> None:
    """Put a prompt before the others that wait."""
    first = [waiting for waiting in draft.session.queue if waiting.turn_id == note.turn_id]
    rest = [waiting for waiting in draft.session.queue if waiting.turn_id != note.turn_id]
    draft.change_session(queue=(*first, *rest))
