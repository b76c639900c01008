"""The demo agent's subagent names the call that it works for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from acp.schema import RequestPermissionRequest, SessionNotification

from acp_jupyter.transcript.model.items import AgentMessage
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.view import nested
from tests.support.agents.peer import Peer, select
from tests.support.transcript.traffic import Script

COMMAND = [sys.executable, "-m", "acp_jupyter.agents.demo"]


@pytest.fixture
def peer() -> Iterator[Peer]:
    with Peer(COMMAND, env={"ACP_DEMO_RATE": "0"}) as peer:
        yield peer


def test_a_subagent_explores_and_asks_within_its_call(peer: Peer, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n")
    peer.handlers["session/request_permission"] = select("allow_once")
    turn = peer.prompt(peer.open(tmp_path), "delegate")
    for message in turn.messages:
        if message.get("method") == "session/update":
            SessionNotification.model_validate(message["params"])
    (asked,) = turn.asked("session/request_permission")
    RequestPermissionRequest.model_validate(asked)

    script = Script(cwd=str(tmp_path))
    script.turn("delegate")
    for update in turn.updates:
        script.line(
            "<", {"method": "session/update", "params": {"sessionId": "s", "update": update}}
        )
    state = script.transcript
    rows = nested(state.window(0, len(state.items)))
    ((task, steps),) = ((item, steps) for item, steps in rows if isinstance(item, ToolCall))
    assert task.subagent_type == "Explore"
    assert task.status == "completed"
    calls = [step for step in steps if isinstance(step, ToolCall)]
    assert [call.tool_kind for call in calls] == ["search", "read", "execute"]
    assert all(call.status == "completed" for call in calls)
    assert asked["toolCall"]["toolCallId"] == calls[-1].tool_call_id
    texts = [item.text for item, _ in rows if isinstance(item, AgentMessage)]
    assert texts == [
        "The subagent has looked around. Its steps are folded into the call that started it.\n"
    ]
    assert any(isinstance(step, AgentMessage) and "| `notes.md` |" in step.text for step in steps)
