"""Work that is open when its turn ends: closed with the turn, or continued in the background.

Background work that an agent lists stays open until the agent reports its end, stops listing it,
or exits. A subagent with a session of its own stays open until it has ended; a request to cancel
it does not close it. ACP: background work, subagents, tool_call/cancel, terminal/cancel.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from acp_jupyter.protocol.session_packets import BackgroundWork, CallCancel
from acp_jupyter.protocol.vocabulary import ToolStatus
from acp_jupyter.transcript.model.item_base import index_of
from acp_jupyter.transcript.model.state import Background
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.reduce import terminals
from acp_jupyter.transcript.reduce.draft import Draft


def close_tool_calls(draft: Draft, turn_id: str, stop_reason: str) -> None:
    """Close the calls that the agent left open, with the likeliest status."""
    start = draft.turn_first.get(turn_id, len(draft.items))
    going_on: list[str] = []
    for item in draft.items.recent(start):
        if not isinstance(item, ToolCall) or item.turn_id != turn_id or item.background:
            continue
        if not item.is_open or terminals.outlives_turn(draft, item):
            continue
        if item.subagent_session_id and draft.session.status != "stopped":
            draft.replace(item.model_copy(update={"background": True}))
            going_on.append(item.id)
        else:
            draft.replace(item.model_copy(update=_closed(draft, item, stop_reason)))
    if going_on:
        _set_background(
            draft, replace(draft.background, items=draft.background.items | {*going_on})
        )


def _closed(draft: Draft, call: ToolCall, stop_reason: str) -> dict[str, object]:
    return {"status": _last_status(draft, call, stop_reason), "ended_at": draft.at}


def _last_status(draft: Draft, call: ToolCall, stop_reason: str) -> ToolStatus:
    permission = call.permission
    if call.exit_code or (permission is not None and permission.state == "rejected"):
        return "failed"
    printed = call.status == "in_progress" and bool(draft.text_of(call.id))
    has_result = printed or call.exit_code is not None or call.raw_output is not None
    if has_result and stop_reason == "end_turn":
        return "completed"  # the agent did not say so
    if permission is None:
        return "cancelled"
    # A request of Onyx build mode names no call: after the answer, no result will come.
    alone = call.tool_call_id == f"permission-{permission.request_id}"
    return "completed" if alone and permission.state == "allowed" else "cancelled"


# -- in the background -------------------------------------------------------


def take_background(draft: Draft, works: tuple[BackgroundWork, ...]) -> None:
    """Replace the background work by an agent's new list; close calls that left the list."""
    old = draft.background.items
    calls = frozenset(_listed_calls(draft, works)).union(_subagents(draft, old))
    listed = frozenset(_listed_terminals(draft, works))
    for terminal_id in sorted(listed):
        terminals.show_in_own_card(draft, terminal_id)
    cards = (item for terminal_id in listed for item in draft.terminals[terminal_id].items)
    _set_background(draft, Background(len(works), calls.union(cards), listed))
    _leave(draft, old - draft.background.items)
    for item_id in sorted(draft.background.items - old, key=index_of):
        item = draft.get_call(item_id)
        # "cancelled" was our guess at the turn's end; the agent says that the call goes on.
        again = item.status == "cancelled" and item_id in calls
        opened = {"status": "in_progress", "ended_at": None} if again else {}
        draft.replace(item.model_copy(update={"background": True, **opened}))
    for terminal_id in sorted(listed):
        view = draft.terminals[terminal_id].view
        if not view.running:  # stopped with its call: only now the agent says that it goes on
            terminals.change_terminal(draft, terminal_id, running=True)


def _set_background(draft: Draft, background: Background) -> None:
    draft.background = background
    # Entries of the list may be subagents, or unknown to us.
    count = max(background.listed, len(background.items))
    if draft.session.background != count:
        draft.change_session(background=count)


def _subagents(draft: Draft, item_ids: Iterable[str]) -> Iterable[str]:
    """Yield the calls whose subagent is still working."""
    for item_id in item_ids:
        call = draft.get_call(item_id)
        if call.subagent_session_id and call.is_open:
            yield item_id


def _listed_calls(draft: Draft, works: Iterable[BackgroundWork]) -> Iterable[str]:
    for work in works:
        facts = draft.calls.get(work.tool_call_id) if work.tool_call_id else None
        if facts is None:
            continue
        if draft.get_call(facts.item_id).status not in {"completed", "failed"}:
            yield facts.item_id


def _listed_terminals(draft: Draft, works: Iterable[BackgroundWork]) -> Iterable[str]:
    for work in works:
        known = draft.terminals.get(work.terminal_id) if work.terminal_id else None
        if known is None or known.view.own:
            continue
        if known.view.exit_code is None and not known.view.signal:
            yield work.terminal_id


def end_background(draft: Draft) -> None:
    """Close all background work, as the agent has exited."""
    items = draft.background.items
    _set_background(draft, Background())
    _leave(draft, items, "cancelled")


def settle(draft: Draft, item_ids: Iterable[str]) -> None:
    """Take calls out of the background if neither they nor their terminals still run."""
    over = frozenset(item_ids) & draft.background.items
    over -= {item_id for item_id in over if _goes_on(draft.get_call(item_id))}
    if over:
        _set_background(draft, replace(draft.background, items=draft.background.items - over))
        _leave(draft, over)


def _goes_on(call: ToolCall) -> bool:
    return call.is_open or (call.terminal is not None and call.terminal.running)


def _leave(draft: Draft, item_ids: Iterable[str], stop_reason: str = "") -> None:
    """Take calls out of the background, and close them unless their turn still runs."""
    turn_ids: dict[str, None] = {}
    for item_id in sorted(item_ids, key=index_of):
        item = draft.get_call(item_id)
        turn = None if item.turn_id is None else draft.turns[item.turn_id]
        fields: dict[str, object] = {"background": False}
        runs = item.turn_id is not None and item.turn_id == draft.session.active_turn_id
        if item.is_open and not runs:
            reason = stop_reason or (turn.stop_reason if turn is not None else "") or "end_turn"
            fields |= _closed(draft, item, reason)
        draft.replace(item.model_copy(update=fields))
        if item.terminal is not None and not runs:
            terminals.stop_running(draft, item.terminal)
        if turn is not None and turn.status == "done":
            turn_ids[turn.turn_id] = None
    for turn_id in turn_ids:
        draft.announce_ended(draft.turns[turn_id])  # the turn's saved output has changed


def take_cancel(draft: Draft, packet: CallCancel) -> None:
    """Note that the agent was asked to end a call or terminal alone, or has refused it."""
    facts = draft.calls.get(packet.tool_call_id) if packet.tool_call_id else None
    known = draft.terminals.get(packet.terminal_id) if packet.terminal_id else None
    cards = (() if facts is None else (facts.item_id,)) + (() if known is None else known.items)
    for item_id in cards:
        item = draft.get_call(item_id)
        if item.is_open or item.background:
            draft.replace(item.model_copy(update={"cancelling": not packet.refused}))
