"""What an agent tells again of a session that is loaded."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import parse_packet
from acp_jupyter.protocol.host_events.notes import TurnQueued, TurnStartedNote
from acp_jupyter.protocol.traffic_reader import History

Json = dict[str, Any]
WORDS: Json = {"type": "text", "text": "x"}
TOLD_AGAIN: list[Json] = [
    {"sessionUpdate": "user_message_chunk", "content": WORDS},
    {"sessionUpdate": "agent_message_chunk", "content": WORDS},
    {"sessionUpdate": "agent_thought_chunk", "content": WORDS},
    {"sessionUpdate": "tool_call", "toolCallId": "a", "title": "x"},
    {"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "completed"},
    {"sessionUpdate": "plan", "entries": []},
    {"sessionUpdate": "plan_removed", "planId": "p"},
    {"type": "prompt_response", "stopReason": "end_turn"},
]


@pytest.mark.parametrize("packet", TOLD_AGAIN, ids=lambda packet: str(next(iter(packet.values()))))
def test_what_was_said_is_told_once(packet: Json) -> None:
    """ACP: session/load replays it; it stands in the log already, or makes turns of its own."""
    parsed = parse_packet(packet)
    assert History(keep_history=False, number=1).take(parsed) == []
    kept = History(keep_history=True, number=1)
    told = kept.take(parsed)
    assert told == ([] if packet is TOLD_AGAIN[0] else [parsed])
    prompt = [type(each) for each in kept.end()][:2]
    assert prompt == ([TurnQueued, TurnStartedNote] if packet is TOLD_AGAIN[0] else [])


def test_what_is_true_of_the_session_comes_through() -> None:
    mode = parse_packet({"sessionUpdate": "current_mode_update", "currentModeId": "plan"})
    assert History(keep_history=False, number=1).take(mode) == [mode]
