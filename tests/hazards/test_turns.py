"""Turns that end otherwise than they should, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.hazards.conftest import LIMITS
from tests.support.meeting import Meeting
from tests.support.wait import FOREVER_SECONDS, eventually

Meet = Callable[..., Meeting]


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
    meeting = meet(mode)
    turn = meeting.turn()
    assert turn.stop_reason == reason
    assert words in turn.words
    assert bool(turn.words) is (reason != "end_turn")
    assert meeting.text == "Hello."
    meeting.goes_on()


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
    meeting = meet(mode)
    turn = meeting.turn()
    assert turn.stop_reason == "error"
    assert turn.failure is not None
    assert words in turn.failure.message
    assert [words in error.message for error in meeting.errors] == [True]
    assert meeting.text == "I was about to "
    meeting.goes_on()


def test_what_comes_after_the_end_is_shown(meet: Meet) -> None:
    meeting = meet("late_updates")
    turn = meeting.turn()
    assert turn.stop_reason == "end_turn"
    eventually(lambda: meeting.text == "The tail came late.")
    eventually(lambda: meeting.session.state.usage is not None)
    assert meeting.calls["a"].status == "completed"
    assert [item.kind for item in meeting.items].count("agent_message") == 1
    meeting.goes_on()


def test_tokens_in_the_answer_are_those_of_the_turn(meet: Meet) -> None:
    turn = meet("usage_in_answer").turn()
    assert (turn.tokens, turn.input_tokens, turn.output_tokens) == (30, 20, 10)


def test_a_second_answer_changes_nothing(meet: Meet) -> None:
    meeting = meet("answered_twice")
    assert meeting.turn().stop_reason == "end_turn"
    meeting.goes_on()
    assert [item.kind for item in meeting.items].count("turn_end") == 2


def test_calls_left_open_are_closed(meet: Meet) -> None:
    meeting = meet("open_calls")
    meeting.turn()
    assert {call.status for call in meeting.calls.values()} == {"cancelled"}
    meeting.goes_on()


@pytest.mark.parametrize(
    "mode",
    ["never_answers", "cancel_answered_by_error", "cancel_answered_end_turn"],
)
def test_stop_ends_the_turn_as_stopped(meet: Meet, mode: str) -> None:
    meeting = meet(mode)
    turn_id = meeting.begin()
    eventually(lambda: meeting.text)
    meeting.driver.run(meeting.session.cancel)
    turn = meeting.end(turn_id)
    assert (turn.stop_reason, turn.failure) == ("cancelled", None)
    assert {call.status for call in meeting.calls.values()} <= {"cancelled"}
    assert meeting.errors == []
    meeting.goes_on()


def test_an_agent_that_ignores_the_stop_is_ended_and_started_again(meet: Meet) -> None:
    meeting = meet("cancel_never_answered")
    turn_id = meeting.begin()
    eventually(lambda: meeting.text)
    meeting.driver.run(meeting.session.cancel)
    assert meeting.end(turn_id).stop_reason == "cancelled"
    meeting.goes_on()


def test_words_after_a_stop_are_still_shown(meet: Meet) -> None:
    meeting = meet("talks_on_after_cancel")
    turn_id = meeting.begin()
    eventually(lambda: meeting.text)
    meeting.driver.run(meeting.session.cancel)
    assert meeting.end(turn_id).stop_reason == "cancelled"
    eventually(lambda: "I had to finish this. And this." in meeting.text)
    meeting.goes_on()


def test_a_second_prompt_is_not_sent_before_the_first_has_ended(meet: Meet) -> None:
    meeting = meet("refuses_a_second")
    turns = [meeting.begin("one"), meeting.begin("two")]
    assert [meeting.end(turn_id).stop_reason for turn_id in turns] == ["end_turn", "end_turn"]
    assert meeting.text == "First. First. "
    meeting.goes_on()


def test_words_that_are_said_again_are_shown_again(meet: Meet) -> None:
    meeting = meet("says_it_again")
    meeting.turn()
    assert meeting.text == "part part part "
    meeting.goes_on()


def test_death_in_a_turn_is_told_and_the_next_prompt_starts_the_agent_again(meet: Meet) -> None:
    meeting = meet("dies_mid_turn")
    turn = meeting.turn()
    assert turn.failure is not None
    assert "was killed by signal 9" in turn.failure.message
    assert meeting.text == "I was about to "
    meeting.goes_on()
    assert any("without history" in notice.text for notice in meeting.notices)


def test_a_message_behind_an_agent_that_does_not_stop_says_why_it_waits(meet: Meet) -> None:
    limits = replace(LIMITS, cancel_grace_seconds=FOREVER_SECONDS)
    meeting = meet("cancel_never_answered", limits)
    turn_id = meeting.begin()
    eventually(lambda: meeting.session.state.status == "running")
    eventually(lambda: meeting.text)
    meeting.driver.run(meeting.session.cancel)
    meeting.end(turn_id)
    behind = meeting.begin("again")
    held = eventually(lambda: meeting.session.state.held)
    assert "was told to stop and has not answered yet" in held
    assert "After 3601 s at most" in held
    meeting.driver.result(meeting.session.agent.drop())
    meeting.end(behind)
    assert meeting.session.state.held == ""
