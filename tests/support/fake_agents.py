"""The scripts in tests/agents, as agents."""

from __future__ import annotations

import sys
from pathlib import Path

from acp_jupyter.host.registry.agents import AgentSpec

__all__ = ["AGENTS", "fake_agent"]

AGENTS = Path(__file__).parents[1] / "agents"


def fake_agent(name: str, *args: str) -> AgentSpec:
    """Return how to start ``tests/agents/NAME.py``."""
    return AgentSpec(name, name, sys.executable, (str(AGENTS / f"{name}.py"), *args))
