"""An agent that is built on the SDK of a year ago."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agents.fake_agent import AGENTS
from tests.support.published.session import PublishedSession
from tests.support.server.jupyter_server import JupyterServer

pytestmark = [pytest.mark.agents, pytest.mark.long]

SDK = Path(__file__).parents[1] / "published_agents" / "sdk-0.7.1"


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[PublishedSession]:
    assert SDK.exists(), "it is not installed; make test-all does it"
    agent = {
        "command": sys.executable,
        "args": [str(AGENTS / "old_sdk.py")],
        "env": {"PYTHONPATH": str(SDK)},
    }
    with JupyterServer(tmp_path, agents={"old": agent}) as server, server.user() as user:
        yield PublishedSession(user, "old", server.root / "work")


def test_an_agent_built_on_it_plans_asks_and_writes(talk: PublishedSession) -> None:
    file = talk.folder / "a.txt"
    for kind, status, state in (
        ("reject_once", "failed", "rejected"),
        ("allow_once", "completed", "allowed"),
    ):
        played = talk.play("none", kind)
        assert played.turn["stop_reason"] == "end_turn"
        assert (played.text, "First" in played.thoughts) == ("One two three.", True)
        assert [entry["content"] for entry in played.of("plan")[-1]["entries"]] == ["Look", "Write"]
        assert len(played.asked) == 1
        assert (played.call["status"], played.call["permission"]["state"]) == (status, state)
        assert [diff["path"] for diff in played.call["diffs"]] == ["a.txt"]
        assert played.call["raw_output"]["sdk"].startswith(str(SDK))
        assert file.exists() is (kind == "allow_once")
