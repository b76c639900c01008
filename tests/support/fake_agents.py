"""The scripts in tests/fake_agents, as agents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from acp_jupyter.host.registry_entries import AgentSpec

__all__ = ["AGENTS", "command_line", "fake_agent", "script"]

AGENTS = Path(__file__).parents[1] / "fake_agents"


def command_line(name: str, *args: str) -> tuple[str, ...]:
    """Return how to start ``tests/fake_agents/NAME.py``."""
    return (sys.executable, str(AGENTS / f"{name}.py"), *args)


def fake_agent(name: str, *args: str) -> AgentSpec:
    """Return it as a connection takes it."""
    python, *words = command_line(name, *args)
    return AgentSpec(name, name, python, tuple(words))


def script(name: str, *args: str) -> dict[str, Any]:
    """Return it as an agent is configured."""
    python, *words = command_line(name, *args)
    return {"command": python, "args": words}
