"""Lines that are no message, or not quite one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hazards import lines

from tests.support.host.agent_session import AgentSession

Meet = Callable[[str], AgentSession]


@pytest.mark.parametrize("mode", lines.NOISE)
def test_noise_before_and_within_a_turn_does_no_harm(meet: Meet, mode: str) -> None:
    agent_session = meet(mode)
    assert agent_session.turn().stop_reason == "end_turn"
    assert agent_session.text == "After the noise."
    assert agent_session.errors == []
    agent_session.goes_on()


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ("invalid_utf8", "bytes \ufffd\ufffd here"),
        ("invalid_utf8_in_answer", "Hello."),
        ("lone_surrogate", "half \ufffd an emoji"),
        ("split_pairs", "a 😀 b😀😀 \ufffd\ufffd c\ufffdd\ufffd\ufffd"),
        ("batch", "batched batched batched "),
        ("bare_chunk", "hello from before the protocol"),
        ("no_jsonrpc", "no version"),
        (
            "other_names",
            "session/notification, acp/notification/session_update, session_update, ",
        ),
        ("meta_collisions", "message params update"),
    ],
)
def test_the_words_arrive(meet: Meet, mode: str, text: str) -> None:
    agent_session = meet(mode)
    turn = agent_session.turn()
    assert (turn.stop_reason, turn.failure) == ("end_turn", None)
    assert agent_session.text == text
    agent_session.goes_on()


def test_an_update_sent_as_a_request_is_answered(meet: Meet) -> None:
    agent_session = meet("update_as_request")
    agent_session.turn()
    assert agent_session.text == "asked ['result']"
    agent_session.goes_on()


def test_a_line_of_70_mb_is_dropped_and_the_next_one_read(meet: Meet) -> None:
    agent_session = meet("long_line")
    turn = agent_session.end(agent_session.begin())
    assert turn.stop_reason == "end_turn"
    assert agent_session.text == "After the long line."
    agent_session.goes_on()


def test_a_burst_of_20000_updates_is_taken_in_and_the_host_answers_meanwhile(meet: Meet) -> None:
    agent_session = meet("burst")
    turn_id = agent_session.begin()
    seen: set[int] = set()
    while agent_session.session.transcript.turns[turn_id].status != "done":
        seen.add(agent_session.driver.run(lambda: len(agent_session.text)))
    assert len(agent_session.text) == 20_000
    assert len(seen) > 5
    agent_session.goes_on()
