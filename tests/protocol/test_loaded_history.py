"""What an agent tells again of a session that is loaded."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.packets import parse_packet
from acp_jupyter.protocol.host_events.notes import TurnQueued, TurnStartedNote
from acp_jupyter.protocol.packets import PromptResponse
from acp_jupyter.protocol.traffic_reader import LoadedHistory

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
    assert LoadedHistory(keep_history=False, number=1).apply(parsed) == []
    kept = LoadedHistory(keep_history=True, number=1)
    entries = kept.apply(parsed)
    assert entries == ([] if packet is TOLD_AGAIN[0] else [parsed])
    prompt = [type(each) for each in kept.end()][:2]
    assert prompt == ([TurnQueued, TurnStartedNote] if packet is TOLD_AGAIN[0] else [])


def test_what_is_true_of_the_session_comes_through() -> None:
    mode = parse_packet({"sessionUpdate": "current_mode_update", "currentModeId": "plan"})
    assert LoadedHistory(keep_history=False, number=1).apply(mode) == [mode]


def test_turns_are_made_of_what_is_told() -> None:
    """A prompt may be entries in several pieces; each turn ends once."""
    user, agent = (parse_packet(each) for each in TOLD_AGAIN[:2])
    mode = parse_packet({"sessionUpdate": "current_mode_update", "currentModeId": "plan"})
    history = LoadedHistory(keep_history=True, number=7)
    entries = [each for packet in (agent, user, agent, agent) for each in history.apply(packet)]
    entries += [each for packet in (user, mode, user, agent) for each in history.apply(packet)]
    block: Json = {"type": "text", "text": "x"}
    first = TurnQueued(turn_id="history-7-1", prompt=(block,))
    second = TurnQueued(turn_id="history-7-2", prompt=(block, block))
    ended = PromptResponse(stop_reason="end_turn")
    assert entries == [
        agent,
        first,
        TurnStartedNote(turn_id="history-7-1"),
        *(agent, agent, ended, mode),
        second,
        TurnStartedNote(turn_id="history-7-2"),
        agent,
    ]
    assert history.end() == [ended]
    assert history.end() == []
