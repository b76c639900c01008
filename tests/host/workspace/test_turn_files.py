"""A look at the folder before a turn is told of when it takes long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_jupyter.host.workspace import turn_files
from acp_jupyter.host.workspace.scan import FolderScan
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.wait import FOREVER_SECONDS, PATIENCE_SECONDS, eventually


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, {"own": script("own_tools")}) as driver:
        yield driver


def test_a_look_that_takes_long_is_told_of_until_it_is_over(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_files, "_NOTICE_SECONDS", 0.05)
    session = driver.open("own")
    looked, look = threading.Event(), session.turn_files._scan

    def slowly() -> FolderScan:
        looked.wait(PATIENCE_SECONDS)
        return look()

    monkeypatch.setattr(session.turn_files, "_scan", slowly)
    turn_id = driver.prompt(session, "say Done")
    eventually(lambda: session.transcript.session.looking, what="the look is told of")
    looked.set()
    driver.done(session, turn_id)
    assert not session.transcript.session.looking
    assert "Done" in driver.text(session)


def test_a_quick_look_is_not(
    driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_files, "_NOTICE_SECONDS", FOREVER_SECONDS)
    session = driver.open("own")
    turn_id = driver.prompt(session, "say Done")
    driver.done(session, turn_id)
    session.journal.flush()
    (traffic,) = (tmp_path / "data").rglob("traffic.ndjson")
    log = traffic.read_text()
    assert "turn_started" in log
    assert "folder_look" not in log
