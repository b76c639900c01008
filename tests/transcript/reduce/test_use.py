"""What a session's turns used, all together."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.host_events.notes import CopiedTurn, TurnQueued, TurnStartedNote
from acp_jupyter.transcript.model.use import Cost, Use
from tests.support.transcript.traffic import Script


class Used(Script):
    """A session that says what its turns used."""

    @property
    def use(self) -> Use:
        return self.transcript.session.use

    def report(self, used: Any, amount: Any = None, currency: str = "USD") -> None:
        cost = {} if amount is None else {"cost": {"amount": amount, "currency": currency}}
        self.update("usage_update", used=used, size=1000, **cost)

    def answer_with(self, prompt: int, total: int | None = None) -> None:
        usage = {} if total is None else {"usage": {"totalTokens": total}}
        self.line("<", {"id": 1, "result": {"stopReason": "end_turn", **usage}}, prompt)


@pytest.fixture
def script() -> Used:
    return Used()


def test_time_and_tool_calls_count_and_a_waiting_question_does_not(script: Used) -> None:
    prompt = script.turn()  # it begins at 2
    script.update("tool_call", toolCallId="c1", title="Read", status="completed")
    request_id = script.ask({"toolCallId": "c2", "title": "Edit", "kind": "edit"})  # at 5
    script.text("The question waits.")
    script.text("It still does.")
    script.answer(request_id, "once")  # at 8
    script.update("tool_call_update", toolCallId="c2", status="completed")
    script.end(prompt)  # at 10
    assert (script.use.turns, script.use.seconds, script.use.calls) == (1, 3 + 2, 2)
    assert (script.use.tokens, script.use.costs) == (None, ())


def test_turns_of_claude_and_opencode_add_up(script: Used) -> None:
    """Claude names the cost in the last report of a turn only, and its context starts lower."""
    prompt = script.turn()
    script.report(1280)
    script.report(1280, 0.008)
    script.answer_with(prompt, 1280)
    prompt = script.turn(turn_id="t2")
    script.report(1201)
    script.report(1243, 0.015)
    script.answer_with(prompt, 2443)
    assert (script.use.turns, script.use.tokens) == (2, 1280 + 2443)
    assert script.use.cost("USD") == pytest.approx(0.015)
    usage = script.transcript.session.usage
    assert usage is not None
    assert usage.cost_amount == 0.015
    script.turn(turn_id="t3")
    script.report(1250)
    again = script.transcript.session.usage
    assert again is not None
    assert again.cost_amount == 0.015  # a report without it says nothing of it


def test_a_count_that_goes_down_takes_nothing_back(script: Used) -> None:
    prompt = script.turn()
    for used, amount in ((80, 2.0), (30, 1.0), (60, 1.5)):
        script.report(used, amount)
    script.answer_with(prompt, 7)
    assert (script.use.tokens, script.use.cost("USD")) == (80 + 30, 2.5)


@pytest.mark.parametrize(
    ("used", "amount", "currency", "costs"),
    [
        (0.45, 1.0, "USD", (Cost(amount=1.0, currency="USD"),)),
        ("45%", 1.0, "USD", ()),
        (None, None, "", ()),
        (5, "1.20", "USD", ()),
        (5, True, "USD", ()),
        (5, -3.0, "USD", (Cost(amount=0.0, currency="USD"),)),
        (5, 1e300, "usd", (Cost(amount=1e9, currency="USD"),)),
        (5, 3.0, "credits <b>", (Cost(amount=3.0),)),
    ],
)
def test_a_wrong_unit_counts_as_far_as_it_is_understood(
    script: Used, used: Any, amount: Any, currency: str, costs: tuple[Cost, ...]
) -> None:
    prompt = script.turn()
    script.report(used, amount, currency)
    script.answer_with(prompt)
    assert script.use.costs == costs
    assert script.use.tokens in {None, 5, 0}


def test_a_cost_that_comes_after_the_answer_counts_and_many_currencies_do_not(script: Used) -> None:
    prompt = script.turn()
    script.answer_with(prompt, 40)
    script.report(30, 0.5)
    assert (script.use.tokens, script.use.cost("USD")) == (40, 0.5)
    for index in range(20):
        script.turn(turn_id=f"more{index}")
        script.report(30, 1.0, f"A{chr(65 + index)}C")
        script.answer_with(script.entries[-2].seq)
    assert len(script.use.costs) <= 5


def test_what_was_used_before_the_first_turn_and_by_copies_does_not_count(script: Used) -> None:
    script.report(500, 5.0)  # as it was loaded
    prompt = script.turn()
    script.report(600, 6.0)
    script.answer_with(prompt)
    assert (script.use.tokens, script.use.cost("USD")) == (100, 1.0)
    before = script.use
    copy = CopiedTurn(turn_id="t1", cell_id="")
    script.note(TurnQueued(turn_id="t2", prompt=({"type": "text", "text": "Do it"},), copy_of=copy))
    script.note(TurnStartedNote(turn_id="t2"))
    prompt = script.line(">", {"id": 1, "method": "session/prompt", "params": {"prompt": []}})
    script.report(900, 9.0)
    script.answer_with(prompt, 5000)
    assert script.use == before


def test_a_recording_uses_nothing() -> None:
    script = Used(agent="Demo (replayed)")
    prompt = script.turn()
    script.report(600, 6.0)
    script.answer_with(prompt, 600)
    assert script.use == Use()


def test_sums_and_differences() -> None:
    costs = (Cost(amount=1.0, currency="USD"),)
    one = Use(turns=1, seconds=2.0, calls=3, tokens=4, costs=costs)
    two = one.plus(Use(turns=1, seconds=1.0, calls=1)).plus(one)
    assert (two.turns, two.seconds, two.calls, two.tokens) == (3, 5.0, 7, 8)
    assert two.since(one) == Use(turns=2, seconds=3.0, calls=4, tokens=4, costs=costs)
    assert one.since(one) == Use()
    assert one.since(two) == Use(tokens=0)
