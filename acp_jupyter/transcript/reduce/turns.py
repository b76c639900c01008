"""Prompt turns: queued, edited and moved in the queue, started, ended, failed."""

from __future__ import annotations

from pydantic import JsonValue

from acp_jupyter.errors import NobodyToAsk
from acp_jupyter.protocol.content import ContentBlock, OtherBlock, TextBlock, read_block
from acp_jupyter.protocol.formatting import is_shortened
from acp_jupyter.protocol.host_events.notes import (
    AgentExited,
    StartFailed,
    TurnEdited,
    TurnFailed,
    TurnMoved,
    TurnQueued,
    TurnRemoved,
    TurnStartedNote,
    TurnSteered,
    TurnStopped,
    is_replayed,
)
from acp_jupyter.protocol.packets import (
    ErrorPacket,
    PromptResponse,
    PromptUsage,
    stop_reason_of,
    stop_reason_text,
)
from acp_jupyter.transcript.model.items import Attachment, ErrorItem, TurnEnd, UserMessage
from acp_jupyter.transcript.model.persistent import Map, Vector
from acp_jupyter.transcript.model.session_state import (
    AT_LIMIT,
    STEERED,
    QueuedPrompt,
    TurnFailure,
    TurnState,
)
from acp_jupyter.transcript.reduce import evidence, open_work, session_facts, terminals, use
from acp_jupyter.transcript.reduce.draft import Draft
from acp_jupyter.transcript.reduce.permissions import expire_requests
from acp_jupyter.transcript.reduce.questions import expire_elicitations

_NEXT_STEPS = {
    "": "The session continues; send the message again.",
    "login": "Its login is missing or has expired. Log in to it, then send the message again.",
    "rate_limit": "Its account can send no more for now. Wait, or choose another model or account; "
    "then send the message again.",
    "network": "It did not reach its model. Check the network, a proxy, and the network of its "
    "sandbox; then send the message again.",
}
_REASONS = {
    "": "agent_error",
    "login": "login_expired",
    "rate_limit": "rate_limited",
    "network": "no_network",
}
"""The stable words, by an error's cause."""
_EMPTY_MESSAGE = "internal error"
"""JSON-RPC's message for an error that only the details describe."""


def queued(draft: Draft, note: TurnQueued) -> None:
    """Add a prompt; it waits while another turn runs."""
    text = prompt_text(note.prompt)
    turn = TurnState(
        turn_id=note.turn_id,
        session_id=draft.session.session_id,
        prompt=text,
        policy=note.policy,
        sandbox=note.sandbox,
        rules=note.rules,
        user=note.user,
        origin=note.origin,
        copy_of=note.copy_of,
        queued_at=draft.at,
        variant=0 if (variant := draft.session.variant) is None else variant.number,
        in_copy=bool(draft.session.copied_folder),
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
        return  # imported logs may lack the prompt
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
    """Return what a prompt carries beside its text; once what is there as a picture and text."""
    blocks = [read_block(raw) for raw in prompt]
    pictures = {b.uri for b in blocks if isinstance(b, OtherBlock) and b.type == "image"}
    found = (
        _attachment(block, is_first=number == 0)
        for number, block in enumerate(blocks)
        if not (
            isinstance(block, OtherBlock) and block.type == "resource" and block.uri in pictures
        )
    )
    return tuple(each for each in found if each is not None)


_NAME_CHARS = 80


def _attachment(block: ContentBlock | None, *, is_first: bool) -> Attachment | None:
    match block:
        case TextBlock() if not is_first and block.text.strip():
            # Values of variables, which not every agent takes in a block of their own.
            name = block.text.strip().split("\n", 1)[0].rstrip(":")[:_NAME_CHARS]
            return _with_text(Attachment(type="text", name=name), block.text)
        case OtherBlock(type="image" | "audio" | "resource_link" | "resource" as kind):
            name = block.name or block.uri.rpartition("/")[2] or kind
            found = Attachment(type=kind, name=name, uri=block.uri, mime_type=block.mime_type)
            if block.data:
                return found.model_copy(update={"size": len(block.data) * 3 // 4})
            if kind == "resource":
                return _with_text(found, block.text)
            return found.model_copy(update={"size": block.size})
        case _:
            return None


def _with_text(found: Attachment, text: str) -> Attachment:
    size = len(text.encode(errors="replace"))
    return found.model_copy(update={"size": size, "cut": is_shortened(text)})


def started(draft: Draft, note: TurnStartedNote) -> None:
    """Begin a queued turn."""
    turn = draft.turns.get(note.turn_id)
    if turn is None:
        return
    _put_in_order(draft, note.turn_id)
    draft.close_open_items()
    draft.refused = False
    draft.written = Map()  # no card of an earlier turn is to come
    evidence.begin(draft, note.turn_id)
    use.begin(draft)
    draft.forget_renewable()
    terminals.forget_old(draft)
    draft.change_session(
        active_turn_id=note.turn_id,
        status="starting" if draft.session.status == "starting" else "running",
        queue=tuple(q for q in draft.session.queue if q.turn_id != note.turn_id),
        updated_at=draft.at,
    )
    draft.announce_started(turn.model_copy(update={"status": "running", "started_at": draft.at}))


def _put_in_order(draft: Draft, turn_id: str) -> None:
    """Move a starting turn before all waiting turns, and after all started ones."""
    order = draft.turn_order
    place = len(order)
    while place and draft.turns[order[place - 1]].started_at is None:
        place -= 1
    waiting = [each for each in order[place:] if each != turn_id]
    if len(order) - place == len(waiting) + 1 and order[place] != turn_id:
        draft.turn_order = Vector.of((*order[:place], turn_id, *waiting))


def removed(draft: Draft, note: TurnRemoved | TurnSteered) -> None:
    """Remove a queued prompt that was deleted, or sent into the running turn."""
    turn = draft.turns.get(note.turn_id)
    if turn is None or turn.status != "queued":
        return
    draft.change_session(queue=tuple(q for q in draft.session.queue if q.turn_id != note.turn_id))
    if isinstance(note, TurnSteered):
        end_turn(draft, turn, STEERED, "The agent took it into the turn that ran.")
        return
    end_turn(draft, turn, "cancelled", "Removed before it was sent.")


def responded(draft: Draft, packet: PromptResponse) -> None:
    """End the running turn with the agent's answer."""
    draft.refused = False
    turn = _active(draft)
    if turn is None:
        return
    reason = stop_reason_of(packet, stopping=draft.stopping == turn.turn_id)
    words = _stop_text(draft, turn, reason, packet.detail)
    reason = "end_turn" if reason == "stop_sequence" else reason  # not one of the protocol's
    if reason != "cancelled":
        session_facts.login_works(draft)
    turn = turn.model_copy(update=_tokens(packet.usage))
    empty = reason == "end_turn" and not packet.summary and _has_no_output(draft, turn.turn_id)
    words = "The agent sent no answer." if empty else words
    end_turn(draft, turn, reason, words, packet)


def _stop_text(draft: Draft, turn: TurnState, reason: str, detail: str = "") -> str:
    if reason == "cancelled" and draft.time_up == turn.turn_id:
        limit = draft.limit_words
        return f"{AT_LIMIT}{limit}." if limit else "Stopped at its time limit."
    return stop_reason_text(reason, detail)


def _tokens(usage: PromptUsage | None) -> dict[str, int | None]:
    if usage is None:
        return {}
    both = (usage.input_tokens, usage.output_tokens)
    known = [count for count in both if count is not None]
    total = sum(known) if known and usage.total_tokens is None else usage.total_tokens
    return {"tokens": total, "input_tokens": both[0], "output_tokens": both[1]}


def _has_no_output(draft: Draft, turn_id: str) -> bool:
    start = draft.turn_first.get(turn_id, len(draft.items))
    return not any(
        item.turn_id == turn_id and item.kind != "user_message" for item in draft.items.since(start)
    )


def failed(draft: Draft, note: TurnFailed | ErrorPacket) -> None:
    """End the running turn, or the named one, with an error."""
    if isinstance(note, TurnFailed):
        turn = draft.turns.get(note.turn_id)
        message, reason, code = note.message, note.reason, ""
    else:
        draft.refused = False
        turn = _active(draft)
        message, reason, code = _agent_error(draft, note), _REASONS[note.cause], note.code
    if turn is None or turn.status == "done":
        return
    stopping = draft.stopping == turn.turn_id
    if isinstance(note, ErrorPacket) and stop_reason_of(note, stopping=stopping) == "cancelled":
        end_turn(draft, turn, "cancelled", _stop_text(draft, turn, "cancelled"), note)
        return
    if isinstance(note, ErrorPacket):
        session_facts.login_refused(draft, note)
    draft.refused = reason == NobodyToAsk.reason
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
    error = note if isinstance(note, ErrorPacket) else None
    end_turn(draft, turn.model_copy(update={"failure": failure}), "error", message, error)


def _agent_error(draft: Draft, packet: ErrorPacket) -> str:
    message = packet.message.strip().rstrip(".")
    if message.lower() == _EMPTY_MESSAGE:
        why = packet.detail.partition("\n")[0].strip().rstrip(".")
        message = f"{message}: {why}" if why else message
    name = draft.session.agent_info.name
    if is_replayed(name):
        return f"{name}: {message}."
    return f"{name} answered with an error: {message}. {_NEXT_STEPS[packet.cause]}"


def stopped(draft: Draft, note: TurnStopped) -> None:
    """End a turn that its user stopped."""
    turn = draft.turns.get(note.turn_id)
    if turn is None or turn.status == "done":
        return
    draft.change_session(queue=tuple(q for q in draft.session.queue if q.turn_id != note.turn_id))
    end_turn(draft, turn, "cancelled", _stop_text(draft, turn, "cancelled"))


def start_failed(draft: Draft, note: StartFailed) -> None:
    """Show why a session has no agent."""
    draft.add(
        ErrorItem(id=draft.new_id(), message=note.message, detail=note.detail, reason=note.reason)
    )
    draft.change_session(status="stopped", updated_at=draft.at)


def exited(draft: Draft, note: AgentExited) -> None:
    """Settle the open requests of the ended process."""
    draft.refused = False
    open_work.end_background(draft)
    expire_elicitations(draft, "Expired: the agent stopped")
    expire_requests(draft, "Expired: the agent stopped")
    draft.change_session(status="stopped", held="", updated_at=draft.at)


def _active(draft: Draft) -> TurnState | None:
    active = draft.session.active_turn_id
    return None if active is None else draft.turns.get(active)


def renew_done_turn(draft: Draft, before: int) -> None:
    """Announce a done turn again when something was added to it later."""
    if draft.session.active_turn_id is not None or not draft.events:
        return
    added = {"item_added", "text_appended", "text_changed", "item_replaced"}
    late = any(e.kind in added for e in draft.events)
    is_noted = any(e.kind in {"turn_ended", "turn_started"} for e in draft.events)
    turn_id = draft.turn_id()
    if late and not is_noted and before and turn_id is not None:
        draft.announce_ended(draft.turns[turn_id])


def end_turn(
    draft: Draft,
    turn: TurnState,
    stop_reason: str,
    words: str,
    packet: PromptResponse | ErrorPacket | None = None,
) -> None:
    """End a turn, and close its open items if it was the running one."""
    active = draft.session.active_turn_id == turn.turn_id
    if active:
        draft.close_open_items()
        draft.close_steps()
        terminals.close_terminals(draft)
        open_work.close_tool_calls(draft, turn.turn_id, stop_reason)
    since = turn.started_at
    measured = None if since is None else max(0.0, draft.at - since)
    own = None if packet is None else packet.duration_seconds
    end = TurnEnd(
        id=draft.new_id(),
        turn_id=turn.turn_id,
        stop_reason=stop_reason,
        words=words,
        summary=packet.summary if isinstance(packet, PromptResponse) else "",
        duration_seconds=measured if own is None else own,
        input_tokens=turn.input_tokens,
        output_tokens=turn.output_tokens,
    )
    draft.add(end)
    if active:
        use.end(draft, turn)
        draft.change_session(
            active_turn_id=None,
            looking=False,
            status="stopped" if draft.session.status == "stopped" else "idle",
            updated_at=draft.at,
        )
    done = turn.model_copy(
        update={
            "status": "done",
            "stop_reason": stop_reason,
            "words": words,
            "ended_at": draft.at,
        }
    )
    draft.announce_ended(done)


def edit_queued(draft: Draft, note: TurnEdited) -> None:
    """Replace a waiting prompt by another."""
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
    index = draft.turn_first.get(note.turn_id)
    item = None if index is None else draft.items[index]
    if isinstance(item, UserMessage):
        attachments = prompt_attachments(note.prompt)
        draft.replace(item.model_copy(update={"text": text, "attachments": attachments}))
    changes = {"prompt": text, "policy": note.policy, "rules": note.rules, "user": note.user}
    changes["sandbox"] = note.sandbox
    known = {name: value for name, value in changes.items() if value is not None}
    draft.announce_started(turn.model_copy(update=known))


def move_first(draft: Draft, note: TurnMoved) -> None:
    """Move a prompt to the front of the queue."""
    first = [waiting for waiting in draft.session.queue if waiting.turn_id == note.turn_id]
    rest = [waiting for waiting in draft.session.queue if waiting.turn_id != note.turn_id]
    draft.change_session(queue=(*first, *rest))
