from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from tests.support.driver import Driver
from tests.support.fake_agents import AGENTS
from tests.support.meeting import Meeting
from tests.support.trusting import trusting
from tests.support.wait import eventually

SCRIPT = str(AGENTS / "hazard_agent.py")
LIMITS = Limits(
    initialize_seconds=20,
    session_new_seconds=20,
    cancel_grace_seconds=1,
    stdin_eof_seconds=0.5,
    term_seconds=0.5,
)


@pytest.fixture
def meet(tmp_path: Path) -> Iterator[Callable[..., Meeting]]:
    """Open a session with the hazard agent in a mode; at the end no process may be left."""
    root = tmp_path / "ws"
    root.mkdir()
    drivers: list[Driver] = []

    def begin(mode: str, limits: Limits = LIMITS, **more: Any) -> Meeting:
        registry = Registry({mode: {"command": sys.executable, "args": [SCRIPT, mode]}}, [])
        config = HostConfig(
            registry, root, tmp_path / "data", limits=limits, trust=trusting(tmp_path)
        )
        host = AgentHost(config)
        host.start()
        drivers.append(Driver(host, root))
        return Meeting(drivers[-1], drivers[-1].open(mode, **more))

    yield begin
    for driver in drivers:
        driver.host.stop()
    eventually(lambda: not _left(root), 10, "processes are left")


def _left(root: Path) -> list[psutil.Process]:
    """Return what runs in the folder of the test, whoever its parent is by now."""
    return [process for process in psutil.process_iter() if _folder(process) == str(root)]


def _folder(process: psutil.Process) -> str:
    try:
        return process.cwd() if process.status() != psutil.STATUS_ZOMBIE else ""
    except psutil.Error:
        return ""
