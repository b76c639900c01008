"""What an agent may not do under a policy, whether or not it asks first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_jupyter.packets.notes import Policy
from tests.support.driver import Driver, driving
from tests.support.fake_agents import script


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, {"scripted": script("terminal_script")}) as driver:
        yield driver


@pytest.mark.parametrize(
    ("policy", "changes"),
    [("ask", True), ("accept-edits", True), ("read-only", False), ("deny", False)],
)
def test_a_policy_holds_for_an_agent_that_does_not_ask(
    driver: Driver, policy: Policy, changes: bool
) -> None:
    written, ran = driver.root / "written", driver.root / "ran"
    steps = [
        {"ask": "fs/write_text_file", "params": {"path": str(written), "content": "x"}},
        {"ask": "terminal/create", "params": {"command": "touch", "args": [str(ran)]}, "as": "t"},
    ]
    if changes:
        steps.append({"ask": "terminal/wait_for_exit", "params": {"terminalId": "$t"}})
    session = driver.open("scripted")
    driver.done(session, driver.prompt(session, json.dumps(steps), policy=policy))
    assert (written.exists(), ran.exists()) == (changes, changes)
    if not changes:
        assert driver.text(session).count(f"The policy {policy} of this turn") == 2
