"""Requests of an agent that are not as the protocol has them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.host.agent_session import AgentSession
from tests.support.wait import eventually

Meet = Callable[[str], AgentSession]


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
    agent_session = meet(mode)
    turn_id = agent_session.begin()
    call = agent_session.asked()
    assert call.permission is not None
    assert call.permission.state == "pending"
    assert call.title
    agent_session.answer(call, option)
    assert agent_session.end(turn_id).stop_reason == "end_turn"
    assert agent_session.text == f"Answer: {answer}."
    agent_session.goes_on()


def test_an_option_of_unknown_kind_is_a_plain_button(meet: Meet) -> None:
    agent_session = meet("permission_unknown_kind")
    turn_id = agent_session.begin()
    call = agent_session.asked()
    assert call.permission is not None
    kinds = [(option.name, option.option_kind) for option in call.permission.options]
    assert kinds == [("Maybe", "perhaps"), ("Reject", "reject_once")]
    agent_session.answer(call, "m")
    agent_session.end(turn_id)
    settled = agent_session.calls["a"].permission
    assert settled is not None
    assert (settled.state, settled.chosen) == ("answered", "Maybe")


@pytest.mark.parametrize("policy", ["allow-all", "accept-edits", "deny"])
def test_no_policy_chooses_an_option_of_unknown_kind(meet: Meet, policy: str) -> None:
    agent_session = meet("permission_unknown_kind")
    turn_id = agent_session.begin(policy=policy)
    agent_session.answer(agent_session.asked(), "no")
    agent_session.end(turn_id)
    assert agent_session.text == "Answer: no."


def test_allowing_by_policy_is_once_although_always_stands_first(meet: Meet) -> None:
    agent_session = meet("permission_allow_first")
    agent_session.turn(policy="allow-all")
    assert agent_session.text == "Answer: yes."


def test_a_call_that_was_only_asked_about_keeps_what_was_asked(meet: Meet) -> None:
    agent_session = meet("permission_never_announced")
    turn_id = agent_session.begin()
    asked = agent_session.asked()
    assert asked.command == "make"
    agent_session.answer(asked, "yes")
    agent_session.end(turn_id)
    call = agent_session.calls["a"]
    assert (call.status, call.title, call.command) == ("completed", asked.title, "make")
    agent_session.goes_on()


def test_a_question_about_another_session_is_refused_unasked(meet: Meet) -> None:
    agent_session = meet("permission_other_session")
    turn = agent_session.turn()
    assert turn.stop_reason == "end_turn"
    assert "yes" not in agent_session.text
    assert agent_session.session.state.waiting == 0
    agent_session.goes_on()


def test_a_question_that_is_taken_back_goes_away(meet: Meet) -> None:
    agent_session = meet("permission_withdrawn")
    assert agent_session.turn().stop_reason == "end_turn"
    assert agent_session.text == "Answer: error -32800."
    assert agent_session.session.state.waiting == 0
    permission = agent_session.calls["a"].permission
    assert permission is not None
    assert permission.state not in {"pending", "allowed"}
    agent_session.goes_on()


def test_a_question_that_outlives_its_turn_is_closed(meet: Meet) -> None:
    agent_session = meet("permission_outlived")
    assert agent_session.turn().stop_reason == "end_turn"
    eventually(lambda: agent_session.session.state.waiting == 0)
    permission = agent_session.calls["a"].permission
    assert permission is not None
    assert permission.state == "cancelled"
    agent_session.goes_on()


def test_two_questions_with_one_id_get_two_answers(meet: Meet) -> None:
    agent_session = meet("same_id_twice")
    turn_id = agent_session.begin()
    eventually(lambda: agent_session.session.state.waiting == 2)
    agent_session.answer(agent_session.calls["second"], "no")
    agent_session.answer(agent_session.calls["first"], "yes")
    assert agent_session.end(turn_id).stop_reason == "end_turn"
    assert agent_session.text == "Answers: no, yes."
    agent_session.goes_on()


def test_files_outside_the_folder_are_not_found_quietly(meet: Meet) -> None:
    agent_session = meet("files_outside")
    turn = agent_session.turn()
    assert turn.stop_reason == "end_turn"
    assert agent_session.text == "Answers: error -32002."
    assert [item.kind for item in agent_session.items] == [
        "user_message",
        "agent_message",
        "turn_end",
    ]
    agent_session.goes_on()


def test_an_update_of_another_session_is_not_shown_here(meet: Meet) -> None:
    agent_session = meet("other_session_update")
    agent_session.turn()
    assert agent_session.text == "For you."
    assert agent_session.session.state.title == "go"
    agent_session.goes_on()


@pytest.mark.parametrize(
    ("mode", "answers"),
    [
        ("unknown_request", "error -32601, error -32601"),
        ("unknown_extension", "error -32601"),
    ],
)
def test_unknown_requests_are_refused_at_once(meet: Meet, mode: str, answers: str) -> None:
    agent_session = meet(mode)
    agent_session.turn()
    assert agent_session.text == f"Answers: {answers}."
    agent_session.goes_on()


@pytest.mark.parametrize(
    ("mode", "text"), [("bad_params", "5 answers."), ("huge_ids", "All ids came back.")]
)
def test_every_request_is_answered(meet: Meet, mode: str, text: str) -> None:
    agent_session = meet(mode)
    turn_id = agent_session.begin()

    def finished() -> bool:
        agent_session.driver.answer_open(agent_session.session, None)
        return agent_session.session.transcript.turns[turn_id].status == "done"

    eventually(finished)
    assert agent_session.text == text
    agent_session.goes_on()
