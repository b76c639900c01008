"""What is counted of sessions."""

from __future__ import annotations

import pytest
from prometheus_client import REGISTRY

from acp_jupyter.protocol.host_events.notes import AgentStarting
from acp_jupyter.server.monitoring.metrics import SessionMetrics
from tests.support.transcript.traffic import Script


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(f"acp_jupyter_{name}", {"agent": "demo", **labels}) or 0.0


class Counted(Script):
    """A session whose events are counted; its agent is known."""

    def __init__(self) -> None:
        super().__init__()
        self.metrics = SessionMetrics()
        self.note(AgentStarting())
        self.push()

    def push(self) -> None:
        self.metrics.push(self.events)
        self.events.clear()

    def call(self, status: str, **more: object) -> None:
        self.update("tool_call_update", toolCallId="c", kind="execute", status=status, **more)
        self.push()


@pytest.fixture
def script() -> Counted:
    return Counted()


def test_a_turn_runs_from_its_start_to_its_end(script: Counted) -> None:
    before, ended = counted("turns_running"), counted("turns_total", stop_reason="end_turn")
    queued = {"note": "turn_queued", "turn_id": "t1", "prompt": [], "policy": "allow-all"}
    script.line("!", queued)
    script.push()
    assert counted("turns_running") == before
    script.line("!", {"note": "turn_started", "turn_id": "t1"})
    script.push()
    script.line("!", {"note": "policy_changed", "policy": "ask"})  # tells the turn once more
    script.push()
    assert counted("turns_running") == before + 1
    script.end(script.line(">", {"id": 1, "method": "session/prompt", "params": {}}))
    script.push()
    assert counted("turns_running") == before
    assert counted("turns_total", stop_reason="end_turn") == ended + 1


def test_a_tool_call_counts_once_when_it_ends(script: Counted) -> None:
    labels = {"kind": "execute", "status": "completed"}
    before = counted("tool_calls_total", **labels)
    script.turn()
    script.call("in_progress")
    assert counted("tool_calls_total", **labels) == before
    script.call("completed")
    script.call("completed", title="Said later")
    assert counted("tool_calls_total", **labels) == before + 1


def test_a_call_in_the_background_counts_after_its_turn(script: Counted) -> None:
    labels = {"kind": "execute", "status": "completed"}
    before = counted("tool_calls_total", **labels)
    prompt = script.turn()
    script.call("in_progress")
    works = [{"type": "tool_call", "toolCallId": "c"}]
    script.update("state_update", state="running", background=works)
    script.end(prompt)
    script.push()
    script.call("completed")
    assert counted("tool_calls_total", **labels) == before + 1


def test_a_permission_request_counts_when_it_is_settled(script: Counted) -> None:
    labels = {"state": "allowed", "asked": "yes"}
    before = counted("permission_requests_total", **labels)
    script.turn()
    request_id = script.ask({"toolCallId": "c", "title": "Build", "kind": "execute"})
    script.push()
    assert counted("permission_requests_total", **labels) == before
    script.answer(request_id, "once")
    script.push()
    script.call("completed")
    assert counted("permission_requests_total", **labels) == before + 1


def test_what_a_turn_used_counts_once(script: Counted) -> None:
    before = [counted("cost_total", currency=name) for name in ("USD", "other")]
    worked = counted("working_seconds_total")
    prompt = script.turn()
    script.update("usage_update", used=9, size=99, cost={"amount": 0.5, "currency": "usd"})
    script.end(prompt)
    script.push()
    other = script.turn(turn_id="t2")
    script.update("usage_update", used=9, size=99, cost={"amount": 2.0, "currency": "<b>"})
    script.end(other)
    script.push()
    assert counted("cost_total", currency="USD") == before[0] + 0.5
    assert counted("cost_total", currency="other") == before[1]  # its total of before is unknown
    assert counted("working_seconds_total") == worked + 3 + 3
    again = SessionMetrics()  # as for a session that is opened again
    script.note(AgentStarting())
    again.push(script.events)
    assert counted("cost_total", currency="USD") == before[0] + 0.5
