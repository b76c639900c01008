"""A session of the demo agent, exported and played again: the same transcript."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from tests.support.host.driver import Driver
from tests.support.host.trusted_folders import trusting
from tests.support.wait import FOREVER_SECONDS

BEFORE = """def total(rows):
    result = 0
    for row in rows:
        result += row
    return result
"""
TIMES = re.compile(r"(?:^|_)(?:at|ms|seconds|time|t)$")
IDS = re.compile(r"^(?:id|\w*_id|tool_call_ids?|request_ids?)$")


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "clean.py").write_text(BEFORE)
    log = str(tmp_path / "recorded.ndjson")
    replay = ["-m", "acp_jupyter.agents.replay", log, "--speed", "flat"]
    agents: dict[str, dict[str, Any]] = {
        "demo": {
            "command": sys.executable,
            "args": ["-m", "acp_jupyter.agents.demo"],
            "env": {"ACP_DEMO_RATE": "0"},
        },
        "replay": {"command": sys.executable, "args": replay},
    }
    host = AgentHost(
        HostConfig(Registry(agents, []), root, tmp_path / "data", trust=trusting(tmp_path))
    )
    host.start()
    yield Driver(host, root)
    host.stop()


def have(driver: Driver, agent: str) -> Session:
    """Have one and the same conversation with an agent."""
    session = driver.open(agent)
    for text, option in (
        ("What is in this folder?", ""),
        ("Make clean.py faster", "no"),
        ("Make clean.py faster", "once"),
        ("error", ""),
        ("plan", ""),
    ):
        turn_id = driver.prompt(session, text)
        if option:
            driver.answer(session, driver.asked(session), option)
        driver.done(session, turn_id)
    return session


def seen(session: Session) -> list[Any]:
    """Return the transcript without times, ids, and the agent's place in the registry."""
    state = session.transcript
    items = [item.model_dump(mode="json") for item in state.window(0, len(state.items))]
    turns = [state.turns[turn_id].model_dump(mode="json") for turn_id in state.turn_order]
    return [_without(value) for value in (*items, *turns)]


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if not TIMES.search(k) and not IDS.match(k)}
        return {key: _without(item) for key, item in kept.items()}
    return [_without(item) for item in value] if isinstance(value, list) else value


def test_a_replay_gives_the_same_transcript(driver: Driver, tmp_path: Path) -> None:
    recorded = have(driver, "demo")
    after = (driver.root / "clean.py").read_text()
    assert after != BEFORE
    assert recorded.journal.flush(FOREVER_SECONDS)
    log = driver.host.traffic_path(recorded.session_id)
    shutil.copy(log, tmp_path / "recorded.ndjson")
    (driver.root / "clean.py").write_text(BEFORE)
    replayed = have(driver, "replay")
    assert seen(replayed) == seen(recorded)
    assert len(seen(recorded)) > 20
    assert (driver.root / "clean.py").read_text() == after
