"""Processes that do not live or die as they should. Each test ends with no process left."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from tests.hazards.conftest import LIMITS
from tests.support.host.agent_session import AgentSession
from tests.support.processes import alive
from tests.support.wait import eventually

Meet = Callable[..., AgentSession]


def child_of(agent_session: AgentSession) -> int:
    eventually(lambda: agent_session.text.startswith("child "))
    return int(agent_session.text.split()[1])


def test_an_agent_that_dies_while_its_child_holds_the_pipes(meet: Meet) -> None:
    agent_session = meet("child_holds_pipes")
    turn = agent_session.turn()
    assert turn.failure is not None
    assert "exited with code 7" in turn.failure.message
    eventually(lambda: not alive(child_of(agent_session)))
    agent_session.goes_on()


def test_a_child_in_a_session_of_its_own_ends_with_the_host(meet: Meet) -> None:
    agent_session = meet("child_left")
    agent_session.turn()
    child = child_of(agent_session)
    assert alive(child)
    agent_session.driver.host.stop()
    eventually(lambda: not alive(child))


def test_300_kb_on_stderr_block_nobody(meet: Meet) -> None:
    agent_session = meet("chatty_stderr")
    assert agent_session.turn().stop_reason == "end_turn"
    agent_session.goes_on()


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        pytest.param(
            "stdin_closed", "has closed its stdin", marks=pytest.mark.posix("closed stdin")
        ),
        ("stdout_closed", "has closed its output"),
    ],
)
def test_an_agent_that_closes_a_pipe_counts_as_dead(meet: Meet, mode: str, words: str) -> None:
    agent_session = meet(mode)
    turn = agent_session.turn()
    assert turn.failure is not None
    assert f"{words}. Your next message starts it again." in turn.failure.message
    agent_session.goes_on()


def test_5_mb_for_an_agent_that_reads_nothing(meet: Meet) -> None:
    agent_session = meet("deaf", dataclasses.replace(LIMITS, send_seconds=0.5))
    turn = agent_session.turn("x" * 5_000_000)
    assert turn.failure is not None
    assert "has read nothing" in turn.failure.message


def test_an_agent_that_does_not_leave_is_ended(meet: Meet) -> None:
    agent_session = meet("ignores_eof")
    agent_session.turn()
    agent_session.driver.host.stop()  # and no process is left, which the fixture looks after
