"""Sessions that are recorded, and played again with no agent."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acp_jupyter.host.host import AgentHost, HostConfig
from acp_jupyter.host.recording_wish import RecordWish
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.session import Session
from acp_jupyter.transcript.events import TurnState
from tests.support.driver import Driver
from tests.support.fake_agents import AGENTS
from tests.support.wait import eventually

NOTEBOOK = "folder/own.ipynb"


@contextmanager
def host_in(root: Path, *, agents: bool = True) -> Iterator[Driver]:
    """A host; without agents every command fails."""
    (root / "folder").mkdir(parents=True, exist_ok=True)
    names = ("own_tools", "permission", "leaky")
    scripts = {
        name: {
            "command": sys.executable if agents else "/no/agent/may/start",
            "args": [str(AGENTS / f"{name}.py")],
        }
        for name in names
    }
    registry = Registry(scripts if agents else {}, [])
    host = AgentHost(HostConfig(registry, root, root.parent / f"data-{root.name}"))
    host.start()
    try:
        yield Driver(host, root / "folder")
    finally:
        host.stop()


def opened(driver: Driver, agent: str, mode: str = "record", **more: str) -> Session:
    wish = RecordWish.model_validate({"mode": mode, "run": more.pop("run", "r1")})
    return driver.open(agent, notebook_path=NOTEBOOK, record=wish, **more)


def ran(driver: Driver, session: Session, prompt: str, **more: object) -> TurnState:
    return driver.done(session, driver.prompt(session, prompt, **more))


def recorded(root: Path, name: str) -> Path:
    return root / "folder" / "own.acp" / name


def test_record_and_replay(tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver:
        session = opened(driver, "own_tools")
        ran(driver, session, "write a.txt Hello\nsay I wrote it")
        ran(driver, session, "write a.txt Bye\nbytes b.bin 00ff\nwrite sub/c.py x = 1\\n")
        ran(driver, session, "delete a.txt\nsay Gone")
    record = recorded(tmp_path / "one", "own_tools.ndjson")
    assert record.exists()
    there = tmp_path / "two"
    recorded(there, "").mkdir(parents=True)
    recorded(there, record.name).write_bytes(record.read_bytes())
    with host_in(there, agents=False) as driver:
        session = opened(driver, "own_tools", "replay")
        ran(driver, session, "write a.txt Hello\nsay I wrote it")
        assert driver.text(session) == "I wrote it"
        assert (driver.root / "a.txt").read_text() == "Hello"
        ran(driver, session, "write a.txt Bye\nbytes b.bin 00ff\nwrite sub/c.py x = 1\\n")
        assert (driver.root / "b.bin").read_bytes() == b"\0\xff"
        turn = ran(driver, session, "delete a.txt\nsay Gone")
        assert turn.stop_reason == "end_turn"
        assert not (driver.root / "a.txt").exists()
        assert session.state.agent_info.name == "own_tools (replayed)"
