"""The Claude CLI adapter as a process, with the fake CLI or the published one."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.agents.fake_agent import AGENTS
from tests.support.agents.peer import Handler, Peer

__all__ = ["ADAPTER", "FakeCli", "claude_environment"]

ADAPTER = [sys.executable, "-P", "-m", "acp_jupyter.agents.claude_cli"]

_PUBLISHED = Path(__file__).parents[2] / "published_agents" / "node_modules" / ".bin" / "claude"


def claude_environment(home: Path, model_url: str) -> dict[str, str]:
    """Return what the adapter needs to run the published CLI with a fake model."""
    assert _PUBLISHED.exists(), "the Claude CLI is not installed; make test does it"
    home.mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "CLAUDE_CLI_PATH": str(_PUBLISHED),
        "ANTHROPIC_BASE_URL": model_url,
        "ANTHROPIC_API_KEY": "mock",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
    }


class FakeCli:
    """``tests/fake_agents/claude/fake_cli.py`` as a program, and what it has noted."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "claude"
        self._log = folder / "fake-cli.ndjson"
        script = AGENTS / "claude" / "fake_cli.py"
        self.program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
        self.program.chmod(0o755)
        self.env = {
            "CLAUDE_CLI_PATH": str(self.program),
            "FAKE_CLI_LOG": str(self._log),
            "HOME": str(folder),
        }

    def peer(
        self, handlers: Mapping[str, Handler] | None = None, env: Mapping[str, str] | None = None
    ) -> Peer:
        """Start the adapter with it."""
        return Peer(ADAPTER, handlers=handlers, env={**self.env, **(env or {})})

    def notes(self, key: str) -> list[Any]:
        """Return all that it noted under ``key``, of every process."""
        if not self._log.exists():
            return []
        notes = [json.loads(line) for line in self._log.read_text().splitlines()]
        return [note[key] for note in notes if key in note]

    def lines(self, kind: str) -> list[Any]:
        """Return the lines of a type that it got."""
        return [line for line in self.notes("line") if line["type"] == kind]
