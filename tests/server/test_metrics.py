"""What is counted of sessions."""

from __future__ import annotations

import pytest
from prometheus_client import REGISTRY

from acp_jupyter.server.monitoring.metrics import SessionMetrics
from tests.support.script import Script

AGENT = {"agent": "demo"}


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(f"acp_jupyter_{name}", {**AGENT, **labels}) or 0.0


@pytest.fixture
def script() -> Script:
    return Script()


def push(metrics: SessionMetrics, script: Script) -> None:
    metrics.push(script.events)
    script.events.clear()


def test_a_turn_runs_from_its_start_to_its_end(script: Script) -> None:
    metrics, before = SessionMetrics(), counted("turns_running")
    ended = counted("turns_total", stop_reason="end_turn")
    script.line("!", {"note": "turn_queued", "turn_id": "t0", "prompt": []})
    push(metrics, script)
    assert counted("turns_running") == before
    prompt = script.turn()
    push(metrics, script)
    script.line("!", {"note": "policy_changed", "policy": "ask"})
    push(metrics, script)
    assert counted("turns_running") == before + 1
    script.end(prompt)
    push(metrics, script)
    assert counted("turns_running") == before
    assert counted("turns_total", stop_reason="end_turn") == ended + 1


def test_a_tool_call_counts_once_when_it_ends(script: Script) -> None:
    metrics = SessionMetrics()
    labels = {"kind": "execute", "status": "completed"}
    before = counted("tool_calls_total", **labels)
    script.turn()
    script.update("tool_call", toolCallId="c", title="Build", kind="execute", status="in_progress")
    push(metrics, script)
    assert counted("tool_calls_total", **labels) == before
    for _ in range(2):
        script.update("tool_call_update", toolCallId="c", status="completed")
        push(metrics, script)
    assert counted("tool_calls_total", **labels) == before + 1
