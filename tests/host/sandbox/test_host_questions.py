"""Hosts that a sandbox does not name: the question on a card, and who answers it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.requests.rules import turn_rules
from acp_jupyter.host.sandbox.levels import find_level
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import Policy
from tests.support.agents.fake_agent import AGENTS, script
from tests.support.host.driver import Driver, driving
from tests.support.wait import eventually

HOST = "https://other.example/"
ASKS = json.dumps([["tunnel", "other.example", 443], ["tunnel", "other.example", 443]])
REFUSED = "HTTP/1.1 403 "
LOOKED_UP = "HTTP/1.1 502 other.example was not found."
"""What an allowed host gives here, where no name leads anywhere."""


async def _nowhere(host: str, port: int) -> Sequence[str]:
    raise OSError(f"no such host: {host}:{port}")


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    if find_level().level == "none":
        pytest.skip(find_level().why_not_more)
    agents = {"out": {**script("goes_out"), "sandbox": {"readable": [str(AGENTS)]}}}
    with driving(tmp_path, agents, resolve=_nowhere) as driver:
        yield driver


def opened(driver: Driver, policy: Policy = "ask") -> Session:
    return driver.open("out", policy=policy, sandbox="folder", network="hosts")


def came(driver: Driver, session: Session, turn_id: str) -> list[str]:
    """Return what came of the deeds of a turn; each turn reports one list."""
    driver.done(session, turn_id)
    report: list[str] = json.loads("[" + driver.text(session).rpartition("[")[2])
    return report


def test_a_yes_is_for_the_turn_and_the_next_one_asks_again(driver: Driver) -> None:
    session = opened(driver)
    for option, expected in (("allow", LOOKED_UP), ("reject", REFUSED), ("allow", LOOKED_UP)):
        turn_id = driver.prompt(session, ASKS)
        request_id = driver.asked(session)
        (card,) = [
            item
            for item in session.transcript.items
            if item.kind == "tool_call" and item.permission and item.is_open
        ]
        assert card.title == "Connect to other.example"
        assert card.tool_kind == "fetch"
        driver.answer(session, request_id, option)
        assert [each[: len(expected)] for each in came(driver, session, turn_id)] == [expected] * 2


@pytest.mark.parametrize(
    ("policy", "allow", "deny", "expected"),
    [
        ("ask", (f"fetch:{HOST}*",), (), LOOKED_UP),
        ("ask", (f"fetch:{HOST}",), (), LOOKED_UP),
        ("ask", (), (f"fetch:{HOST}*",), REFUSED),
        ("allow-all", (), ("fetch",), REFUSED),
        ("read-only", (), (), REFUSED),
        ("deny", (), (), REFUSED),
    ],
)
def test_rules_and_strict_policies_answer(
    driver: Driver,
    policy: Policy,
    allow: tuple[str, ...],
    deny: tuple[str, ...],
    expected: str,
) -> None:
    session = opened(driver, policy)
    turn_id = driver.prompt(session, ASKS, policy=policy, rules=turn_rules(allow, deny))
    assert [each[: len(expected)] for each in came(driver, session, turn_id)] == [expected] * 2


@pytest.mark.parametrize("policy", ["ask", "accept-edits", "allow-all"])
def test_no_policy_opens_a_host_that_is_not_named(driver: Driver, policy: Policy) -> None:
    session = opened(driver, policy)
    turn_id = driver.prompt(session, ASKS, policy=policy)
    driver.answer(session, driver.asked(session), "reject")
    assert came(driver, session, turn_id)[0].startswith(REFUSED)


def test_where_nobody_can_be_asked_it_is_refused(driver: Driver) -> None:
    session = opened(driver)
    turn_id = driver.prompt(session, ASKS, can_ask=False)
    turn = driver.done(session, turn_id)
    assert "Nobody could be asked" in turn.words


def test_a_question_ends_with_its_turn(driver: Driver) -> None:
    session = opened(driver)
    turn_id = driver.prompt(session, ASKS)
    driver.asked(session)
    driver.run(lambda: session.cancel(turn_id))
    driver.done(session, turn_id)
    eventually(lambda: not session.transcript.request_items)


def test_what_was_chosen_is_seen_and_a_kernel_can_only_close_it(driver: Driver) -> None:
    session = opened(driver)
    with pytest.raises(NotAllowed, match="Only the user can open the network"):
        driver.run(lambda: session.set_network("all", by_user=False))
    driver.run(lambda: session.set_network("none", by_user=False))
    assert session.state.network == "none"
    driver.done(session, driver.prompt(session, "[]"))
    walls = session.state.walls
    assert walls is not None
    assert (walls.sandbox, walls.network) == ("folder", "none")


def test_between_turns_only_what_is_named_is_reached(driver: Driver) -> None:
    session = opened(driver)
    begin, result = driver.root / "begin", driver.root / "result"
    deed = ["later", str(begin), str(result), ["tunnel", "other.example", 443]]
    driver.done(session, driver.prompt(session, json.dumps([deed])))
    begin.touch()
    eventually(result.exists)
    assert "can only be asked about during a turn" in result.read_text()
    assert not session.transcript.request_items
