"""Modes in which an agent asks less, where the administrator does not allow them."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.errors import AgentRequestError, NotAllowed
from acp_jupyter.host.bounds import Bounds
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.vocabulary import asking_mode
from tests.support.agents.fake_agent import script
from tests.support.host.agent_session import AgentSession
from tests.support.host.driver import Driver, driving

BOUNDS = Bounds.of({"allow_unasked_modes": False})
WORDS = "The mode Auto is not allowed here: there the agent decides itself what to ask. The admin"


def test_an_agent_that_opens_in_such_a_mode_is_taken_out_of_it(tmp_path: Path) -> None:
    agents = {"chooses": script("chooses", "auto", "plan", "ask")}
    with driving(tmp_path, agents, bounds=BOUNDS) as driver:
        agent_session = AgentSession(driver, driver.open("chooses"))
        assert agent_session.turn("go").stop_reason == "end_turn"
        assert agent_session.text.startswith("ask,")
        choosing = agent_session.session.set_mode("auto")
        with pytest.raises(NotAllowed, match=WORDS):
            driver.result(choosing)
        driver.result(agent_session.session.set_mode("plan"))
        agent_session.turn("go")
        assert "plan," in agent_session.text


def test_an_agent_that_has_no_other_mode_gets_no_prompt(tmp_path: Path) -> None:
    agents = {"chooses": script("chooses", "auto")}
    with driving(tmp_path, agents, bounds=BOUNDS) as driver:
        agent_session = AgentSession(driver, driver.open("chooses"))
        turn = agent_session.turn("go")
        assert turn.failure is not None
        assert WORDS in turn.failure.message
        assert agent_session.text == ""


NOTICE = (
    "The agent started in the mode Auto, in which it decides itself what to ask. The policy is "
    "ask, so its mode was changed to Ask first. You can choose another mode."
)


def notices(agent_session: AgentSession) -> list[str]:
    return [item.text for item in agent_session.items if item.kind == "notice"]


def start(driver: Driver, agent_session: AgentSession) -> None:
    driver.result(agent_session.session.start())


def test_under_ask_an_agent_is_set_to_the_mode_in_which_it_asks(tmp_path: Path) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "plan", "ask")}) as driver:
        agent_session = AgentSession(driver, driver.open("chooses"))
        start(driver, agent_session)
        assert agent_session.session.state.current_mode_id == "ask"
        assert agent_session.session.state.unasked == ""
        agent_session.turn("go")
        assert agent_session.text.startswith("ask,")
        assert notices(agent_session) == [NOTICE]


@pytest.mark.parametrize(
    ("policy", "mode"),
    [("read-only", "ask"), ("deny", "ask"), ("accept-edits", "ask"), ("allow-all", "auto")],
)
def test_what_a_policy_leaves_to_agents(tmp_path: Path, policy: Policy, mode: str) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "ask")}) as driver:
        agent_session = AgentSession(driver, driver.open("chooses", policy=policy))
        agent_session.turn("go")
        assert agent_session.text.startswith(f"{mode},")


def test_a_prompt_with_a_policy_that_asks_more(tmp_path: Path) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "ask")}) as driver:
        agent_session = AgentSession(driver, driver.open("chooses", policy="allow-all"))
        agent_session.turn("go")
        agent_session.turn("go", policy="ask")
        assert [words.split(",")[0] for words in agent_session.text.split("go")[:2]] == [
            "auto",
            "ask",
        ]


def test_a_mode_that_the_user_chose_stays(tmp_path: Path) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "ask")}) as driver:
        agent_session = AgentSession(driver, driver.open("chooses"))
        start(driver, agent_session)
        driver.result(agent_session.session.set_mode("auto"))
        agent_session.turn("go")
        assert agent_session.text.startswith("auto,")
        assert agent_session.session.state.unasked == "judged"


def test_a_mode_that_the_user_chose_is_set_again_after_the_agent_was_opened_anew(
    tmp_path: Path,
) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "ask", "plan")}) as driver:
        agent_session = AgentSession(driver, driver.open("chooses"))
        start(driver, agent_session)
        driver.result(agent_session.session.set_mode("plan"))
        driver.result(agent_session.session.agent.restart())
        agent_session.turn("go")
        assert agent_session.text.startswith("plan,")


def test_a_mode_that_the_agent_did_not_take_is_nobodys_choice(tmp_path: Path) -> None:
    agents = {"chooses": script("chooses", "auto", "ask")}
    with driving(tmp_path, agents) as driver:
        agent_session = AgentSession(driver, driver.open("chooses", policy="allow-all"))
        start(driver, agent_session)
        with pytest.raises(AgentRequestError):
            driver.result(agent_session.session.set_mode("nowhere"))
        agent_session.turn("go", policy="ask")
        assert agent_session.text.startswith("ask,")


def test_an_agent_without_a_mode_in_which_it_asks_keeps_its_own(tmp_path: Path) -> None:
    with driving(tmp_path, {"chooses": script("chooses", "auto", "plan")}) as driver:
        agent_session = AgentSession(driver, driver.open("chooses"))
        agent_session.turn("go")
        assert agent_session.text.startswith("auto,")
        assert notices(agent_session) == []


def test_an_agent_that_refuses_the_mode_gets_its_prompt_and_its_user_is_told(
    tmp_path: Path,
) -> None:
    agents = {"chooses": script("chooses", "--stays", "auto", "ask")}
    with driving(tmp_path, agents) as driver:
        agent_session = AgentSession(driver, driver.open("chooses"))
        agent_session.turn("go")
        agent_session.turn("go")
        assert agent_session.text.startswith("auto,")
        (told,) = notices(agent_session)
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
