"""What a turn changed in its folder, told by the host whoever wrote it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_jupyter.host.host import AgentHost, HostConfig
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.session import Session
from acp_jupyter.packets.change_notes import TurnChanges
from tests.support.driver import Driver
from tests.support.fake_agents import AGENTS
from tests.support.trusting import trusting


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


def _changes(driver: Driver, session: Session, prompt: str) -> TurnChanges | None:
    turn_id = driver.prompt(session, prompt)
    driver.done(session, turn_id)
    driver.host.submit(session.turn_files.settled(turn_id)).result(20)
    return session.transcript.turns[turn_id].changes


def test_every_change_is_told_whoever_made_it(driver: Driver) -> None:
    (driver.root / "a.py").write_text("one\ntwo\n")
    (driver.root / "b.bin").write_bytes(b"\0\1")
    changes = _changes(
        driver,
        driver.open("own"),
        "write a.py one\\nthree\\n\nwrite new/c.txt x\ndelete b.bin\nsay Done",
    )
    assert changes is not None
    assert changes.revertible
    assert changes.words == ""
    assert [(f.path, f.change, f.added, f.removed, f.binary) for f in changes.files] == [
        ("a.py", "modified", 1, 1, False),
        ("b.bin", "deleted", None, None, True),
        ("new/c.txt", "added", 1, 0, False),
    ]
    assert changes.made_folders == ("new",)


def test_a_turn_that_changed_nothing_says_nothing(driver: Driver) -> None:
    (driver.root / "a.py").write_text("one\n")
    assert _changes(driver, driver.open("own"), "write a.py one\\n") is None
