"""The scripts in tests/fake_agents, as agents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from acp_jupyter.host.registry_entries import AgentSpec

__all__ = ["AGENTS", "fake_agent", "script"]

AGENTS = Path(__file__).parents[1] / "fake_agents"


def fake_agent(name: str, *args: str) -> AgentSpec:
    """Return how to start ``tests/fake_agents/NAME.py``."""
    return AgentSpec(name, name, sys.executable, (str(AGENTS / f"{name}.py"), *args))


def script(name: str, *args: str) -> dict[str, Any]:
    """Return ``tests/fake_agents/NAME.py`` as an agent is configured."""
    return {"command": sys.executable, "args": [str(AGENTS / f"{name}.py"), *args]}
