"""opencode from npm, with a fake model and a home of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psutil

__all__ = ["opencode", "processes_of"]

_COMMAND = Path(__file__).parents[1] / "published_agents" / "node_modules" / ".bin" / "opencode"


def opencode(home: Path, model_url: str) -> dict[str, Any]:
    """Return its entry of ``c.AcpJupyter.agents``; it asks before edits and commands."""
    assert _COMMAND.exists(), "opencode is not installed; make test does it"
    home.mkdir(parents=True, exist_ok=True)
    options = {"baseURL": model_url, "apiKey": "mock"}
    model = {"name": "Mock", "limit": {"context": 200_000, "output": 16_000}}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"mock": model}}
    config = home / "opencode.json"
    config.write_text(
        json.dumps(
            {
                "model": "mock/mock",
                "small_model": "mock/mock",
                "autoupdate": False,
                "share": "disabled",
                "permission": {"edit": "ask", "bash": "ask"},
                "provider": {"mock": {**provider, "name": "Mock"}},
            }
        )
    )
    folders = {
        f"XDG_{name}_HOME": str(home / name) for name in ("CACHE", "CONFIG", "DATA", "STATE")
    }
    env = {"HOME": str(home), "OPENCODE_CONFIG": str(config), **folders}
    return {"command": str(_COMMAND), "args": ["acp"], "env": env}


def processes_of(home: Path) -> list[psutil.Process]:
    """Return every live process that runs with that home: the agent and all it started."""
    return [process for process in psutil.process_iter() if _home(process) == str(home)]


def _home(process: psutil.Process) -> str:
    try:
        return "" if process.status() == psutil.STATUS_ZOMBIE else process.environ().get("HOME", "")
    except psutil.Error:
        return ""
