"""Hosts whose sessions are recorded, or played from their records."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.recording_options import RecordingOptions
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.session_state import TurnState
from tests.support.host.driver import Driver
from tests.support.host.limits import PATIENT
from tests.support.host.trusted_folders import trusting
from tests.support.server.jupyter_server import fake_agents

__all__ = ["host_in", "opened", "ran", "recorded"]

NOTEBOOK = "folder/own.ipynb"


@contextmanager
def host_in(
    root: Path,
    *,
    agents: bool = True,
    limits: Limits | None = None,
    trusted: bool = True,
    data: Path | None = None,
) -> Iterator[Driver]:
    """Return a host; without agents it knows none. Another data folder is another installation."""
    (root / "folder").mkdir(parents=True, exist_ok=True)
    registry = Registry(fake_agents("own_tools", "permission", "steers") if agents else {}, [])
    data = data or root.parent / f"data-{root.name}"
    trust = trusting(root) if trusted else None
    host = AgentHost(HostConfig(registry, root, data, limits=limits or PATIENT, trust=trust))
    host.start()
    try:
        yield Driver(host, root / "folder")
    finally:
        host.stop()


def opened(driver: Driver, agent: str, mode: str = "record", **more: str) -> Session:
    wish = RecordingOptions.model_validate({"mode": mode, "run": more.pop("run", "r1")})
    return driver.open(agent, notebook_path=NOTEBOOK, recording=wish, **more)


def ran(driver: Driver, session: Session, prompt: str, **more: object) -> TurnState:
    return driver.done(session, driver.prompt(session, prompt, **more))


def recorded(root: Path, name: str) -> Path:
    return root / "folder" / "own.acp" / name
