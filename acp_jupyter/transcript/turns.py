"""Prompt turns: queued, running, done."""

from __future__ import annotations

from pydantic import JsonValue

from acp_jupyter.packets.content import OtherBlock, TextBlock, read_block
from acp_jupyter.packets.display import stop_reason_words
from acp_jupyter.packets.models import ErrorPacket, PromptResponse, PromptUsage
from acp_jupyter.packets.notes import (
    AgentExited,
    StartFailed,
    TurnFailed,
    TurnQueued,
    TurnRemoved,
    TurnStartedNote,
    TurnStopped,
)
from acp_jupyter.transcript import login
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.elicitation import expire_questions
from acp_jupyter.transcript.items import Attachment, ErrorItem, UserMessage
from acp_jupyter.transcript.permissions import expire_requests
from acp_jupyter.transcript.persistent import Map
from acp_jupyter.transcript.session_state import REPLAYED, QueuedPrompt, TurnFailure, TurnState
from acp_jupyter.transcript.turn_ends import end_turn

__all__ = [
    "exited",
    "failed",
    "prompt_attachments",
    "prompt_text",
    "queued",
    "removed",
    "responded",
    "start_failed",
    "started",
    "stopped",
]

_NOTHING_SAID = "internal error"
"""JSON-RPC's own words for an error of which only the details say what it was."""


def queued(draft: Draft, note: TurnQueued) -> None:
    """Take in a prompt; it waits while another turn runs."""
    text = prompt_text(note.prompt)
    turn = TurnState(
        turn_id=note.turn_id,
        session_id=draft.session.session_id,
        prompt=text,
        policy=note.policy,
        rules=note.rules,
        user=note.user,
        origin=note.origin,
        queued_at=draft.at,
    )
    draft.turn_order = draft.turn_order.append(note.turn_id)
    waiting = QueuedPrompt(turn_id=note.turn_id, text=text)
    draft.change_session(
        queue=(*draft.session.queue, waiting),
        title=draft.session.title or text.strip().split("\n", 1)[0][:80],
        updated_at=draft.at,
    )
    draft.announce_started(turn)
    if not note.prompt:
        return  # an imported log does not tell it
    item = UserMessage(
        id=draft.new_id(),
        turn_id=note.turn_id,
        text=text,
        attachments=prompt_attachments(note.prompt),
        at=draft.at,
    )
    draft.add(item)


def prompt_text(prompt: tuple[dict[str, JsonValue], ...]) -> str:
    """Return the text of a prompt."""
    blocks = (read_block(raw) for raw in prompt)
    return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))


def prompt_attachments(prompt: tuple[dict[str, JsonValue], ...]) -> tuple[Attachment, ...]:
    """Return what a prompt carries beside its text."""
    blocks = (read_block(raw) for raw in prompt)
    return tuple(
        Attachment(type=b.type, name=b.name or b.type, uri=b.uri, mime_type=b.mime_type)
        for b in blocks
        if isinstance(b, OtherBlock) and b.type != "other"
    )


def started(draft: Draft, note: TurnStartedNote) -> None:
    """Begin a queued turn."""
    turn = draft.turns.get(note.turn_id)
    if turn is None:
        return
    draft.close_open_items()
    draft.written = Map()  # no card of an earlier turn is to come
    draft.change_session(
        active_turn_id=note.turn_id,
        status="starting" if draft.session.status == "starting" else "running",
        queue=tuple(q for q in draft.session.queue if q.turn_id != note.turn_id),
        updated_at=draft.at,
    )
    draft.announce_started(turn.model_copy(update={"status": "running", "started_at": draft.at}))


def removed(draft: Draft, note: TurnRemoved) -> None:
    """Take a queued prompt back."""
    turn = draft.turns.get(note.turn_id)
    if turn is None or turn.status != "queued":
        return
    draft.change_session(queue=tuple(q for q in draft.session.queue if q.turn_id != note.turn_id))
    end_turn(draft, turn, "cancelled", "Taken back before it was sent.")


def responded(draft: Draft, packet: PromptResponse) -> None:
    """End the running turn as the agent says."""
    turn = _active(draft)
    if turn is None:
        return
    # Some agents answer end_turn to a cancel: what the user did counts.
    reason = "cancelled" if draft.stopping == turn.turn_id else packet.stop_reason
    words = stop_reason_words(reason, packet.detail)
    reason = "end_turn" if reason == "stop_sequence" else reason  # C3
    if reason != "cancelled":
        login.works(draft)
    turn = turn.model_copy(update=_tokens(packet.usage))
    empty = reason == "end_turn" and not packet.summary and _said_nothing(draft, turn.turn_id)
    words = "The agent sent no answer." if empty else words
    end_turn(draft, turn, reason, words, packet)


def _tokens(usage: PromptUsage | None) -> dict[str, int | None]:
    if usage is None:
        return {}
    both = (usage.input_tokens, usage.output_tokens)
    known = [count for count in both if count is not None]
    total = sum(known) if known and usage.total_tokens is None else usage.total_tokens
    return {"tokens": total, "input_tokens": both[0], "output_tokens": both[1]}


def _said_nothing(draft: Draft, turn_id: str) -> bool:
    start = draft.turn_first.get(turn_id, len(draft.items))
    return not any(
        item.turn_id == turn_id and item.kind != "user_message" for item in draft.items.since(start)
    )


def failed(draft: Draft, note: TurnFailed | ErrorPacket) -> None:
    """End the running turn, or the named one, in an error."""
    if isinstance(note, TurnFailed):
        turn = draft.turns.get(note.turn_id)
        message, reason, code = note.message, note.reason, ""
    else:
        turn = _active(draft)
        message, reason, code = _agent_error(draft, note), "agent_error", note.code
    if turn is None or turn.status == "done":
        return
    if isinstance(note, ErrorPacket) and draft.stopping == turn.turn_id:
        # Some agents answer a cancel with an error.
        end_turn(draft, turn, "cancelled", stop_reason_words("cancelled"), note)
        return
    if isinstance(note, ErrorPacket):
        login.refused(draft, note)
    draft.close_open_item()
    failure = TurnFailure(message=message, detail=note.detail, reason=reason)
    draft.add(
        ErrorItem(
            id=draft.new_id(),
            turn_id=turn.turn_id,
            message=message,
            detail=note.detail,
            reason=reason,
            code=code,
        )
    )
    draft.change_session(queue=tuple(q for q in draft.session.queue if q.turn_id != turn.turn_id))
    told = note if isinstance(note, ErrorPacket) else None
    end_turn(draft, turn.model_copy(update={"failure": failure}), "error", message, told)


def _agent_error(draft: Draft, packet: ErrorPacket) -> str:
    said = packet.message.strip().rstrip(".")
    if said.lower() == _NOTHING_SAID:
        why = packet.detail.partition("\n")[0].strip().rstrip(".")
        said = f"{said}: {why}" if why else said
    name = draft.session.agent_info.name
    if name.endswith(REPLAYED):
        return f"{name}: {said}."
    return f"{name} answered with an error: {said}. The session goes on; send the message again."


def stopped(draft: Draft, note: TurnStopped) -> None:
    """End a turn that its user stopped."""
    turn = draft.turns.get(note.turn_id)
    if turn is None or turn.status == "done":
        return
    draft.change_session(queue=tuple(q for q in draft.session.queue if q.turn_id != note.turn_id))
    end_turn(draft, turn, "cancelled", stop_reason_words("cancelled"))


def start_failed(draft: Draft, note: StartFailed) -> None:
    """Say why a session has no agent."""
    draft.add(
        ErrorItem(id=draft.new_id(), message=note.message, detail=note.detail, reason=note.reason)
    )
    draft.change_session(status="stopped", updated_at=draft.at)


def exited(draft: Draft, note: AgentExited) -> None:
    """Settle what the ended process had open."""
    expire_questions(draft, "Expired: the agent stopped")
    expire_requests(draft, "Expired: the agent stopped")
    draft.change_session(status="stopped", held="", updated_at=draft.at)


def _active(draft: Draft) -> TurnState | None:
    active = draft.session.active_turn_id
    return None if active is None else draft.turns.get(active)
