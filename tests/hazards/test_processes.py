"""Processes that do not live or die as they should. Each test ends with no process left."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from tests.hazards.conftest import LIMITS
from tests.support.meeting import Meeting
from tests.support.processes import alive
from tests.support.wait import eventually

Meet = Callable[..., Meeting]


def child_of(meeting: Meeting) -> int:
    eventually(lambda: meeting.text.startswith("child "))
    return int(meeting.text.split()[1])


def test_an_agent_that_dies_while_its_child_holds_the_pipes(meet: Meet) -> None:
    meeting = meet("child_holds_pipes")
    turn = meeting.turn()
    assert turn.failure is not None
    assert "exited with code 7" in turn.failure.message
    eventually(lambda: not alive(child_of(meeting)))
    meeting.goes_on()


def test_a_child_in_a_session_of_its_own_ends_with_the_host(meet: Meet) -> None:
    meeting = meet("child_left")
    meeting.turn()
    child = child_of(meeting)
    assert alive(child)
    meeting.driver.host.stop()
    eventually(lambda: not alive(child))


def test_300_kb_on_stderr_block_nobody(meet: Meet) -> None:
    meeting = meet("chatty_stderr")
    assert meeting.turn().stop_reason == "end_turn"
    meeting.goes_on()


@pytest.mark.parametrize(
    ("mode", "words"),
    [("stdin_closed", "has closed its stdin"), ("stdout_closed", "has closed its output")],
)
def test_an_agent_that_closes_a_pipe_counts_as_dead(meet: Meet, mode: str, words: str) -> None:
    meeting = meet(mode)
    turn = meeting.turn()
    assert turn.failure is not None
    assert f"{words}. Your next message starts it again." in turn.failure.message
    meeting.goes_on()


def test_5_mb_for_an_agent_that_reads_nothing(meet: Meet) -> None:
    meeting = meet("deaf", dataclasses.replace(LIMITS, send_seconds=0.5))
    turn = meeting.turn("x" * 5_000_000)
    assert turn.failure is not None
    assert "has read nothing" in turn.failure.message


def test_an_agent_that_does_not_leave_is_ended(meet: Meet) -> None:
    meeting = meet("ignores_eof")
    meeting.turn()
    meeting.driver.host.stop()  # and no process is left, which the fixture looks after
