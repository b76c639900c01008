"""Handshakes and new sessions that are not as the protocol has them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from acp_jupyter.errors import AgentRequestError
from tests.support.host.agent_session import AgentSession
from tests.support.wait import PATIENCE_SECONDS, eventually

Meet = Callable[[str], AgentSession]


@pytest.mark.parametrize(
    "mode",
    [
        "version_text",
        "version_float",
        "version_2_in_words_of_1",
        "auth_unknown",
        "capabilities_null",
        "capabilities_odd",
        "initialize_twice",
        "boolean_unasked",
        "resume_not_there",
    ],
)
def test_the_session_opens_all_the_same(meet: Meet, mode: str) -> None:
    agent_session = meet(mode)
    turn = agent_session.turn()
    assert (turn.stop_reason, turn.failure) == ("end_turn", None)
    assert agent_session.text == "Hello."
    agent_session.goes_on()


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("version_3", "speaks version 3 of the Agent Client Protocol"),
        ("version_date", "speaks version '2024-11-05' of the Agent Client Protocol"),
        ("version_missing", "speaks version None of the Agent Client Protocol"),
        ("session_id_missing", "answered session/new without a session id"),
        ("session_id_number", "answered session/new without a session id"),
    ],
)
def test_what_cannot_be_talked_to_is_said_in_words(meet: Meet, mode: str, words: str) -> None:
    agent_session = meet(mode)
    for _ in range(2):
        turn = agent_session.turn()
        assert turn.failure is not None
        assert words in turn.failure.message


def test_a_login_that_is_needed_is_named(meet: Meet) -> None:
    turn = meet("auth_required").turn()
    assert turn.failure is not None
    assert "Authentication required" in turn.failure.message
    assert "Log in" in turn.failure.message


def test_a_second_answer_to_initialize_changes_nothing(meet: Meet) -> None:
    agent_session = meet("initialize_twice")
    agent_session.turn()
    assert agent_session.session.state.agent_info.name == "First"


def test_updates_before_the_session_is_there_belong_to_it(meet: Meet) -> None:
    agent_session = meet("updates_before_new")
    agent_session.turn()
    assert [command.name for command in agent_session.session.state.commands] == ["early"]
    assert agent_session.text == "Welcome. Hello."
    agent_session.goes_on()


def test_updates_between_turns_are_shown(meet: Meet) -> None:
    agent_session = meet("updates_after_new")
    agent_session.turn()
    assert agent_session.text == "Banner. Hello."
    assert agent_session.session.state.usage is not None
    agent_session.goes_on()


def test_options_that_nobody_asked_for_are_offered(meet: Meet) -> None:
    agent_session = meet("boolean_unasked")
    agent_session.turn()
    options = agent_session.session.state.config_options
    assert [(option.id, option.current_value) for option in options] == [
        ("fast", False),
        ("model", "small"),
    ]


def test_options_in_groups_are_read_and_the_answer_replaces_all(meet: Meet) -> None:
    agent_session = meet("options_grouped")
    agent_session.turn()
    (option,) = agent_session.session.state.config_options
    assert [(c.value, c.group) for c in option.choices] == [("small", "Group"), ("large", "Group")]
    agent_session.driver.result(agent_session.session.set_config("model", "large"))
    model, effort = agent_session.session.state.config_options
    assert (model.current_value, effort.id, effort.current_value) == ("large", "effort", True)


def test_a_change_that_the_agent_refuses_is_said_and_changes_nothing(meet: Meet) -> None:
    agent_session = meet("option_change_refused")
    agent_session.turn()
    change = agent_session.driver.host.submit(agent_session.session.set_config("model", "large"))
    with pytest.raises(AgentRequestError, match="not for you"):
        change.result(PATIENCE_SECONDS)
    (option,) = agent_session.session.state.config_options
    assert option.current_value == "small"
    agent_session.goes_on()


def test_models_of_the_older_way_are_a_choice(meet: Meet) -> None:
    agent_session = meet("models_only")
    agent_session.turn()
    (option,) = agent_session.session.state.config_options
    assert (option.id, option.category, option.current_value) == ("model", "model", "one")
    assert [choice.value for choice in option.choices] == ["one", "two"]
    agent_session.driver.result(agent_session.session.set_config("model", "two"))
    eventually(lambda: "set_model two" in agent_session.text)
    (option,) = agent_session.session.state.config_options
    assert option.current_value == "two"
