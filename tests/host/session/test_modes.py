"""Modes in which an agent asks less, where the administrator does not allow them."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.errors import AgentRequestError, NotAllowed
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.vocabulary import asking_mode
from tests.support.driver import Driver, driving
from tests.support.fake_agents import script
from tests.support.meeting import Meeting

BOUNDS = Bounds.of({"allow_unasked_modes": False})
WORDS = "The mode Auto is not allowed here: there the agent decides itself what to ask. The admin"


def test_an_agent_that_opens_in_such_a_mode_is_taken_out_of_it(tmp_path: Path) -> None:
    agents = {"chooses": script("chooses", "auto", "plan", "ask")}
    with driving(tmp_path, agents, bounds=BOUNDS) as driver:
        meeting = Meeting(driver, driver.open("chooses"))
        assert meeting.turn("go").stop_reason == "end_turn"
        assert meeting.text.startswith("ask,")
        choosing = meeting.session.set_mode("auto")
        with pytest.raises(NotAllowed, match=WORDS):
            driver.result(choosing)
        driver.result(meeting.session.set_mode("plan"))
        meeting.turn("go")
        assert "plan," in meeting.text


def test_an_agent_that_has_no_other_mode_gets_no_prompt(tmp_path: Path) -> None:
    agents = {"chooses": script("chooses", "auto")}
    with driving(tmp_path, agents, bounds=BOUNDS) as driver:
        meeting = Meeting(driver, driver.open("chooses"))
        turn = meeting.turn("go")
        assert turn.failure is not None
        assert WORDS in turn.failure.message
        assert meeting.text == ""


NOTICE = (
    "The agent started in the mode Auto, in which it decides itself what to ask. The policy is "
    "ask, so its mode was changed to Ask first. You can choose another mode."
)


def notices(meeting: Meeting) -> list[str]:
    return [item.text for item in meeting.items if item.kind == "notice"]


def start(driver: Driver, meeting: Meeting) -> None:
    driver.result(meeting.session.start())


def test_under_ask_an_agent_is_set_to_the_mode_in_which_it_asks(tmp_path: Path) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "plan", "ask")}) as driver:
        meeting = Meeting(driver, driver.open("chooses"))
        start(driver, meeting)
        assert meeting.session.state.current_mode_id == "ask"
        assert meeting.session.state.unasked == ""
        meeting.turn("go")
        assert meeting.text.startswith("ask,")
        assert notices(meeting) == [NOTICE]


@pytest.mark.parametrize(
    ("policy", "mode"),
    [("read-only", "ask"), ("deny", "ask"), ("accept-edits", "ask"), ("allow-all", "auto")],
)
def test_what_a_policy_leaves_to_agents(tmp_path: Path, policy: Policy, mode: str) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "ask")}) as driver:
        meeting = Meeting(driver, driver.open("chooses", policy=policy))
        meeting.turn("go")
        assert meeting.text.startswith(f"{mode},")


def test_a_prompt_with_a_policy_that_asks_more(tmp_path: Path) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "ask")}) as driver:
        meeting = Meeting(driver, driver.open("chooses", policy="allow-all"))
        meeting.turn("go")
        meeting.turn("go", policy="ask")
        assert [words.split(",")[0] for words in meeting.text.split("go")[:2]] == ["auto", "ask"]


def test_a_mode_that_the_user_chose_stays(tmp_path: Path) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "ask")}) as driver:
        meeting = Meeting(driver, driver.open("chooses"))
        start(driver, meeting)
        driver.result(meeting.session.set_mode("auto"))
        meeting.turn("go")
        assert meeting.text.startswith("auto,")
        assert meeting.session.state.unasked == "judged"


def test_a_mode_that_the_user_chose_is_set_again_after_the_agent_was_opened_anew(
    tmp_path: Path,
) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "ask", "plan")}) as driver:
        meeting = Meeting(driver, driver.open("chooses"))
        start(driver, meeting)
        driver.result(meeting.session.set_mode("plan"))
        driver.result(meeting.session.agent.restart())
        meeting.turn("go")
        assert meeting.text.startswith("plan,")


def test_a_mode_that_the_agent_did_not_take_is_nobodys_choice(tmp_path: Path) -> None:
    agents = {"chooses": script("chooses", "auto", "ask")}
    with driving(tmp_path, agents) as driver:
        meeting = Meeting(driver, driver.open("chooses", policy="allow-all"))
        start(driver, meeting)
        with pytest.raises(AgentRequestError):
            driver.result(meeting.session.set_mode("nowhere"))
        meeting.turn("go", policy="ask")
        assert meeting.text.startswith("ask,")


def test_an_agent_without_a_mode_in_which_it_asks_keeps_its_own(tmp_path: Path) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "plan")}) as driver:
        meeting = Meeting(driver, driver.open("chooses"))
        meeting.turn("go")
        assert meeting.text.startswith("auto,")
        assert notices(meeting) == []


def test_an_agent_that_refuses_the_mode_gets_its_prompt_and_its_user_is_told(
    tmp_path: Path,
) -> None:
    agents = {"chooses": script("chooses", "--stays", "auto", "ask")}
    with driving(tmp_path, agents) as driver:
        meeting = Meeting(driver, driver.open("chooses"))
        meeting.turn("go")
        meeting.turn("go")
        assert meeting.text.startswith("auto,")
        (told,) = notices(meeting)
        assert told == (
            "In the mode Auto the agent decides itself what to ask. It did not change to Ask "
            "first: not now"
        )


@pytest.mark.parametrize(
    ("modes", "mode"),
    [
        ([("plan", "Plan"), ("auto", "Auto"), ("default", "Manual")], "default"),
        ([("read-only", "Read-only"), ("agent", "Auto review")], "read-only"),
        ([("default", "Yolo"), ("ask", "Ask")], "ask"),
        ([("dontAsk", "Don't Ask"), ("plan", "Plan")], None),
        ([], None),
    ],
)
def test_the_mode_in_which_an_agent_asks(modes: list[tuple[str, str]], mode: str | None) -> None:
    assert asking_mode(modes) == mode
