"""One conversation, two logs: what the Claude CLI said, and what its adapter made of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.commands.imports import ImportRequest, import_log
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from tests.support.agents.claude_cli import ADAPTER
from tests.support.agents.fake_agent import AGENTS
from tests.support.host.driver import Driver
from tests.support.host.trusted_folders import trusting
from tests.support.log.imported import timeless
from tests.support.wait import FOREVER_SECONDS

LOGS = Path(__file__).parents[2] / "fixtures" / "claude_cli"
PROMPTS = {
    "edit_file": ["Edit hello.py"],
    "many_tools": ["Look around, then change something"],
    "write_file": ["Write a file"],
    "interrupted_text": ["Talk", "Say hello"],
    "max_turns": ["Go on for long"],
    "hello": ["Say hello"],
}


@pytest.fixture
def cli_log(tmp_path: Path) -> Path:
    return tmp_path / "cli.jsonl"


@pytest.fixture
def driver(tmp_path: Path, cli_log: Path, request: pytest.FixtureRequest) -> Iterator[Driver]:
    script = AGENTS / "claude" / "plays_log.py"
    program = tmp_path / "claude"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
    program.chmod(0o755)
    env = {
        "CLAUDE_CLI_PATH": str(program),
        "CLI_PLAYS": str(LOGS / f"{request.param}.jsonl"),
        "CLI_WRITES": str(cli_log),
        "HOME": str(tmp_path),
    }
    agents: dict[str, dict[str, Any]] = {
        "claude": {"command": ADAPTER[0], "args": ADAPTER[1:], "env": env}
    }
    root = tmp_path / "ws"
    root.mkdir()
    host = AgentHost(
        HostConfig(Registry(agents, []), root, tmp_path / "data", trust=trusting(tmp_path))
    )
    host.start()
    yield Driver(host, root)
    host.stop()


def imported(driver: Driver, path: Path) -> Session:
    def lines() -> list[bytes]:
        return path.read_bytes().splitlines(keepends=True)

    request = ImportRequest(path.name, lines)
    report = driver.result(import_log(driver.host, request))
    assert report.problems == []
    return driver.host.sessions.require(report.session_id)


def items(session: Session) -> list[Any]:
    state = session.transcript
    found = [item.model_dump(mode="json") for item in state.window(0, len(state.items))]
    return [timeless(item) for item in found]


@pytest.mark.parametrize(
    ("driver", "prompts"), PROMPTS.items(), ids=list(PROMPTS), indirect=["driver"]
)
def test_both_logs_give_the_same_transcript(
    driver: Driver, prompts: list[str], cli_log: Path
) -> None:
    """A pasted CLI log and a pasted ACP log of one conversation."""
    live = driver.open("claude")
    driver.run(live.attach)
    for prompt in prompts:
        turn_id = driver.prompt(live, prompt)
        while driver.result(live.journal.wait_turn(turn_id, 0.2)) is False:
            for request_id in tuple(live.transcript.request_items):
                driver.answer(live, request_id, "allow")
    assert live.journal.flush(FOREVER_SECONDS)
    of_acp = imported(driver, driver.host.traffic_path(live.session_id))
    of_cli = imported(driver, cli_log)
    assert items(of_acp) == items(live)
    assert items(of_cli) == items(live)
    assert of_cli.state.cwd == str(driver.root)
    assert len(items(live)) >= 3
