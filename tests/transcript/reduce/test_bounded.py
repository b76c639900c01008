"""What is remembered beside the items: it does not grow with the turns, nor with a long one."""

from __future__ import annotations

from tests.support.transcript.traffic import Script


def test_messages_with_ids_are_not_remembered_after_their_turn() -> None:
    script = Script()
    for turn in range(20):
        asked = script.turn(turn_id=f"t{turn}")
        for number in range(10):
            script.text("a", messageId=f"m{turn}.{number}")
        script.end(asked)
    assert len(script.transcript.items) == 20 * 12
    assert len(script.transcript.renewable) <= 20


def test_a_plan_is_renewed_after_very_many_messages() -> None:
    script = Script()
    script.turn()
    script.update("plan", entries=[{"content": "one"}])
    for number in range(2_000):
        script.text("a", messageId=f"m{number}")
        assert len(script.transcript.renewable) <= 512
    script.update("plan", entries=[{"content": "two"}])
    plans = [item for item in script.transcript.items if item.kind == "plan"]
    assert [plan.entries[0].content for plan in plans] == ["two"]
    script.text("b", kind="agent_message", messageId="m1990")


def test_what_an_artifact_is_named_late_is_still_that_artifact() -> None:
    script = Script()
    asked = script.turn(turn_id="t1")
    script.update("artifact_created", artifact={"id": "a", "name": "one.csv"})
    script.end(asked)
    script.turn(turn_id="t2")
    found = {"note": "artifacts_made", "turn_id": "t1"}
    script.line("!", {**found, "artifacts": [{"id": "a", "name": "two.csv"}]})
    names = [item.name for item in script.transcript.items if item.kind == "artifact"]
    assert names == ["two.csv"]


def test_terminals_that_ended_are_forgotten_and_those_that_run_are_not() -> None:
    script = Script()
    runs = {"note": "terminal_started", "terminal_id": "runs", "command": "serve", "cwd": "/ws"}
    script.line("!", runs)
    for turn in range(20):
        asked = script.turn(turn_id=f"t{turn}")
        for number in range(40):
            named = {"terminal_id": f"{turn}.{number}"}
            script.line("!", {"note": "terminal_started", **named, "command": "make", "cwd": "/ws"})
            script.line("!", {"note": "terminal_output", **named, "text": f"out {turn}.{number}"})
            script.line("!", {"note": "terminal_exited", **named, "exit_code": 0})
            script.line("!", {"note": "terminal_released", **named})
        script.end(asked)
    known = script.transcript.terminals
    assert len(known) <= 256 + 40
    assert "runs" in known
    assert "19.39" in known
    items = script.transcript.window(0, len(script.transcript.items))
    shown = [item.output for item in items if item.kind == "tool_call"]
    assert shown[1:] == [f"out {turn}.{number}" for turn in range(20) for number in range(40)]
