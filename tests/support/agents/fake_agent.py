"""The fake agents, by their modes; ``tests/fake_agents/fake_agent.py`` says what there is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from acp_jupyter.host.registry_entries import AgentSpec

__all__ = ["AGENTS", "command_line", "fake_agent", "script"]

AGENTS = Path(__file__).parents[2] / "fake_agents"


def command_line(mode: str, *words: str) -> tuple[str, ...]:
    """Return how one is started."""
    return (sys.executable, str(AGENTS / "fake_agent.py"), mode, *words)


def fake_agent(mode: str, *words: str) -> AgentSpec:
    """Return one as a connection takes it."""
    python, *args = command_line(mode, *words)
    return AgentSpec(mode, mode, python, tuple(args))


def script(mode: str, *words: str) -> dict[str, Any]:
    """Return one as it is configured."""
    python, *args = command_line(mode, *words)
    # What it keeps lies where its words say, which a sandbox would not let it write.
    kept = [str(Path(word).parent) for word in words if word.startswith("/")]
    return {"command": python, "args": args, "sandbox": {"writable": kept}}
