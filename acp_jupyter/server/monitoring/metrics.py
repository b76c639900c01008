"""Counters of turns, tool calls and permission requests, on the server's own ``/metrics``.

Labels are ids of agents and words of the protocol, never text of an agent or a user.
"""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import Counter, Gauge, Histogram

from acp_jupyter.transcript.model.events import (
    Event,
    ItemAdded,
    ItemReplaced,
    SessionChanged,
    TurnEnded,
    TurnStarted,
)
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.model.use import Use

_BUCKETS = (1, 5, 15, 60, 300, 900, 3600)
_DONE = frozenset({"completed", "failed", "cancelled"})
_STOP_REASONS = frozenset(
    {"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"}
)

_CURRENCIES = frozenset({"USD", "EUR", "GBP", "JPY", "CNY", "CHF", "CAD", "AUD", "INR", "KRW"})

_TURNS = Counter(
    "acp_jupyter_turns",
    "Prompt turns that have ended.",
    ["agent", "stop_reason"],
)
_SECONDS = Histogram(
    "acp_jupyter_turn_seconds",
    "How long prompt turns took.",
    ["agent"],
    buckets=_BUCKETS,
)
_TOKENS = Counter(
    "acp_jupyter_tokens",
    "Tokens of prompt turns, as agents tell them.",
    ["agent", "direction"],
)
_WORKED = Counter(
    "acp_jupyter_working_seconds",
    "Time in which prompt turns worked, without that in which a question waited for an answer.",
    ["agent"],
)
_COST = Counter(
    "acp_jupyter_cost",
    "Cost of prompt turns, as agents report it.",
    ["agent", "currency"],
)
_CALLS = Counter(
    "acp_jupyter_tool_calls",
    "Tool calls that have ended.",
    ["agent", "kind", "status"],
)
_PERMISSIONS = Counter(
    "acp_jupyter_permission_requests",
    "Permission requests that were settled, and whether a user was asked.",
    ["agent", "state", "asked"],
)
_STARTS = Counter(
    "acp_jupyter_agent_starts",
    "Sessions whose agent was started.",
    ["agent"],
)
_RUNNING = Gauge(
    "acp_jupyter_turns_running",
    "Prompt turns that run or wait for an answer.",
    ["agent"],
)


class SessionMetrics:
    """Counts turns, calls and requests from the sessions' events."""

    def __init__(self) -> None:
        self._agents: dict[str, str] = {}
        self._status: dict[str, str] = {}
        self._use: dict[str, Use] = {}
        """What each session had used when it was last seen."""
        self._turn_ids: set[str] = set()
        self._open: set[tuple[str, str]] = set()
        """Tool calls and permission requests that have not ended, by session and id."""
        self._going_on: set[tuple[str, str]] = set()
        """The calls that run in the background, and so don't end with their turn."""

    def push(self, events: Iterable[Event]) -> None:
        """Count these events."""
        for event in events:
            match event:
                case SessionChanged():
                    self._see_session(event.session)
                case TurnStarted() if event.turn.status != "queued":
                    if event.turn.turn_id not in self._turn_ids:
                        self._turn_ids.add(event.turn.turn_id)
                        _RUNNING.labels(self._agent(event.session_id)).inc()
                case TurnEnded():
                    self._end_turn(event)
                case ItemAdded() | ItemReplaced() if isinstance(event.item, ToolCall):
                    self._see_call(event.session_id, event.item)
                case _:
                    pass

    def _agent(self, session_id: str) -> str:
        return self._agents.get(session_id, "")

    def _see_session(self, session: SessionState) -> None:
        session_id = session.session_id
        self._agents[session_id] = session.agent
        if session.status == "starting" != self._status.get(session_id):
            _STARTS.labels(session.agent).inc()
        self._status[session_id] = session.status
        before = self._use.get(session_id, session.use)  # one that is opened used it earlier
        self._use[session_id] = session.use
        if session.use is not before:
            used = session.use.since(before)
            _WORKED.labels(session.agent).inc(used.seconds)
            for cost in used.costs:
                currency = cost.currency if cost.currency in _CURRENCIES else "other"
                _COST.labels(session.agent, currency).inc(cost.amount)

    def _end_turn(self, event: TurnEnded) -> None:
        turn, agent = event.turn, self._agent(event.session_id)
        if turn.turn_id in self._turn_ids:
            self._turn_ids.discard(turn.turn_id)
            _RUNNING.labels(agent).dec()
        elif turn.started_at is not None:
            return  # an ended turn that got an addition
        reason = turn.stop_reason if turn.stop_reason in _STOP_REASONS else "other"
        _TURNS.labels(agent, reason).inc()
        if turn.started_at is not None and turn.ended_at is not None:
            _SECONDS.labels(agent).observe(max(0.0, turn.ended_at - turn.started_at))
        for direction, tokens in (("input", turn.input_tokens), ("output", turn.output_tokens)):
            if tokens is not None and tokens > 0:
                _TOKENS.labels(agent, direction).inc(tokens)
        self._open = {
            key for key in self._open if key[0] != event.session_id or key in self._going_on
        }

    def _see_call(self, session_id: str, call: ToolCall) -> None:
        agent = self._agent(session_id)
        if call.background:
            self._going_on.add((session_id, call.id))
        else:
            self._going_on.discard((session_id, call.id))
        if self._ends(session_id, call.id, done=call.status in _DONE):
            _CALLS.labels(agent, call.tool_kind, call.status).inc()
        asked = call.permission
        if asked is not None and self._ends(
            session_id, asked.request_id, done=asked.state != "pending"
        ):
            by = "no" if asked.without_user else "yes"
            _PERMISSIONS.labels(agent, asked.state, by).inc()

    def _ends(self, session_id: str, item_id: str, *, done: bool) -> bool:
        """Return whether an item that was open ends now; True once for each item."""
        key = session_id, item_id
        if done:
            ends = key in self._open
            self._open.discard(key)
            return ends
        self._open.add(key)
        return False
