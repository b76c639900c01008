"""Turns that end otherwise than they should, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.hazards.conftest import LIMITS
from tests.support.host.agent_session import AgentSession
from tests.support.wait import FOREVER_SECONDS, eventually

Meet = Callable[..., AgentSession]


@pytest.mark.parametrize(
    ("mode", "reason", "words"),
    [
        ("stop_unknown", "sunset", "sunset"),
        ("stop_sequence", "end_turn", ""),
        ("stop_error", "error", "error"),
        ("stop_missing", "end_turn", ""),
        ("stop_refusal", "refusal", "refus"),
        ("stop_max_tokens", "max_tokens", "cut"),
    ],
)
def test_any_stop_reason_ends_the_turn(meet: Meet, mode: str, reason: str, words: str) -> None:
    agent_session = meet(mode)
    turn = agent_session.turn()
    assert turn.stop_reason == reason
    assert words in turn.words
    assert bool(turn.words) is (reason != "end_turn")
    assert agent_session.text == "Hello."
    agent_session.goes_on()


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("error_as_text", "oops"),
        ("error_without_code", "trouble"),
        ("error_of_provider", "Bad model"),
        ("error_cancelled_unasked", "Gone"),
        ("error_auth", "Authentication required"),
    ],
)
def test_an_error_of_any_shape_ends_the_turn_in_words(meet: Meet, mode: str, words: str) -> None:
    agent_session = meet(mode)
    turn = agent_session.turn()
    assert turn.stop_reason == "error"
    assert turn.failure is not None
    assert words in turn.failure.message
    assert [words in error.message for error in agent_session.errors] == [True]
    assert agent_session.text == "I was about to "
    agent_session.goes_on()


def test_what_comes_after_the_end_is_shown(meet: Meet) -> None:
    agent_session = meet("late_updates")
    turn = agent_session.turn()
    assert turn.stop_reason == "end_turn"
    eventually(lambda: agent_session.text == "The tail came late.")
    eventually(lambda: agent_session.session.state.usage is not None)
    assert agent_session.calls["a"].status == "completed"
    assert [item.kind for item in agent_session.items].count("agent_message") == 1
    agent_session.goes_on()


def test_tokens_in_the_answer_are_those_of_the_turn(meet: Meet) -> None:
    turn = meet("usage_in_answer").turn()
    assert (turn.tokens, turn.input_tokens, turn.output_tokens) == (30, 20, 10)


def test_a_second_answer_changes_nothing(meet: Meet) -> None:
    agent_session = meet("answered_twice")
    assert agent_session.turn().stop_reason == "end_turn"
    agent_session.goes_on()
    assert [item.kind for item in agent_session.items].count("turn_end") == 2


def test_calls_left_open_are_closed(meet: Meet) -> None:
    agent_session = meet("open_calls")
    agent_session.turn()
    assert {call.status for call in agent_session.calls.values()} == {"cancelled"}
    agent_session.goes_on()


@pytest.mark.parametrize(
    "mode",
    ["never_answers", "cancel_answered_by_error", "cancel_answered_end_turn"],
)
def test_stop_ends_the_turn_as_stopped(meet: Meet, mode: str) -> None:
    agent_session = meet(mode)
    turn_id = agent_session.begin()
    eventually(lambda: agent_session.text)
    agent_session.driver.run(agent_session.session.cancel)
    turn = agent_session.end(turn_id)
    assert (turn.stop_reason, turn.failure) == ("cancelled", None)
    assert {call.status for call in agent_session.calls.values()} <= {"cancelled"}
    assert agent_session.errors == []
    agent_session.goes_on()


def test_an_agent_that_ignores_the_stop_is_ended_and_started_again(meet: Meet) -> None:
    agent_session = meet("cancel_never_answered")
    turn_id = agent_session.begin()
    eventually(lambda: agent_session.text)
    agent_session.driver.run(agent_session.session.cancel)
    assert agent_session.end(turn_id).stop_reason == "cancelled"
    agent_session.goes_on()


def test_words_after_a_stop_are_still_shown(meet: Meet) -> None:
    agent_session = meet("talks_on_after_cancel")
    turn_id = agent_session.begin()
    eventually(lambda: agent_session.text)
    agent_session.driver.run(agent_session.session.cancel)
    assert agent_session.end(turn_id).stop_reason == "cancelled"
    eventually(lambda: "I had to finish this. And this." in agent_session.text)
    agent_session.goes_on()


def test_a_second_prompt_is_not_sent_before_the_first_has_ended(meet: Meet) -> None:
    agent_session = meet("refuses_a_second")
    turns = [agent_session.begin("one"), agent_session.begin("two")]
    assert [agent_session.end(turn_id).stop_reason for turn_id in turns] == ["end_turn", "end_turn"]
    assert agent_session.text == "First. First. "
    agent_session.goes_on()


def test_words_that_are_said_again_are_shown_again(meet: Meet) -> None:
    agent_session = meet("says_it_again")
    agent_session.turn()
    assert agent_session.text == "part part part "
    agent_session.goes_on()


def test_death_in_a_turn_is_told_and_the_next_prompt_starts_the_agent_again(meet: Meet) -> None:
    agent_session = meet("dies_mid_turn")
    turn = agent_session.turn()
    assert turn.failure is not None
    assert "was killed by signal 9" in turn.failure.message
    assert agent_session.text == "I was about to "
    agent_session.goes_on()
    assert any("without history" in notice.text for notice in agent_session.notices)


def test_a_message_behind_an_agent_that_does_not_stop_says_why_it_waits(meet: Meet) -> None:
    limits = replace(LIMITS, cancel_grace_seconds=FOREVER_SECONDS)
    agent_session = meet("cancel_never_answered", limits)
    turn_id = agent_session.begin()
    eventually(lambda: agent_session.session.state.status == "running")
    eventually(lambda: agent_session.text)
    agent_session.driver.run(agent_session.session.cancel)
    agent_session.end(turn_id)
    behind = agent_session.begin("again")
    held = eventually(lambda: agent_session.session.state.held)
    assert "was asked to stop, and has not answered yet" in held
    assert "After 3601 s" in held
    agent_session.driver.result(agent_session.session.agent.drop())
    agent_session.end(behind)
    assert agent_session.session.state.held == ""
