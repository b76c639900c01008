"""How prompt turns end, and what is added to them later."""

from __future__ import annotations

from acp_jupyter.packets.models import ErrorPacket, PromptResponse
from acp_jupyter.transcript import terminals
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.items import ToolCall, ToolStatus, TurnEnd
from acp_jupyter.transcript.session_state import TurnState

__all__ = ["end_turn", "renew_done_turn"]


def renew_done_turn(draft: Draft, before: int) -> None:
    """Say again that a turn is done when something was added to it later."""
    if draft.session.active_turn_id is not None or not draft.events:
        return
    late = any(e.kind in {"item_added", "text_appended", "item_replaced"} for e in draft.events)
    told = any(e.kind in {"turn_ended", "turn_started"} for e in draft.events)
    turn_id = draft.turn_id()
    if late and not told and before and turn_id is not None:
        draft.announce_ended(draft.turns[turn_id])


def end_turn(
    draft: Draft,
    turn: TurnState,
    stop_reason: str,
    words: str,
    packet: PromptResponse | ErrorPacket | None = None,
) -> None:
    """End a turn, and close what it left open if it was the running one."""
    active = draft.session.active_turn_id == turn.turn_id
    if active:
        draft.close_open_items()
        draft.close_steps()
        terminals.turn_ends(draft)
        _close_tool_calls(draft, turn.turn_id)
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


def _close_tool_calls(draft: Draft, turn_id: str) -> None:
    """Close what the agent left open; a rejected call has failed, else it is unknown."""
    start = draft.turn_first.get(turn_id, len(draft.items))
    for item in draft.items.recent(start):
        if not isinstance(item, ToolCall) or item.turn_id != turn_id:
            continue
        if item.status in {"pending", "in_progress"} and not terminals.outlives(draft, item):
            draft.replace(
                item.model_copy(update={"status": _last_status(item), "ended_at": draft.at})
            )


def _last_status(call: ToolCall) -> ToolStatus:
    permission = call.permission
    if permission is None:
        return "cancelled"
    if permission.state == "rejected":
        return "failed"
    # A request of seed 002 names no call: that it was allowed is all that will be told of it.
    alone = call.tool_call_id == f"permission-{permission.request_id}"
    return "completed" if alone and permission.state == "allowed" else "cancelled"
