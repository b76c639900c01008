"""Modes in which an agent asks less, where the administrator does not allow them."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.bounds import Bounds
from tests.support.driver import driving
from tests.support.fake_agents import script
from tests.support.meeting import Meeting

BOUNDS = Bounds.of({"allow_unasked_modes": False})
WORDS = "The mode Auto is not allowed here: there the agent decides itself what to ask. The admin"


def test_an_agent_that_opens_in_such_a_mode_is_taken_out_of_it(tmp_path: Path) -> None:
    agents = {"chooses": script("chooses", "auto", "plan", "ask")}
    with driving(tmp_path, agents, bounds=BOUNDS) as driver:
        meeting = Meeting(driver, driver.open("chooses"))
        assert meeting.turn("go").stop_reason == "end_turn"
        assert meeting.text.startswith("plan,")
        choosing = meeting.session.set_mode("auto")
        with pytest.raises(NotAllowed, match=WORDS):
            driver.host.submit(choosing).result(20)
        driver.host.submit(meeting.session.set_mode("ask")).result(20)
        meeting.turn("go")
        assert "ask," in meeting.text


def test_an_agent_that_has_no_other_mode_gets_no_prompt(tmp_path: Path) -> None:
    agents = {"chooses": script("chooses", "auto")}
    with driving(tmp_path, agents, bounds=BOUNDS) as driver:
        meeting = Meeting(driver, driver.open("chooses"))
        turn = meeting.turn("go")
        assert turn.failure is not None
        assert WORDS in turn.failure.message
        assert meeting.text == ""


def test_by_default_the_mode_is_the_agents(tmp_path: Path) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "ask")}) as driver:
        meeting = Meeting(driver, driver.open("chooses"))
        meeting.turn("go")
        assert meeting.text.startswith("auto,")
