"""Which turns have changed since somebody asked."""

from __future__ import annotations

from acp_jupyter.host.store.changed_turns import ChangedTurns
from tests.support.transcript.traffic import Script


def test_what_happens_in_a_turn_counts_as_a_change_of_it() -> None:
    script = Script()
    changed = ChangedTurns(lambda session_id: script.transcript)
    prompt = script.turn("Do it", "t1")
    script.text("Outside of a turn", "agent_thought_chunk")
    changed.push(script.events)
    assert changed.since(0) == {"s1": {"t1"}}
    number = changed.number
    assert changed.since(number) == {}
    script.events.clear()
    script.end(prompt)
    changed.push(script.events)
    assert changed.since(number) == {"s1": {"t1"}}
    assert changed.changed_at("s1", "t1") > 0
