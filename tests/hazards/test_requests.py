"""Requests of an agent that are not as the protocol has them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.meeting import Meeting
from tests.support.wait import eventually

Meet = Callable[[str], Meeting]


@pytest.mark.parametrize(
    ("mode", "option", "answer"),
    [
        ("permission_unknown_kind", "m", "m"),
        ("permission_without_call_id", "yes", "yes"),
        ("permission_options_as_text", "Yes", "Yes"),
        ("permission_text_id", "no", "no"),
        ("permission_meta", "yes", "yes"),
        ("permission_without_options", None, "cancelled"),
    ],
)
def test_the_user_is_asked_and_the_answer_reaches_the_agent(
    meet: Meet, mode: str, option: str | None, answer: str
) -> None:
    """Also where there is no option, or none of a known kind."""
    meeting = meet(mode)
    turn_id = meeting.begin()
    call = meeting.asked()
    assert call.permission is not None
    assert call.permission.state == "pending"
    assert call.title
    meeting.answer(call, option)
    assert meeting.end(turn_id).stop_reason == "end_turn"
    assert meeting.text == f"Answer: {answer}."
    meeting.goes_on()


def test_an_option_of_unknown_kind_is_a_plain_button(meet: Meet) -> None:
    meeting = meet("permission_unknown_kind")
    turn_id = meeting.begin()
    call = meeting.asked()
    assert call.permission is not None
    kinds = [(option.name, option.option_kind) for option in call.permission.options]
    assert kinds == [("Maybe", "perhaps"), ("Reject", "reject_once")]
    meeting.answer(call, "m")
    meeting.end(turn_id)
    settled = meeting.calls["a"].permission
    assert settled is not None
    assert (settled.state, settled.chosen) == ("answered", "Maybe")


@pytest.mark.parametrize("policy", ["allow-all", "accept-edits", "deny"])
def test_no_policy_chooses_an_option_of_unknown_kind(meet: Meet, policy: str) -> None:
    meeting = meet("permission_unknown_kind")
    turn_id = meeting.begin(policy=policy)
    meeting.answer(meeting.asked(), "no")
    meeting.end(turn_id)
    assert meeting.text == "Answer: no."


def test_allowing_by_policy_is_once_although_always_stands_first(meet: Meet) -> None:
    meeting = meet("permission_allow_first")
    meeting.turn(policy="allow-all")
    assert meeting.text == "Answer: yes."


def test_a_call_that_was_only_asked_about_keeps_what_was_asked(meet: Meet) -> None:
    meeting = meet("permission_never_announced")
    turn_id = meeting.begin()
    asked = meeting.asked()
    assert asked.command == "make"
    meeting.answer(asked, "yes")
    meeting.end(turn_id)
    call = meeting.calls["a"]
    assert (call.status, call.title, call.command) == ("completed", asked.title, "make")
    meeting.goes_on()


def test_a_question_about_another_session_is_refused_unasked(meet: Meet) -> None:
    meeting = meet("permission_other_session")
    turn = meeting.turn()
    assert turn.stop_reason == "end_turn"
    assert "yes" not in meeting.text
    assert meeting.session.state.waiting == 0
    meeting.goes_on()


def test_a_question_that_is_taken_back_goes_away(meet: Meet) -> None:
    meeting = meet("permission_withdrawn")
    assert meeting.turn().stop_reason == "end_turn"
    assert meeting.text == "Answer: error -32800."
    assert meeting.session.state.waiting == 0
    permission = meeting.calls["a"].permission
    assert permission is not None
    assert permission.state not in {"pending", "allowed"}
    meeting.goes_on()


def test_a_question_that_outlives_its_turn_is_closed(meet: Meet) -> None:
    meeting = meet("permission_outlived")
    assert meeting.turn().stop_reason == "end_turn"
    eventually(lambda: meeting.session.state.waiting == 0)
    permission = meeting.calls["a"].permission
    assert permission is not None
    assert permission.state == "cancelled"
    meeting.goes_on()


def test_two_questions_with_one_id_get_two_answers(meet: Meet) -> None:
    meeting = meet("same_id_twice")
    turn_id = meeting.begin()
    eventually(lambda: meeting.session.state.waiting == 2)
    meeting.answer(meeting.calls["second"], "no")
    meeting.answer(meeting.calls["first"], "yes")
    assert meeting.end(turn_id).stop_reason == "end_turn"
    assert meeting.text == "Answers: no, yes."
    meeting.goes_on()


def test_files_outside_the_folder_are_not_found_quietly(meet: Meet) -> None:
    meeting = meet("files_outside")
    turn = meeting.turn()
    assert turn.stop_reason == "end_turn"
    assert meeting.text == "Answers: error -32002."
    assert [item.kind for item in meeting.items] == ["user_message", "agent_message", "turn_end"]
    meeting.goes_on()


def test_an_update_of_another_session_is_not_shown_here(meet: Meet) -> None:
    meeting = meet("other_session_update")
    meeting.turn()
    assert meeting.text == "For you."
    assert meeting.session.state.title == "go"
    meeting.goes_on()


@pytest.mark.parametrize(
    ("mode", "answers"),
    [
        ("unknown_request", "error -32601, error -32601"),
        ("unknown_extension", "error -32601"),
    ],
)
def test_unknown_requests_are_refused_at_once(meet: Meet, mode: str, answers: str) -> None:
    meeting = meet(mode)
    meeting.turn()
    assert meeting.text == f"Answers: {answers}."
    meeting.goes_on()


@pytest.mark.parametrize(
    ("mode", "text"), [("bad_params", "5 answers."), ("huge_ids", "All ids came back.")]
)
def test_every_request_is_answered(meet: Meet, mode: str, text: str) -> None:
    meeting = meet(mode)
    turn_id = meeting.begin()

    def finished() -> bool:
        meeting.driver.answer_open(meeting.session, None)
        return meeting.session.transcript.turns[turn_id].status == "done"

    eventually(finished)
    assert meeting.text == text
    meeting.goes_on()
