"""The steps of the fake agent ``terminal_script``."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["ask", "call", "create", "steps", "update"]

Step = dict[str, Any]


def create(command: str, name: str = "t", **params: Any) -> Step:
    """ACP: terminal/create; ``$NAME`` is its id from then on."""
    return {"ask": "terminal/create", "params": {"command": command, **params}, "as": name}


def ask(method: str, name: str = "t") -> Step:
    """Another request for that terminal."""
    return {"ask": f"terminal/{method}", "params": {"terminalId": f"${name}"}}


def update(**fields: Any) -> Step:
    """A new state of the tool call."""
    return {"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c1", **fields}}


def call(name: str = "t", **fields: Any) -> Step:
    """A tool call that shows the terminal."""
    shown = [{"type": "terminal", "terminalId": f"${name}"}]
    return update(title="Build", kind="execute", status="in_progress", content=shown, **fields)


def steps(*steps: Step) -> str:
    """The prompt."""
    return json.dumps(steps)
