"""What a turn uses: its time, its tool calls, and the tokens and money that its agent reports."""

from __future__ import annotations

from acp_jupyter.protocol.host_events.notes import is_replayed
from acp_jupyter.protocol.session_packets import UsageUpdate
from acp_jupyter.transcript.model.session_state import TurnState, Usage
from acp_jupyter.transcript.model.use import Cost, Use, currency_code
from acp_jupyter.transcript.reduce.draft import Draft

_MOST = 1e9
"""The most that one report can add; a larger amount is in another unit."""


def begin(draft: Draft) -> None:
    """Begin to count, with a turn."""
    draft.turn_use, draft.working_since = Use(), draft.at


def usage(draft: Draft, packet: UsageUpdate) -> None:
    """Store the newest count of tokens and cost, and count what it grew by.

    The cost is the session's total: a report without it leaves it as it is.
    """
    before = draft.session.usage
    now = Usage(**packet.model_dump(exclude={"type", "timestamp"}))
    if now.cost_amount is None and before is not None:
        cost = {"cost_amount": before.cost_amount, "cost_currency": before.cost_currency}
        now = now.model_copy(update=cost)
    draft.change_session(usage=now)
    grown = Use(tokens=_growth(before, now), costs=_spent(before, packet))
    if draft.session.active_turn_id is not None:
        draft.turn_use = draft.turn_use.plus(grown)
    elif draft.session.status == "idle" and draft.session.use.turns:
        # Reported after the answer. The answer may have had the tokens.
        draft.change_session(use=draft.session.use.plus(Use(costs=grown.costs)))


def _growth(before: Usage | None, now: Usage) -> int:
    """Return by how many tokens the context grew; a count that goes down takes nothing back."""
    return max(0, now.used - (0 if before is None else before.used))


def _spent(before: Usage | None, packet: UsageUpdate) -> tuple[Cost, ...]:
    """Return by how much the cost grew; a session's first report counts whole."""
    if packet.cost_amount is None:
        return ()
    grown = 0.0
    if before is None or before.cost_amount is None:
        grown = packet.cost_amount
    elif before.cost_currency == packet.cost_currency:
        grown = packet.cost_amount - before.cost_amount
    return (Cost(amount=min(max(0.0, grown), _MOST), currency=currency_code(packet.cost_currency)),)


def end(draft: Draft, turn: TurnState) -> None:
    """Add what the running turn used to the session's sum.

    Its answer may count more tokens than the context grew by: a turn sends its context often.
    Nothing is used by a turn that is a copy, or that a recording answers.
    """
    draft.count_time(works=False)
    if turn.copy_of is not None or is_replayed(draft.session.agent_info.name):
        return
    used = draft.turn_use.model_copy(update={"turns": 1})
    if turn.tokens is not None:
        used = used.model_copy(update={"tokens": max(used.tokens or 0, turn.tokens)})
    draft.change_session(use=draft.session.use.plus(used))
