"""A look at the folder before a turn is told of when it takes long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_jupyter.host.file_changes import turn as turn_files
from acp_jupyter.host.file_changes.scan import FolderScan
from acp_jupyter.host.host import AgentHost, HostConfig
from acp_jupyter.host.registry.agents import Registry
from tests.support.driver import Driver
from tests.support.fake_agents import AGENTS
from tests.support.trusting import trusting
from tests.support.wait import eventually


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    root = tmp_path / "ws"
    root.mkdir()
    agents = {"own": {"command": sys.executable, "args": [str(AGENTS / "own_tools.py")]}}
    host = AgentHost(
        HostConfig(Registry(agents, []), root, tmp_path / "data", trust=trusting(tmp_path))
    )
    host.start()
    yield Driver(host, root)
    host.stop()


def test_a_look_that_takes_long_is_told_of_until_it_is_over(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_files, "_TOLD_SECONDS", 0.05)
    session = driver.open("own")
    looked, look = threading.Event(), session.turn_files._look

    def slowly() -> FolderScan:
        looked.wait(10)
        return look()

    monkeypatch.setattr(session.turn_files, "_look", slowly)
    turn_id = driver.prompt(session, "say Done")
    eventually(lambda: session.transcript.session.looking, what="the look is told of")
    looked.set()
    driver.done(session, turn_id)
    assert not session.transcript.session.looking
    assert "Done" in driver.text(session)


def test_a_quick_look_is_not(driver: Driver, tmp_path: Path) -> None:
    session = driver.open("own")
    turn_id = driver.prompt(session, "say Done")
    driver.done(session, turn_id)
    (traffic,) = (tmp_path / "data").rglob("traffic.ndjson")
    log = traffic.read_text()
    assert "turn_started" in log
    assert "folder_look" not in log
