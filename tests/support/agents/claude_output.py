"""Recorded output of the Claude CLI, and what it means."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from acp_jupyter.dialects.claude_reader import ClaudeCli, CliOutput
from acp_jupyter.dialects.claude_results import CliResult, CliTurnEnd, CliTurnError, Update

__all__ = ["Meaning", "log_names", "read", "recorded"]

_LOGS = Path(__file__).parents[2] / "fixtures" / "claude_cli"


class Meaning:
    """The results of reading some lines, by what they are."""

    def __init__(self, results: Iterable[CliResult]) -> None:
        self.results = list(results)
        self.updates = [r.update for r in self.results if isinstance(r, Update)]
        self.ends = [r for r in self.results if isinstance(r, CliTurnEnd)]
        self.errors = [r for r in self.results if isinstance(r, CliTurnError)]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [update for update in self.updates if update["sessionUpdate"] == kind]

    def text(self, kind: str = "agent_message_chunk") -> str:
        return "".join(str(update["content"]["text"]) for update in self.of(kind))

    def calls(self) -> list[dict[str, Any]]:
        """Each tool call as the sum of its updates."""
        calls: dict[str, dict[str, Any]] = {}
        for update in self.of("tool_call") + self.of("tool_call_update"):
            calls.setdefault(str(update["toolCallId"]), {}).update(update)
        return list(calls.values())


def log_names() -> list[str]:
    return sorted(path.stem for path in _LOGS.glob("*.jsonl"))


def recorded(name: str) -> Meaning:
    """Read a log of the real CLI as it came out of its pipe."""
    lines = CliOutput()
    values = lines.feed((_LOGS / f"{name}.jsonl").read_bytes()) + lines.finish()
    return read(*values)


def read(*lines: object) -> Meaning:
    """Read these objects as one whole log."""
    cli = ClaudeCli()
    results = [result for line in lines for result in cli.read(line)]
    return Meaning([*results, *cli.finish()])
